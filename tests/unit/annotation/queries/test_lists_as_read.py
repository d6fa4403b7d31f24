"""What lists, counts and searches say is what reading all rows says: the reference is plain
Python over all items and votes, the filters are drawn by chance."""

import random

import pytest
from django.db.models import F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.actions.items import edit_item
from annotation.actions.returns import return_item, undo_decision
from annotation.actions.roi_undo import undo_change_roi
from annotation.actions.trail import IMPORT
from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.importer import import_benchmark
from annotation.models import Item, Review, Revision
from annotation.queries import find as finding
from annotation.queries import narrow
from annotation.queries.order import neighbours, next_open
from annotation.queries.own_progress import done_by_video
from annotation.queries.queue import SHOWS, Filter, queue
from tests import factories, layout
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db
WORDS = ("aorta", "cyst", "probe")
DRAWN = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def bench(reviewer, reviewer_2, adjudicator):
    """24 items in 6 videos whose order is not that of their making; voted on, edited, split."""
    bench = factories.benchmark()
    chance = random.Random(7)
    places = [4, 0, 5, 2, 1, 3]
    videos = [
        factories.video(bench, position=place, category="Abdomen" if place % 2 else "Vascular")
        for place in places
    ]
    for number in range(24):
        start = float(chance.randrange(4))
        words = " ".join(word for word in WORDS if chance.random() < 0.5)
        make = factories.free_item if number % 3 == 0 else factories.mcq_item
        make(
            videos[number % 6],
            stem=f"What of {words} {number}?",
            window=(start, start + 1 + number % 5),
            position=10 * places[number % 6] + number // 6,
        )
    items = list(bench.items.order_by("pk"))
    for number, item in enumerate(items):
        if number % 2:
            vote(item, reviewer, ("keep", "drop", "unsure")[number % 3])
        if number % 4 == 1:
            vote(item, reviewer_2, "drop")
        if number % 8 == 3:
            vote(item, reviewer, "keep")  # a changed mind
        if number % 8 == 5:
            text = f"{item.text} Now?"
            cosmetic = number % 16 == 5
            edit_item(
                item_id=item.pk, base_version=1, changes={"stem": text}, reason="x",
                cosmetic=cosmetic, by=adjudicator,
            )  # fmt: skip
    return bench


def own_states(bench, reader) -> dict[int, str]:
    """The state of each item in a reader's eyes, from all votes."""
    found = {}
    for item in bench.items.select_related("current"):
        votes = [
            one
            for one in Review.objects.filter(item=item, reviewer=reader, undone_at=None)
            if one.verdict != "skip"
        ]
        last = max(votes, key=lambda one: (one.created_at, one.pk), default=None)
        if last is None:
            found[item.pk] = "todo"
        elif last.item_version.number < item.current.votes_since:
            found[item.pk] = "stale"
        elif item.state == "disagreement":
            found[item.pk] = "disagreement"
        else:
            found[item.pk] = {"keep": "kept", "drop": "dropped"}.get(last.verdict, last.verdict)
    return found


def in_order(bench):
    items = bench.items.select_related("video", "current")
    return sorted(items, key=lambda one: (one.video.position, one.start, one.position))


def is_shown(show: str, state: str) -> bool:
    if show == "todo":
        return state in ("todo", "stale")
    return show == "all" or state == {"disagree": "disagreement"}.get(show, show)


def test_the_queue_is_what_reading_all_rows_says(bench, reviewer, monkeypatch):
    states = own_states(bench, reviewer)
    order = in_order(bench)
    assert {"todo", "stale", "disagreement", "kept"} <= set(states.values())

    @DRAWN
    @given(
        show=st.sampled_from(SHOWS),
        words=st.sets(st.sampled_from(("aor", "cyst", "probe", "x")), max_size=2),
        place=st.integers(0, len(order) - 1),
        walked=st.sampled_from((0, 1, 2, 7, 100)),
        listed=st.sampled_from((1, 3, 100)),
        gathered=st.sampled_from((0, 3, 1000)),
    )
    def drawn(show, words, place, walked, listed, gathered):
        monkeypatch.setattr(narrow, "GATHERED", gathered)
        monkeypatch.setattr(narrow, "WALKED", max(walked, 1))
        monkeypatch.setattr(narrow, "LISTED", listed)
        monkeypatch.setattr("annotation.queries.order.LISTED", listed)
        monkeypatch.setattr(narrow, "is_common", lambda _rows: walked > 0)
        wanted, item = Filter(show, " ".join(words)), order[place]
        among = [
            one
            for one in order
            if is_shown(show, states[one.pk])
            and all(any(w.startswith(word) for w in one.text.lower().split()) for word in words)
        ]
        before = [one.pk for one in among if order.index(one) < place]
        after = [one.pk for one in among if order.index(one) > place]
        votes_listed = show in ("disagree", "stale")
        open_ones = [pk for pk in after + before if votes_listed or states[pk] in ("todo", "stale")]
        found = neighbours(reviewer, bench, item, wanted)
        assert found.previous == (before[-1] if before else None)
        assert found.next == (after[0] if after else None)
        assert found.open == (open_ones[0] if open_ones else None)
        if wanted.is_narrow:
            shown = queue(reviewer, bench, item, wanted, found.found).groups
            ids = [entry.id for group in shown for entry in group.entries]
            assert ids == [one.pk for one in among][:listed]
            assert all(entry.state == states[entry.id] for g in shown for entry in g.entries)
        firsts = [one.pk for one in among if votes_listed or states[one.pk] in ("todo", "stale")]
        assert next_open(reviewer, bench, wanted=wanted) == (firsts[0] if firsts else None)

    drawn()


