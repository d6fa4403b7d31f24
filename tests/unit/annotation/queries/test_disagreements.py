"""The adjudicator's list: what is on it, in which order, and what can be taken back."""

from datetime import timedelta

import pytest

from annotation.actions.decisions import adjudicate
from annotation.actions.returns import return_item, undo_decision
from annotation.models import Item, Review, Revision
from annotation.queries.disagreements import candidates, disputes, page_of
from annotation.queries.last_decision import last_decision
from tests import factories
from tests.unit.annotation.queries.voting import move_box, move_window, vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.benchmark(votes_required=2)


@pytest.fixture
def items(bench):
    video = factories.video(bench)
    return [factories.mcq_item(video, window=(5, 15)) for _ in range(6)]


def listed(bench):
    return [(one.item_id, one.why) for one in candidates(bench)]


def split(item, one, other):
    vote(item, one, "keep")
    vote(item, other, "drop", reasons=[4, 5], comment="The probe hides it.")


def test_the_worst_stands_first(bench, items, reviewer, reviewer_2):
    vote(items[0], reviewer, "unsure")
    move_window(items[1], reviewer, 5, 10)
    move_window(items[1], reviewer_2, 9, 15)
    split(items[2], reviewer, reviewer_2)
    split(items[3], reviewer, reviewer_2)
    earlier = Review.objects.filter(item=items[3])
    earlier.update(created_at=earlier.first().created_at - timedelta(days=9))
    move_box(items[4], reviewer, 0, 0, 1, 0.5)
    move_box(items[4], reviewer_2, 0, 0, 1, 0.6)

    assert listed(bench) == [
        (items[3].pk, "split"),
        (items[2].pk, "split"),
        (items[1].pk, "moved"),
        (items[4].pk, "moved"),
        (items[0].pk, "unsure"),
    ]


def test_a_split_vote_over_a_moved_window_is_worse_than_a_split_vote(
    bench, items, reviewer, reviewer_2
):
    split(items[0], reviewer, reviewer_2)
    move_window(items[1], reviewer, 5, 10)
    move_window(items[1], reviewer_2, 9, 15)
    split(items[1], reviewer, reviewer_2)

    assert listed(bench) == [(items[1].pk, "split"), (items[0].pk, "split")]


def test_hardly_moved_is_no_disagreement(bench, items, reviewer, reviewer_2):
    move_window(items[0], reviewer, 5, 14.8)
    move_window(items[0], reviewer_2, 5, 14.9)
    assert listed(bench) == []


def test_what_is_decided_or_returned_leaves_the_list(
    bench, items, reviewer, reviewer_2, adjudicator
):
    split(items[0], reviewer, reviewer_2)
    move_window(items[1], reviewer, 5, 10)
    move_window(items[1], reviewer_2, 9, 15)
    adjudicate(item_id=items[1].pk, version_number=3, keep=True, by=adjudicator)
    move_window(items[2], reviewer, 5, 10)
    move_window(items[2], reviewer_2, 9, 15)
    return_item(item_id=items[2].pk, version_number=3, question="Where?", by=adjudicator)
    assert listed(bench) == [(items[0].pk, "split")]

    return_item(item_id=items[0].pk, version_number=1, question="Where?", by=adjudicator)
    assert listed(bench) == []
    vote(items[2], reviewer, "unsure")
    assert listed(bench) == [(items[2].pk, "unsure")]


def test_both_votes_side_by_side_with_reasons_and_comments(
    bench, items, reviewer, reviewer_2, adjudicator
):
    split(items[0], reviewer, reviewer_2)
    return_item(item_id=items[0].pk, version_number=1, question="Where?", by=adjudicator)
    split(items[0], reviewer, reviewer_2)

    (one,) = disputes(candidates(bench))
    assert [(vote.who, vote.look.word) for vote in one.votes] == [
        ("reviewer", "Kept"),
        ("reviewer-2", "Dropped"),
    ]
    assert one.votes[1].reasons == ("Not visible in ROI", "Wrong time window")
    assert one.votes[1].comment == "The probe hides it."
    assert [revision.reason for revision in one.asked] == ["Where?"]
    assert one.reason_line == "Not visible in ROI, and 1 more"
    assert "Slide cranially." in one.answer


def test_a_changed_mind_is_shown_as_it_stands(bench, items, reviewer, reviewer_2):
    split(items[0], reviewer, reviewer_2)
    vote(items[0], reviewer, "drop")
    assert listed(bench) == []


def test_windows_and_boxes_are_named(bench, items, reviewer, reviewer_2):
    move_window(items[0], reviewer, 5, 10)
    move_window(items[0], reviewer_2, 9, 15)
    move_box(items[0], reviewer, 0, 0, 0.5, 0.5)

    (one,) = disputes(candidates(bench))
    assert [(own.who, own.text) for own in one.windows] == [
        ("reviewer", "0:05.00 to 0:10.00"),
        ("reviewer-2", "0:09.00 to 0:15.00"),
    ]
    assert one.boxes == []
    assert one.candidate.time_iou == pytest.approx(0.1)


def test_as_many_queries_for_one_as_for_many(
    bench, items, reviewer, reviewer_2, django_assert_max_num_queries
):
    for count in (1, len(items)):
        for item in items[:count]:
            move_window(item, reviewer, 5, 10)
            move_window(item, reviewer_2, 9, 15)
            split(item, reviewer, reviewer_2)
        with django_assert_max_num_queries(8):
            assert len(disputes(list(page_of(candidates(bench), "").object_list))) == count


@pytest.mark.parametrize("page", ["", "0", "-3", "999999", "two", "1\x00"])
def test_any_page_number_gives_a_page(bench, items, reviewer, page):
    vote(items[0], reviewer, "unsure")
    assert len(page_of(candidates(bench), page).object_list) == 1


def test_decisions_are_taken_back_one_after_the_other(
    bench, items, reviewer, reviewer_2, adjudicator, maintainer
):
    assert last_decision(adjudicator, bench) is None
    split(items[0], reviewer, reviewer_2)
    split(items[1], reviewer, reviewer_2)
    adjudicate(item_id=items[0].pk, version_number=1, keep=True, by=adjudicator)
    return_item(item_id=items[1].pk, version_number=1, question="Where?", by=adjudicator)

    done = []
    while last := last_decision(adjudicator, bench):
        done.append(last.did)
        undo_decision(revision_id=last.revision_id, by=adjudicator)
    assert done == ["Returned", "Kept"]
    assert {row.state for row in Item.objects.filter(pk__in=[items[0].pk, items[1].pk])} == {
        "disagreement"
    }
    assert last_decision(maintainer, bench) is None
    assert Revision.objects.filter(verb="undo_decision").count() == 2
