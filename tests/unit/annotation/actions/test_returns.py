"""An adjudicator asks the readers again, and takes decisions back."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.returns import UndoRefused, return_item, undo_decision
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.domain.edits import BadEdit
from annotation.models import Item, Revision
from annotation.queries.returned import open_question
from annotation.queries.standing import has_voted
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.fixture
def split(item, reviewer, reviewer_2):
    vote(item, reviewer, "keep")
    vote(item, reviewer_2, "drop")
    return item


def decision(item):
    return tuple(Item.objects.values_list("state", "keep", "keep_source").get(pk=item.pk))


def vote(item, by, verdict):
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=factories.current(item).number,
        verdict=verdict,
        reasons=[2] if verdict == "drop" else [],
        by=by,
    )


def give_back(item, by, question="Is the stone inside the ROI?"):
    number = factories.current(item).number
    return return_item(item_id=item.pk, version_number=number, question=question, by=by)


def last(verb):
    return Revision.objects.filter(verb=verb).first().pk


def asked(item):
    fresh = Item.objects.get(pk=item.pk)
    found = open_question(fresh, factories.current(item))
    return found and found.question


def test_a_returned_item_is_open_for_everybody_and_asks(split, reviewer, adjudicator):
    before = factories.current(split)

    version = give_back(split, adjudicator)

    assert decision(split) == ("todo", None, "")
    assert asked(split) == "Is the stone inside the ROI?"
    assert not has_voted(reviewer, split.pk)  # and so the evidence is sealed again
    assert version.number == 2
    assert version.digest == before.digest
    assert split.reviews.count() == 2


def test_a_return_sent_twice_is_one_return_and_another_one_is_stale(
    split, reviewer, adjudicator, maintainer
):
    made = give_back(split, adjudicator)
    same = {"item_id": split.pk, "version_number": 1, "question": asked(split), "by": adjudicator}
    vote(split, reviewer, "keep")

    assert return_item(**same).pk == made.pk
    assert split.versions.count() == 2
    assert Revision.objects.filter(verb="return_item").count() == 1
    for other in ({"question": "Another?"}, {"by": maintainer}):
        with pytest.raises(StaleVersion):
            return_item(**same | other)
    undo_decision(revision_id=last("return_item"), by=adjudicator)
    with pytest.raises(StaleVersion):
        return_item(**same)


def test_readers_who_agree_at_last_settle_it_and_the_question_closes(
    split, reviewer, reviewer_2, adjudicator
):
    give_back(split, adjudicator)
    vote(split, reviewer, "keep")
    vote(split, reviewer_2, "keep")

    assert decision(split) == ("kept", True, "votes")
    assert asked(split) is None


def test_an_edit_answers_the_question(split, reviewer, adjudicator):
    give_back(split, adjudicator)
    edit_item(
        item_id=split.pk, base_version=2, changes={"stem": "Why?"}, reason="clearer", by=reviewer
    )
    assert asked(split) is None


def test_a_cosmetic_edit_does_not(split, reviewer, adjudicator):
    give_back(split, adjudicator)
    edit_item(
        item_id=split.pk,
        base_version=2,
        changes={"stem": "Why?"},
        reason="",
        cosmetic=True,
        by=reviewer,
    )
    assert asked(split) == "Is the stone inside the ROI?"


@pytest.mark.parametrize("question", ["", "   ", "x" * 481, "a\x00b", "\ud800"])
def test_a_question_that_cannot_be_asked(split, adjudicator, question):
    with pytest.raises(BadEdit):
        give_back(split, adjudicator, question)
    assert decision(split)[0] == "disagreement"


def test_it_is_about_the_version_that_was_seen(split, adjudicator):
    give_back(split, adjudicator)
    with pytest.raises(StaleVersion):
        return_item(item_id=split.pk, version_number=1, question="Again?", by=adjudicator)


def test_reviewers_may_not(split, reviewer):
    with pytest.raises(PermissionDenied):
        give_back(split, reviewer)
    with pytest.raises(PermissionDenied):
        undo_decision(revision_id=1, by=reviewer)


def test_a_decision_is_taken_back(split, adjudicator):
    adjudicate(item_id=split.pk, version_number=1, keep=False, reason="hm", by=adjudicator)
    undo_decision(revision_id=last("adjudicate"), by=adjudicator)

    assert decision(split) == ("disagreement", None, "")


def test_votes_cast_meanwhile_count_when_it_is_taken_back(split, reviewer_2, adjudicator):
    adjudicate(item_id=split.pk, version_number=1, keep=False, by=adjudicator)
    vote(split, reviewer_2, "keep")
    undo_decision(revision_id=last("adjudicate"), by=adjudicator)

    assert decision(split) == ("kept", True, "votes")


def test_a_return_is_taken_back_and_the_old_votes_count_again(split, reviewer_2, adjudicator):
    give_back(split, adjudicator)
    undo_decision(revision_id=last("return_item"), by=adjudicator)

    assert decision(split) == ("disagreement", None, "")
    assert asked(split) is None
    vote(split, reviewer_2, "keep")
    assert decision(split) == ("kept", True, "votes")


@pytest.mark.parametrize("what", ["adjudicate", "return_item"])
def test_below_it_all_the_import_still_stands(item, reviewer, reviewer_2, adjudicator, what):
    factories.kept(item)
    Item.objects.filter(pk=item.pk).update(keep_source="import")
    votes = [vote(item, reviewer, "keep"), vote(item, reviewer_2, "drop")]
    if what == "adjudicate":
        adjudicate(item_id=item.pk, version_number=1, keep=False, by=adjudicator)
    else:
        give_back(item, adjudicator)
    votes.append(vote(item, reviewer_2, "drop"))
    undo_decision(revision_id=last(what), by=adjudicator)
    for one in votes:
        undo_vote(review_id=one.pk, by=one.reviewer)

    assert decision(item) == ("kept", True, "import")


def test_an_earlier_decision_stands_again(split, adjudicator):
    adjudicate(item_id=split.pk, version_number=1, keep=True, by=adjudicator)
    adjudicate(item_id=split.pk, version_number=1, keep=False, by=adjudicator)
    undo_decision(revision_id=last("adjudicate"), by=adjudicator)
    assert decision(split) == ("kept", True, "adjudicator")


def test_not_twice_and_not_after_a_change(split, reviewer, adjudicator):
    adjudicate(item_id=split.pk, version_number=1, keep=False, by=adjudicator)
    undo_decision(revision_id=last("adjudicate"), by=adjudicator)
    with pytest.raises(UndoRefused):
        undo_decision(revision_id=last("adjudicate"), by=adjudicator)
    adjudicate(item_id=split.pk, version_number=1, keep=False, by=adjudicator)
    edit_item(item_id=split.pk, base_version=1, changes={"stem": "Why?"}, reason="x", by=reviewer)
    with pytest.raises(UndoRefused):
        undo_decision(revision_id=last("adjudicate"), by=adjudicator)


def test_only_ones_own(split, adjudicator, maintainer):
    adjudicate(item_id=split.pk, version_number=1, keep=False, by=adjudicator)
    with pytest.raises(Revision.DoesNotExist):
        undo_decision(revision_id=last("adjudicate"), by=maintainer)
