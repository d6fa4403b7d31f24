"""What is done to many items at once: counted, applied once each, taken back as one."""

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from annotation.actions import bulk_work
from annotation.actions.bulk import BadBulk, apply_bulk, ask_bulk, undo_bulk
from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.rounds import make_round
from annotation.models import BulkAction, Item, Revision, Round, Turn
from annotation.queries.bulk import last_bulk, newest_revision
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    bench = factories.benchmark()
    for category in ("Vascular", "Abdomen"):
        video = factories.video(bench, category=category)
        for _ in range(3):
            factories.mcq_item(video)
    return bench


@pytest.fixture
def items(bench):
    return list(bench.items.order_by("pk"))


@pytest.fixture
def ask(bench, items, adjudicator):
    def make(kind, *, words="Duplicates.", picked=None, **more):
        more.setdefault("seen", newest_revision())
        ids = [item.pk for item in (items if picked is None else picked)]
        return ask_bulk(benchmark=bench, kind=kind, words=words, picked=ids, by=adjudicator, **more)

    return make


def done(bulk, by):
    """Apply a counted action, and return it as it is then."""
    apply_bulk(bulk_id=bulk.pk, by=by)
    bulk_work.advance(bulk.pk)
    return BulkAction.objects.get(pk=bulk.pk)


def undone(bulk, by):
    undo_bulk(bulk_id=bulk.pk, by=by)
    bulk_work.advance(bulk.pk)
    return BulkAction.objects.get(pk=bulk.pk)


def states(bench):
    return list(bench.items.order_by("pk").values_list("state", "keep", "keep_source"))


def test_drop_with_a_reason_and_take_it_back(bench, items, ask, adjudicator, reviewer):
    factories.kept(items[0])
    factories.kept(items[1], keep=False)
    vote(items[2], reviewer, "keep")
    before = states(bench)

    bulk = ask("drop")
    assert (bulk.state, bulk.tally) == ("ready", {"waiting": 5, "same": 1})
    assert states(bench) == before  # counting changes nothing
    bulk = done(bulk, adjudicator)
    assert (bulk.state, bulk.tally) == ("done", {"done": 5, "same": 1})
    assert {state for state, _, _ in states(bench)} == {"dropped"}
    made = Revision.objects.filter(verb="adjudicate", actor=adjudicator.pseudonym)
    assert set(made.values_list("reason", flat=True)) == {"Duplicates."}
    assert made.count() == 5

    vote(items[3], reviewer, "keep")  # counts once the drop is taken back
    bulk = undone(bulk, adjudicator)
    assert (bulk.state, bulk.tally) == ("undone", {"undone": 5, "same": 1})
    assert states(bench)[:3] == before[:3]
    assert states(bench)[3] == ("kept", True, "votes")
    assert Revision.objects.filter(target_kind="bulk").count() == 2
    with pytest.raises(BadBulk):
        undo_bulk(bulk_id=bulk.pk, by=adjudicator)


def test_what_changed_since_the_list_was_read_is_left_and_named(
    bench, items, ask, adjudicator, reviewer, maintainer
):
    seen = newest_revision()
    vote(items[0], reviewer, "keep")  # settles: somebody decided meanwhile
    edit_item(
        item_id=items[1].pk, base_version=1, changes={"stem": "Other?"}, reason="x", by=reviewer
    )
    bulk = ask("drop", seen=seen)
    assert bulk.tally == {"waiting": 4, "changed": 2}

    adjudicate(item_id=items[2].pk, version_number=1, keep=True, reason="x", by=maintainer)
    bulk = done(bulk, adjudicator)
    assert bulk.tally == {"done": 3, "changed": 3}
    assert [row[0] for row in states(bench)] == ["kept", "todo", "kept", *["dropped"] * 3]


def test_items_touched_since_stay_when_it_is_taken_back(bench, items, ask, adjudicator, maintainer):
    bulk = done(ask("drop"), adjudicator)
    adjudicate(item_id=items[0].pk, version_number=1, keep=True, reason="No.", by=maintainer)

    assert undone(bulk, maintainer).tally == {"undone": 5, "touched": 1}
    assert [row[0] for row in states(bench)] == ["kept", *["todo"] * 5]


