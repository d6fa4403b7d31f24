"""Agreement from stored votes: whose votes, which votes, and in how many queries."""

from datetime import timedelta

import pytest
from sklearn.metrics import cohen_kappa_score

from annotation.actions.items import edit_item
from annotation.actions.returns import return_item
from annotation.actions.reviews import undo_vote
from annotation.models import Review
from annotation.queries import agreement as room
from annotation.queries.agreement import agreement, names_of
from tests import factories
from tests.unit.annotation.queries.voting import move_box, move_window, vote

pytestmark = pytest.mark.django_db

FIRST = ["keep", "keep", "drop", "drop", "unsure", "keep", "keep", "drop"]
SECOND = ["keep", "drop", "drop", "drop", "unsure", "keep", "drop", "keep"]


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.fixture
def items(bench):
    """Eight items on four sources."""
    videos = [factories.video(bench) for _ in range(4)]
    return [make(video) for video in videos for make in (factories.mcq_item, factories.free_item)]


def both_vote(items, one, other):
    for item, first, second in zip(items, FIRST, SECOND, strict=True):
        vote(item, one, first)
        vote(item, other, second)


def test_two_readers_have_kappa(bench, items, reviewer, reviewer_2):
    both_vote(items, reviewer, reviewer_2)
    found = agreement(bench)

    assert (found.symbol, found.readers, found.raw.n) == ("κ", 2, 8)
    assert found.raw.value == pytest.approx(5 / 8)
    assert found.figure.value == pytest.approx(cohen_kappa_score(FIRST, SECOND))
    assert found.figure.clusters == 4
    assert found.figure.low < found.figure.value < found.figure.high
    assert {row.type.code: row.figure.n for row in found.types} == {"T1": 4, "T2": 4}
    assert [row.kappa.value for row in found.pairs] == [found.figure.value]
    assert set(names_of(found).values()) == {"reviewer", "reviewer-2"}


def test_three_readers_have_alpha_and_three_pairs(bench, items, reviewer, reviewer_2, adjudicator):
    both_vote(items, reviewer, reviewer_2)
    vote(items[0], adjudicator, "keep")
    found = agreement(bench)

    assert (found.symbol, found.readers, found.raw.n) == ("α", 3, 8)
    assert sorted(row.raw.n for row in found.pairs) == [1, 1, 8]


def test_the_first_vote_counts_since_the_second_had_seen_the_evidence(
    bench, items, reviewer, reviewer_2
):
    vote(items[0], reviewer, "keep")
    vote(items[0], reviewer_2, "drop")
    vote(items[0], reviewer_2, "keep")

    assert agreement(bench).raw.value == 0


def test_votes_taken_back_or_about_an_older_text_do_not(bench, items, reviewer, reviewer_2):
    undo_vote(review_id=vote(items[0], reviewer, "drop").pk, by=reviewer)
    vote(items[0], reviewer, "keep")
    vote(items[0], reviewer_2, "keep")
    vote(items[1], reviewer, "keep")
    edit_item(
        item_id=items[1].pk, base_version=1, changes={"stem": "Why?"}, reason="x", by=reviewer
    )
    vote(items[1], reviewer_2, "drop")
    found = agreement(bench)

    assert (found.raw.n, found.raw.value) == (1, 1)


def test_nobody_to_compare_gives_no_figures(bench, items, reviewer):
    assert agreement(bench).raw.n == 0
    vote(items[0], reviewer, "keep")
    found = agreement(bench)
    assert (found.raw.n, found.figure.value, found.types, found.pairs) == (0, None, [], [])


def test_a_reader_against_himself_after_an_hour(bench, items, reviewer, reviewer_2, adjudicator):
    first = vote(items[0], reviewer, "keep")
    vote(items[0], reviewer_2, "drop")
    Review.objects.filter(pk=first.pk).update(created_at=first.created_at - timedelta(hours=2))
    return_item(item_id=items[0].pk, version_number=1, question="Sure?", by=adjudicator)
    vote(items[0], reviewer, "drop")
    vote(items[0], reviewer_2, "keep")  # minutes after his first: no repeat
    found = agreement(bench)

    assert (found.again.n, found.again.value) == (1, 0)


def test_windows_and_boxes_moved_by_two_readers(bench, items, reviewer, reviewer_2):
    move_window(items[0], reviewer, 5, 10)
    move_window(items[0], reviewer_2, 5, 15)
    move_window(items[1], reviewer, 5, 6)  # nobody else moved it
    move_box(items[2], reviewer, 0, 0, 0.5, 0.5)
    move_box(items[2], reviewer_2, 0, 0, 0.5, 1)
    found = agreement(bench)

    assert (found.windows.n, found.windows.value) == (1, pytest.approx(0.5))
    assert (found.boxes.n, found.boxes.value) == (1, pytest.approx(0.5))


def test_other_benchmarks_stay_out(bench, items, reviewer, reviewer_2):
    other = factories.mcq_item(factories.video(factories.benchmark()))
    vote(other, reviewer, "keep")
    vote(other, reviewer_2, "drop")

    assert agreement(bench).raw.n == 0


def test_three_queries_however_many_votes(
    bench, items, reviewer, reviewer_2, django_assert_num_queries
):
    for count in (1, 8):
        for item in items[:count]:
            vote(item, reviewer, "keep")
            vote(item, reviewer_2, "drop")
        with django_assert_num_queries(3):
            agreement(bench)


def test_a_large_report_is_kept_for_a_minute(
    bench, items, reviewer, reviewer_2, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(room, "EXACT_UP_TO", 1)
    monkeypatch.setattr(room, "MOST_VOTES", 3)
    both_vote(items, reviewer, reviewer_2)
    found = agreement(bench)

    assert found.partial
    assert found.raw.n == 1
    with django_assert_num_queries(0):
        assert agreement(bench) == found