def test_counts_are_what_reading_all_rows_says(bench, reviewer):
    states = own_states(bench, reviewer)
    counted = queue(reviewer, bench, in_order(bench)[0], Filter()).counts
    told = {show: sum(is_shown(show, state) for state in states.values()) for show in SHOWS}
    assert counted == told
    ids = list(bench.videos.values_list("pk", flat=True))
    done = done_by_video(reviewer, bench, ids)
    for video in bench.videos.all():
        items = video.items.values_list("pk", flat=True)
        assert done.get(video.pk, 0) == sum(states[pk] not in ("todo", "stale") for pk in items)


def test_a_search_is_what_reading_all_rows_says(bench, reviewer, adjudicator, monkeypatch):
    every = sorted(in_order(bench), key=lambda one: one.position)
    seen = {user: own_states(bench, user) for user in (reviewer, adjudicator)}
    dropped = {
        one.item_id
        for one in Review.objects.filter(verdict="drop", reasons=[2])
        if own_states(bench, one.reviewer)[one.item_id] in ("dropped", "disagreement")
    }
    monkeypatch.setattr(finding, "A_PAGE", 4)
    maybe = st.none

    @DRAWN
    @given(
        user=st.sampled_from((reviewer, adjudicator)),
        dense=st.booleans(),
        exact=st.sampled_from((2, 100)),
        wanted=st.fixed_dictionaries(
            {
                "q": st.sampled_from(("", "", "aorta", "cyst pro")),
                "kind": st.sampled_from(("", "", "mcq", "free")),
                "category": st.sampled_from(("", "", "Abdomen", "Vascular")),
                "state": st.sampled_from(("", "", *set(seen[reviewer].values()))),
                "settled": st.sampled_from(("", "", "kept", "dropped", "disagreement")),
                "reason": st.sampled_from(("", "", "2")),
                "least": maybe() | st.sampled_from((2.0, 4.0)),
            }
        ),
    )
    def drawn(user, dense, exact, wanted):
        monkeypatch.setattr(finding, "DENSE", -1 if dense else 10**9)
        monkeypatch.setattr(finding, "EXACT", exact)
        monkeypatch.setattr(finding, "WALK", 5)
        texts = wanted["q"].split()
        told = [
            one.pk
            for one in every
            if all(any(w.startswith(t) for w in one.text.lower().split()) for t in texts)
            and wanted["kind"] in ("", one.kind)
            and wanted["category"] in ("", one.video.category)
            and (not wanted["state"] or is_shown(wanted["state"], seen[user][one.pk]))
            and wanted["settled"] in ("", one.state)
            and (not wanted["reason"] or one.pk in dropped)
            and (user is adjudicator or not wanted["reason"] or voted(seen[user][one.pk]))
            and one.end - one.start >= (wanted["least"] or 0)
        ]
        ids, cursor = [], ""
        for _ in range(30):
            page = finding.find(user, bench, {**wanted, "after": cursor})
            ids += [row.item.pk for row in page.rows]
            assert page.count in (None, len(told))
            cursor = page.next
            if not cursor:
                break
        assert ids == told

    def voted(state: str) -> bool:
        return state not in ("todo", "stale")

    drawn()


def test_what_is_repeated_beside_rows_follows_every_change(tmp_path, adjudicator, reviewer):
    layout.benchmark(tmp_path)
    import_benchmark(tmp_path, slug="b", by=IMPORT)
    item = Item.objects.get(key="mcq/V_0_Kidney/0")
    vote(item, reviewer, "keep")

    def repeated() -> None:
        assert not Item.objects.exclude(votes_since=F("current__votes_since")).exists()
        assert not Item.objects.exclude(video_position=F("video__position")).exists()
        assert not Review.objects.exclude(version_number=F("item_version__number")).exists()
        assert not Review.objects.exclude(benchmark=F("item__benchmark")).exists()

    def number() -> int:
        return factories.current(Item.objects.get(pk=item.pk)).number

    def edit(text: str, *, cosmetic: bool) -> None:
        edit_item(
            item_id=item.pk, base_version=number(), changes={"stem": text}, reason="x",
            cosmetic=cosmetic, by=adjudicator,
        )  # fmt: skip

    edit("Which step is it?", cosmetic=True)
    repeated()
    assert Item.objects.get(pk=item.pk).votes_since == 1
    edit("Which step is shown?", cosmetic=False)
    repeated()
    assert Item.objects.get(pk=item.pk).votes_since == 3
    box = Roi(0.1, 0.1, 0.5, 0.5)
    version = item.video.version
    moved = change_roi(
        video_id=item.video_id, base_version=version, roi=box, reason="x", by=adjudicator
    )
    repeated()
    assert Item.objects.filter(video=item.video, votes_since__gt=1).count() > 1
    assert moved is not None
    item.video.refresh_from_db()
    undo_change_roi(video_id=item.video_id, base_version=item.video.version, by=adjudicator)
    repeated()
    return_item(item_id=item.pk, version_number=number(), question="Why?", by=adjudicator)
    repeated()
    undo_decision(revision_id=Revision.objects.latest("pk").pk, by=adjudicator)
    repeated()
    file = tmp_path / "benchmark_questions/mcq/V_0_Kidney.json"
    layout.change(file, 1, question=layout.question("What now?", mark="A) "))
    import_benchmark(tmp_path, slug="b", by=IMPORT)
    repeated()
