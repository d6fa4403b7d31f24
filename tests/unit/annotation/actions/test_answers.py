"""Answers before the key is shown: kept once, blind or told to be not, never changed after."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction

from annotation.actions.accounts import choose_answers_first
from annotation.actions.answers import (
    AnsweredBefore,
    BadAnswer,
    KeyShown,
    give_answer,
    undo_answer,
)
from annotation.actions.conflicts import AnswerFirst, IdTaken, StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.restore import restore_version
from annotation.actions.returns import return_item
from annotation.actions.reviews import cast_vote
from annotation.actions.seal import note_key_shown
from annotation.actions.videos import change_roi, override_roi
from annotation.domain.roi import Roi
from annotation.models import Answer, Item, KeySight, Review, Revision, Round
from annotation.queries.answering import answering, is_sealed
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.fixture
def free():
    return factories.free_item(factories.video(factories.benchmark()))


@pytest.fixture
def reader(reviewer):
    choose_answers_first(wanted=True, by=reviewer)
    return reviewer


def give(item, by, **said):
    said = said or {"option_index": 1}
    version = said.pop("version_number", factories.current(item).number)
    answer_id = said.pop("answer_id", None) or uuid.uuid4()
    return give_answer(answer_id=answer_id, item_id=item.pk, version_number=version, **said, by=by)


def show(item, to):
    note_key_shown(version=factories.current(item), by=to)


def edit(item, by, stem="Why?", cosmetic=False):
    number = factories.current(item).number
    return edit_item(
        item_id=item.pk,
        base_version=number,
        changes={"stem": stem},
        reason="clearer",
        cosmetic=cosmetic,
        by=by,
    )


def test_the_same_id_stores_one_answer_also_after_the_key_was_shown(reader, item):
    answer_id = uuid.uuid4()
    first = give(item, reader, answer_id=answer_id, option_index=2, active_seconds=7.5)
    show(item, reader)
    again = give(item, reader, answer_id=answer_id, option_index=2, active_seconds=9)
    assert first.pk == again.pk and Answer.objects.get().active_seconds == 7.5
    assert Revision.objects.filter(verb="give_answer").count() == 1
    with pytest.raises(IdTaken):
        give(item, reader, answer_id=answer_id, option_index=1)


def test_a_second_answer_under_another_id_is_refused(reader, item):
    give(item, reader)
    with pytest.raises(AnsweredBefore):
        give(item, reader, option_index=3)
    assert Answer.objects.count() == 1


def test_the_database_holds_one_answer_a_version(reader, item):
    first = give(item, reader)
    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.create(
            item=item, item_version=first.item_version, reader=reader, could_not_tell=True
        )


def test_no_answer_is_taken_once_the_key_was_shown(reader, item):
    show(item, reader)
    with pytest.raises(KeyShown):
        give(item, reader)


def test_a_vote_tells_that_the_key_was_seen(reviewer, item):
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer
    )
    with pytest.raises(KeyShown):
        give(item, reviewer)


def test_undo_until_the_key_is_shown_and_never_after(reader, item):
    answer = give(item, reader)
    assert undo_answer(answer_id=answer.pk, by=reader).undone_at
    assert undo_answer(answer_id=answer.pk, by=reader).undone_at
    assert Revision.objects.filter(verb="undo_answer").count() == 1
    other = give(item, reader, could_not_tell=True)
    show(item, reader)
    with pytest.raises(KeyShown):
        undo_answer(answer_id=other.pk, by=reader)
    assert Answer.objects.get(pk=other.pk).undone_at is None


def test_nobody_takes_back_anothers_answer(reader, reviewer_2, item):
    answer = give(item, reader)
    with pytest.raises(Answer.DoesNotExist):
        undo_answer(answer_id=answer.pk, by=reviewer_2)


@pytest.mark.parametrize(
    "said",
    [
        {"option_index": None},
        {"option_index": 4},
        {"option_index": -1},
        {"option_index": 1, "could_not_tell": True},
        {"text": "The aorta."},
        {"option_index": 1, "text": "The aorta."},
        {"option_index": 1, "active_seconds": float("nan")},
        {"option_index": 1, "active_seconds": -1.0},
        {"option_index": 1, "active_seconds": 1e9},
    ],
)
def test_what_is_no_answer_to_an_mcq_is_refused(reader, item, said):
    with pytest.raises(BadAnswer):
        give(item, reader, **said)
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        {"text": "   "},
        {"text": "x" * 4_001},
        {"text": "nul \x00"},
        {"text": "lone \ud800"},
        {"option_index": 0},
        {"text": "Gas.", "could_not_tell": True},
    ],
)
def test_what_is_no_free_response_is_refused(reader, free, said):
    with pytest.raises(BadAnswer):
        give(free, reader, **said)
    assert not Answer.objects.exists()


def test_a_free_response_is_kept_as_written(reader, free):
    assert give(free, reader, text=" It moves\nthe gas. ").text == "It moves\nthe gas."


def test_who_may_not_review_may_not_answer(outsider, item):
    with pytest.raises(PermissionDenied):
        give(item, outsider)


def test_an_answer_to_an_old_version_is_stale_and_tells_no_text(reader, reviewer_2, item):
    edit(item, reviewer_2)
    with pytest.raises(StaleVersion) as told:
        give(item, reader, version_number=1)
    assert (told.value.base, told.value.current) == ({"version": 1}, {"version": 2})


# The seal


def test_the_seal_opens_with_the_answer(reader, item):
    assert is_sealed(reader, item.pk)
    give(item, reader)
    assert not is_sealed(reader, item.pk)


def test_without_the_switch_nothing_is_sealed(reviewer, item):
    assert not is_sealed(reviewer, item.pk)


def test_an_open_round_seals_for_its_readers_alone(reviewer, reviewer_2, item):
    made = Round.objects.create(benchmark=item.benchmark, name="Readers", mode="answer")
    made.items.create(item=item, position=0)
    made.readers.create(reader=reviewer, ordinal=0)
    assert not is_sealed(reviewer, item.pk), "a draft asks nobody"
    made.state = "open"
    made.save()
    assert is_sealed(reviewer, item.pk) and not is_sealed(reviewer_2, item.pk)
    assert answering(reviewer, item).demanded
    assert give(item, reviewer).round == made


def test_while_sealed_no_vote_no_edit_no_restore_no_box(reader, item):
    vote = {"review_id": uuid.uuid4(), "item_id": item.pk, "version_number": 1, "by": reader}
    with pytest.raises(AnswerFirst):
        cast_vote(verdict="keep", **vote)
    with pytest.raises(AnswerFirst):
        edit(item, reader)
    with pytest.raises(AnswerFirst):
        restore_version(item_id=item.pk, number=1, base_version=1, reason="", by=reader)
    with pytest.raises(AnswerFirst):
        box = Roi(0.1, 0.1, 0.5, 0.5)
        override_roi(item_id=item.pk, base_version=1, roi=box, reason="", by=reader)
    assert item.versions.count() == 1
    assert cast_vote(verdict="skip", **vote).verdict == "skip", "a skip needs no answer"
    assert is_sealed(reader, item.pk)


def test_a_stale_skip_tells_no_text_while_sealed(reader, reviewer_2, item):
    edit(item, reviewer_2)
    with pytest.raises(StaleVersion) as told:
        cast_vote(
            review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="skip", by=reader
        )
    assert told.value.current == {"version": 2}


def test_another_wording_is_answered_anew_and_told_to_be_not_blind(reader, reviewer_2, item):
    give(item, reader)
    show(item, reader)
    edit(item, reviewer_2, "Another question?")
    assert is_sealed(reader, item.pk)
    second = give(item, reader)
    assert second.key_seen_before and second.item_version.number == 2
    assert Answer.objects.filter(undone_at=None).count() == 2


def test_what_asks_the_same_is_not_asked_again(reader, reviewer_2, adjudicator, item):
    give(item, reader)
    return_item(item_id=item.pk, version_number=1, question="Sure?", by=adjudicator)
    assert not is_sealed(reader, item.pk)
    edit(item, reviewer_2, "What does the operator do next??", cosmetic=True)
    show(item, reader)
    assert not is_sealed(reader, item.pk)
    box = Roi(0.1, 0.1, 0.5, 0.5)
    change_roi(video_id=item.video_id, base_version=1, roi=box, reason="", by=reviewer_2)
    assert not is_sealed(reader, item.pk)


def test_the_own_edit_is_not_to_be_answered(reader, item):
    give(item, reader)
    edit(item, reader, "Mine?")
    assert not is_sealed(reader, item.pk)


def test_a_key_is_noted_once(reader, item):
    show(item, reader)
    show(item, reader)
    assert KeySight.objects.filter(reader=reader, item=item).count() == 1


def test_a_changed_mind_is_a_second_vote_that_keeps_the_first(reader, item):
    give(item, reader)
    for verdict, reasons in (("keep", []), ("drop", [2])):
        cast_vote(
            review_id=uuid.uuid4(),
            item_id=item.pk,
            version_number=1,
            verdict=verdict,
            reasons=reasons,
            by=reader,
        )
    first, second = Review.objects.order_by("created_at")
    assert (first.verdict, first.undone_at) == ("keep", None)
    assert (second.verdict, second.undone_at) == ("drop", None)
    assert Item.objects.get(pk=item.pk).state == "dropped", "the later one stands"
    assert Answer.objects.get().option_index == 1, "and the answer is what it was"


def test_the_trail_holds_no_answer(reader, free):
    give(free, reader, text="It moves the gas.")
    row = Revision.objects.get(verb="give_answer")
    assert "gas" not in str((row.before, row.after, row.reason))
    assert row.actor == reader.pseudonym
