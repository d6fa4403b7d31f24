import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import IdTaken, StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.reviews import BadVote, cast_vote, undo_vote
from annotation.models import Item, Review, Revision
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


def vote(item, by, verdict="keep", **fields):
    defaults = {"review_id": uuid.uuid4(), "item_id": item.pk, "version_number": 1}
    if verdict == "drop":
        defaults["reasons"] = [3]
    return cast_vote(**defaults | {"verdict": verdict, "by": by} | fields)


def decision(item):
    return tuple(Item.objects.values_list("state", "keep", "keep_source").get(pk=item.pk))


def test_a_vote_settles_and_leaves_a_revision(item, reviewer):
    vote(item, reviewer)
    assert decision(item) == ("kept", True, "votes")
    revision = Revision.objects.get(verb="cast_vote")
    assert revision.actor == reviewer.pseudonym
    assert revision.before["keep"] is None and revision.after["keep"] is True


def test_sending_a_vote_twice_stores_it_once(item, reviewer):
    first = vote(item, reviewer)
    again = vote(item, reviewer, review_id=first.pk)
    assert again == first and Review.objects.count() == 1
    assert Revision.objects.count() == 1


def test_a_vote_sent_again_after_the_item_moved_on_is_still_the_same_vote(item, reviewer):
    first = vote(item, reviewer)
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="unclear", by=reviewer
    )
    assert vote(item, reviewer, review_id=first.pk) == first


def test_an_id_is_for_one_vote_of_one_reader(item, reviewer, reviewer_2):
    first = vote(item, reviewer)
    with pytest.raises(IdTaken):
        vote(item, reviewer_2, review_id=first.pk)
    with pytest.raises(IdTaken):
        vote(item, reviewer, "drop", review_id=first.pk)


def test_a_vote_on_an_old_version_is_stale(item, reviewer):
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="unclear", by=reviewer
    )
    with pytest.raises(StaleVersion) as caught:
        vote(item, reviewer)
    assert caught.value.base["version"] == 1
    assert caught.value.current["stem"] == "Why?"
    assert caught.value.yours["verdict"] == "keep"
    assert not Review.objects.exists()


def test_a_later_vote_stands_above_an_earlier_one(item, reviewer):
    vote(item, reviewer)
    vote(item, reviewer, "drop")
    assert decision(item) == ("dropped", False, "votes")
    assert Review.objects.count() == 2


def test_keep_against_drop_is_a_disagreement(item, reviewer, reviewer_2):
    vote(item, reviewer)
    vote(item, reviewer_2, "drop")
    assert decision(item) == ("disagreement", None, "")


def test_votes_required(reviewer, reviewer_2):
    item = factories.mcq_item(factories.video(factories.benchmark(votes_required=2)))
    vote(item, reviewer)
    assert decision(item) == ("todo", None, "")
    vote(item, reviewer_2)
    assert decision(item) == ("kept", True, "votes")


def test_a_skip_counts_for_nothing(item, reviewer):
    vote(item, reviewer, "skip")
    assert decision(item) == ("todo", None, "")
    vote(item, reviewer)
    vote(item, reviewer, "skip")
    assert decision(item) == ("kept", True, "votes")


def test_undo_is_a_compensating_change(item, reviewer, reviewer_2):
    vote(item, reviewer)
    second = vote(item, reviewer_2, "drop")
    undo_vote(review_id=second.pk, by=reviewer_2)
    assert decision(item) == ("kept", True, "votes")
    undo_vote(review_id=second.pk, by=reviewer_2)
    assert Review.objects.count() == 2
    assert Revision.objects.filter(verb="undo_vote").count() == 1


def test_undo_shows_the_vote_below(item, reviewer):
    vote(item, reviewer)
    second = vote(item, reviewer, "drop")
    undo_vote(review_id=second.pk, by=reviewer)
    assert decision(item) == ("kept", True, "votes")


def test_an_imported_decision_comes_back_when_the_votes_are_gone(item, reviewer):
    factories.kept(item)
    first = vote(item, reviewer, "drop")
    second = vote(item, reviewer, "drop", reasons=[1, 2])
    assert decision(item) == ("dropped", False, "votes")
    undo_vote(review_id=second.pk, by=reviewer)
    undo_vote(review_id=first.pk, by=reviewer)
    assert decision(item) == ("kept", True, "import")


def test_an_edit_ends_an_imported_decision_for_good(item, reviewer):
    factories.kept(item)
    edit_item(item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="new", by=reviewer)
    only = vote(item, reviewer, "drop", version_number=2)
    undo_vote(review_id=only.pk, by=reviewer)
    assert decision(item) == ("todo", None, "")


def test_nobody_undoes_the_vote_of_another(item, reviewer, reviewer_2):
    first = vote(item, reviewer)
    with pytest.raises(Review.DoesNotExist):
        undo_vote(review_id=first.pk, by=reviewer_2)


def test_an_outsider_may_not_vote(item, outsider):
    with pytest.raises(PermissionDenied):
        vote(item, outsider)


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"verdict": "perhaps"}, "verdict"),
        ({"verdict": "drop", "reasons": []}, "reasons"),
        ({"verdict": "drop", "reasons": [10]}, "reasons"),
        ({"verdict": "drop", "reasons": [2, 2]}, "reasons"),
        ({"verdict": "keep", "reasons": [2]}, "reasons"),
        ({"comment": "x" * 4_001}, "comment"),
        ({"comment": "\x00"}, "comment"),
        ({"active_seconds": -1.0}, "active_seconds"),
        ({"active_seconds": float("nan")}, "active_seconds"),
    ],
)
def test_a_bad_vote_is_named_by_field(item, reviewer, fields, wrong):
    with pytest.raises(BadVote) as caught:
        vote(item, reviewer, **fields)
    assert set(caught.value.errors) == {wrong}
