"""What changed between releases, why and by whom."""

import pytest

from annotation.actions.items import edit_item
from annotation.actions.releases import make_release
from annotation.actions.returns import return_item
from annotation.models import Item
from annotation.queries.release_diff import Side, counts, diff
from annotation.queries.releases import draft
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.fixture
def items(bench):
    video = factories.video(bench)
    return [factories.kept(factories.mcq_item(video), keep=place < 4) for place in range(5)]


@pytest.fixture
def two(bench, items, reviewer, adjudicator):
    """Releases a and b; between them one item in, one out, one reworded."""
    old = make_release(benchmark=bench, tag="a", by=adjudicator)
    vote(items[4], reviewer, "keep")
    vote(items[0], reviewer, "drop", reasons=[3, 5])
    edit_item(
        item_id=items[1].pk,
        base_version=1,
        changes={"stem": "Why is the probe turned?", "end": 14.0},
        reason="clearer",
        by=reviewer,
    )
    vote(items[1], reviewer, "keep")
    new = make_release(benchmark=bench, tag="b", by=adjudicator)
    return Side(bench, old), Side(bench, new)


def shown(two, show):
    return diff(*two, show=show).rows


def test_items_in_out_and_changed(two, items):
    assert counts(*two) == {"in": 1, "out": 1, "changed": 1}
    assert [row.item.pk for row in shown(two, "in")] == [items[4].pk]
    assert [row.item.pk for row in shown(two, "out")] == [items[0].pk]
    (row,) = shown(two, "changed")
    assert row.item.pk == items[1].pk
    assert [change.label for change in row.changes] == ["stem", "window end"]
    assert (row.changes[1].before, row.changes[1].after) == ("0:15.00", "0:14.00")


def test_who_and_why_under_pseudonyms(two, reviewer):
    (row,) = shown(two, "out")
    (step,) = row.steps
    assert (step.who, step.did) == (f"account {reviewer.pseudonym[:8]}", "vote: drop")
    assert step.why == "Ambiguous, Wrong time window"
    (row,) = shown(two, "changed")
    assert [(step.did, step.why) for step in row.steps] == [
        ("edited", "clearer"),
        ("vote: keep", ""),
    ]


def test_what_came_later_is_not_told(two, items, reviewer):
    vote(items[0], reviewer, "keep")
    (row,) = shown(two, "out")
    assert len(row.steps) == 1


def test_the_other_way_round_and_against_itself(two):
    old, new = two
    assert counts(new, old) == {"in": 1, "out": 1, "changed": 1}
    assert counts(old, old) == {"in": 0, "out": 0, "changed": 0}


def test_the_benchmark_as_it_stands(bench, two, items, reviewer):
    assert draft(bench).total == 0
    vote(items[2], reviewer, "drop")
    found = draft(bench)
    assert (found.total, found.changes["out"]) == (1, 1)
    assert found.since == two[1].release


def test_an_item_asked_again_in_the_same_words_is_unchanged(
    bench, two, items, reviewer, adjudicator
):
    return_item(item_id=items[2].pk, version_number=1, question="Sure?", by=adjudicator)
    vote(items[2], reviewer, "keep")
    assert draft(bench).total == 0


@pytest.mark.parametrize(("show", "chosen"), [("", "in"), ("changed", "changed"), ("<x>", "in")])
def test_an_unknown_kind_shows_the_first_that_has_rows(two, show, chosen):
    assert diff(*two, show=show).show == chosen


def test_pages(bench, adjudicator, django_assert_max_num_queries):
    video = factories.video(bench)
    for _ in range(60):
        factories.kept(factories.mcq_item(video))
    old = Side(bench, make_release(benchmark=bench, tag="a", by=adjudicator))
    Item.objects.update(keep=False, state="dropped", keep_source="import")
    with django_assert_max_num_queries(8):
        found = diff(old, Side(bench, None), show="out", page="3")
    assert (len(found.rows), found.page.number, found.counts["out"]) == (10, 3, 60)