def test_open_again_asks_the_readers(bench, items, ask, adjudicator, reviewer):
    vote(items[0], reviewer, "drop")
    bulk = done(ask("reopen", words="Which phase?", picked=items[:2]), adjudicator)

    assert bulk.tally == {"done": 1, "same": 1}
    assert states(bench)[0] == ("todo", None, "")
    assert "Which phase?" in factories.current(items[0]).reason
    undone(bulk, adjudicator)
    assert states(bench)[0] == ("dropped", False, "votes")


def test_a_category_is_that_of_the_videos(bench, items, ask, adjudicator):
    bulk = ask("category", value="Abdomen", picked=[items[0], items[1], items[3]])
    assert bulk.tally == {"waiting": 1, "same": 1, "items": 6}
    bulk = done(bulk, adjudicator)
    assert bulk.tally == {"done": 1, "same": 1, "items": 6}
    assert set(bench.videos.values_list("category", flat=True)) == {"Abdomen"}
    assert Revision.objects.get(verb="set_category").before == {"category": "Vascular"}

    undone(bulk, adjudicator)
    assert set(bench.videos.values_list("category", flat=True)) == {"Vascular", "Abdomen"}


def test_a_type_leaves_votes_and_decisions(bench, items, ask, adjudicator, reviewer):
    vote(items[0], reviewer, "keep")
    bulk = done(ask("type", value="Type9_New", picked=items[:2]), adjudicator)

    assert bulk.tally == {"done": 2}
    assert states(bench)[0] == ("kept", True, "votes")
    assert factories.current(items[0]).question_type == "Type9_New"
    undone(bulk, adjudicator)
    assert Item.objects.get(pk=items[0].pk).question_type == items[0].question_type
    assert states(bench)[0] == ("kept", True, "votes")


def test_given_to_readers_of_a_round_and_taken_back(bench, items, ask, adjudicator, reviewer):
    round_ = make_round(benchmark=bench, settings={"name": "First"}, by=adjudicator)
    more = {"value": str(round_.pk), "readers": [reviewer.pk]}
    bulk = ask("assign", **more)
    assert bulk.tally == {"waiting": 6}
    assert done(bulk, adjudicator).tally == {"done": 6}
    assert Turn.objects.filter(reader=reviewer, is_named=True).count() == 6
    undone(bulk, adjudicator)
    assert not Turn.objects.exists()
    other = Round.objects.create(benchmark=factories.benchmark(), name="Other")
    for value, readers in (
        ("", [reviewer.pk]),
        (str(other.pk), [reviewer.pk]),
        (str(round_.pk), []),
        (str(round_.pk), [10**9]),
        ("x", [reviewer.pk]),
    ):
        with pytest.raises(BadBulk):
            ask("assign", value=value, readers=readers)


def test_all_that_a_search_finds(bench, items, adjudicator):
    wanted = {"category": "Vascular", "kind": "mcq"}
    bulk = ask_bulk(
        benchmark=bench,
        kind="drop",
        words="x",
        seen=newest_revision(),
        query="category=Vascular",
        wanted=wanted,
        by=adjudicator,
    )
    assert bulk.state == "preparing"
    bulk_work.advance(bulk.pk)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.tally) == ("ready", {"waiting": 3})
    done(bulk, adjudicator)
    assert [row[0] for row in states(bench)] == ["dropped"] * 3 + ["todo"] * 3


def test_a_worker_goes_on_where_another_one_died(bench, ask, adjudicator, monkeypatch):
    monkeypatch.setattr(bulk_work, "BATCH", 2)
    bulk = ask("drop")
    apply_bulk(bulk_id=bulk.pk, by=adjudicator)
    calls = []

    def dies(*args, **more):
        calls.append(args)
        if len(calls) == 4:
            raise ConnectionError
        return apply_to(*args, **more)

    apply_to = bulk_work.apply_to
    monkeypatch.setattr(bulk_work, "apply_to", dies)
    with pytest.raises(ConnectionError):
        bulk_work.advance(bulk.pk)
    monkeypatch.setattr(bulk_work, "apply_to", apply_to)
    bulk_work.advance(bulk.pk)  # still held by the dead one
    assert Revision.objects.filter(verb="adjudicate").count() == 2
    BulkAction.objects.update(held_until=timezone.now())
    bulk_work.advance_waiting()
    bulk.refresh_from_db()
    assert (bulk.state, bulk.tally) == ("done", {"done": 6})
    assert Revision.objects.filter(verb="adjudicate").count() == 6  # each once


def test_whose_right_was_taken_away_goes_no_further(bench, ask, adjudicator):
    bulk = ask("drop")
    apply_bulk(bulk_id=bulk.pk, by=adjudicator)
    adjudicator.role = "reviewer"
    adjudicator.save()
    bulk_work.advance(bulk.pk)
    bulk.refresh_from_db()
    assert (bulk.state, bulk.tally) == ("failed", {"waiting": 6})
    assert "permission" in bulk.error


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("drop", {"words": " "}),
        ("drop", {"words": "x" * 481}),
        ("drop", {"words": "a\x00b"}),
        ("explode", {}),
        ("category", {"value": " "}),
        ("type", {"value": "x" * 65}),
        ("drop", {"picked": []}),
    ],
)
def test_what_cannot_be_asked(ask, kind, more):
    with pytest.raises(BadBulk):
        ask(kind, **more)
    assert not BulkAction.objects.exists()


def test_items_of_another_benchmark_are_none_of_it(bench, ask, adjudicator):
    other = factories.mcq_item(factories.video(factories.benchmark()))
    with pytest.raises(BadBulk):
        ask("drop", picked=[other])


def test_only_who_asked_applies_and_only_adjudicators_do(ask, adjudicator, maintainer, reviewer):
    bulk = ask("drop")
    with pytest.raises(BulkAction.DoesNotExist):
        apply_bulk(bulk_id=bulk.pk, by=maintainer)
    for act in (apply_bulk, undo_bulk):
        with pytest.raises(PermissionDenied):
            act(bulk_id=bulk.pk, by=reviewer)
    with pytest.raises(BadBulk):
        undo_bulk(bulk_id=bulk.pk, by=adjudicator)  # nothing was applied


def test_the_last_one_is_one_key_away(bench, ask, adjudicator, maintainer):
    assert last_bulk(adjudicator, bench) is None
    bulk = ask("keep")
    assert last_bulk(adjudicator, bench) is None
    done(bulk, adjudicator)
    assert last_bulk(adjudicator, bench).did == "Kept: 6 items"
    assert last_bulk(maintainer, bench) is None
    undone(bulk, adjudicator)
    assert last_bulk(adjudicator, bench) is None


def test_old_counts_are_forgotten(ask):
    bulk = ask("drop")
    bulk_work.advance_waiting()
    assert BulkAction.objects.filter(pk=bulk.pk).exists()
    BulkAction.objects.update(made_at=timezone.now() - bulk_work.KEPT * 2)
    bulk_work.advance_waiting()
    assert not BulkAction.objects.exists()


def test_an_item_that_is_to_be_answered_first_stops_no_other(
    bench, items, ask, adjudicator, maintainer
):
    factories.review_round(bench, items[:1], [adjudicator], mode="answer")
    factories.review_round(bench, items[1:2], [maintainer], mode="answer")
    bulk = done(ask("type", value="Type2_ArtifactResolution"), adjudicator)
    assert (bulk.state, bulk.tally) == ("done", {"done": 5, "refused": 1})
    assert "Answer this item first" in bulk.targets.get(outcome="refused").note

    bulk = undone(bulk, maintainer)
    assert (bulk.state, bulk.tally) == ("undone", {"undone": 4, "refused": 1, "touched": 1})
    assert "Answer this item first" in bulk.targets.get(outcome="touched").note
