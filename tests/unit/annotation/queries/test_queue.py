import uuid

import pytest

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Item
from annotation.queries import narrow
from annotation.queries.order import neighbours, next_open
from annotation.queries.queue import Filter, queue
from annotation.queries.standing import own_votes
from tests import factories

pytestmark = pytest.mark.django_db
ALL = Filter()


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.fixture
def items(bench):
    """Two videos; in the first, time runs another way than the files do."""
    first, second = factories.video(bench), factories.video(bench)
    late = factories.mcq_item(first, window=(30.0, 40.0), stem="Late?")
    early = factories.free_item(first, window=(1.0, 4.0), stem="Early?")
    other = factories.mcq_item(second, window=(2.0, 3.0), stem="Other?")
    return early, late, other


def vote(item, by, verdict="keep"):
    cast_vote(review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict=verdict, by=by)


def test_a_video_is_listed_as_time_runs(bench, items, reviewer):
    early, late, _ = items
    listed = queue(reviewer, bench, early, ALL)
    assert [entry.id for entry in listed.groups[0].entries] == [early.pk, late.pk]
    assert listed.groups[1].entries is None, "comes when its group is opened"
    assert [group.total for group in listed.groups] == [2, 1]


def test_from_item_to_item(bench, items, reviewer):
    early, late, other = items
    found = neighbours(reviewer, bench, late, ALL)
    assert (found.previous, found.next) == (early.pk, other.pk)
    assert neighbours(reviewer, bench, early, ALL).previous is None
    assert neighbours(reviewer, bench, other, ALL).next is None
    assert neighbours(reviewer, bench, other, ALL).previous == late.pk


def test_the_next_open_item_comes_round_to_what_was_passed_over(bench, items, reviewer):
    early, late, other = items
    assert next_open(reviewer, bench) == early.pk
    vote(late, reviewer)
    assert neighbours(reviewer, bench, early, ALL).open == other.pk
    vote(other, reviewer, "unsure")
    assert neighbours(reviewer, bench, other, ALL).open == early.pk
    vote(early, reviewer)
    assert next_open(reviewer, bench) is None


def test_a_skipped_item_stays_open(bench, items, reviewer):
    early, late, _ = items
    vote(early, reviewer, "skip")
    assert next_open(reviewer, bench) == early.pk
    assert neighbours(reviewer, bench, early, ALL).open == late.pk


def test_counts_are_of_this_reader(bench, items, reviewer, reviewer_2):
    early, late, other = items
    vote(early, reviewer)
    vote(late, reviewer)
    vote(other, reviewer_2)
    edit_item(
        item_id=late.pk, base_version=1, changes={"stem": "New?"}, reason="new", by=reviewer_2
    )
    listed = queue(reviewer, bench, early, ALL)
    assert listed.counts == {"all": 3, "todo": 2, "disagree": 0, "stale": 1}
    assert listed.groups[0].done == 1
    only = queue(reviewer, bench, early, Filter("stale")).groups
    assert [entry.id for group in only for entry in group.entries] == [late.pk]


def test_others_disagreement_does_not_show_before_the_own_vote(
    bench, items, reviewer, reviewer_2, adjudicator
):
    early, *_ = items
    vote(early, reviewer_2)
    cast_vote(
        review_id=uuid.uuid4(),
        item_id=early.pk,
        version_number=1,
        verdict="drop",
        reasons=[3],
        by=adjudicator,
    )
    listed = queue(reviewer, bench, early, ALL)
    assert listed.groups[0].entries[0].state == "todo"
    assert listed.counts["disagree"] == 0
    vote(early, reviewer)
    assert queue(reviewer, bench, early, ALL).groups[0].entries[0].state == "disagreement"


@pytest.mark.parametrize("text", ["%", "_", "'", "\x00", "x" * 10_000, "💥", "\\"])
def test_a_search_takes_any_text(bench, items, reviewer, text):
    wanted = Filter.read("all", text)
    assert len(wanted.text) <= 100
    queue(reviewer, bench, items[0], wanted)


def test_a_wide_benchmark_is_windowed(bench, reviewer, monkeypatch):
    monkeypatch.setattr("annotation.queries.queue.GROUPS", 4)
    made = [factories.mcq_item(factories.video(bench)) for _ in range(9)]
    listed = queue(reviewer, bench, made[4], ALL)
    assert [group.video_id for group in listed.groups] == [item.video_id for item in made[2:7]]
    assert listed.more_before and listed.more_after


@pytest.mark.parametrize("walked", [None, 1, 3, 5_000], ids=lambda walked: f"walk {walked}")
@pytest.mark.parametrize("show", ["all", "todo", "disagree"])
def test_the_way_through_a_narrow_list(bench, reviewer, reviewer_2, monkeypatch, walked, show):
    """From every item, those that match and those that do not, as reading the list tells it."""
    monkeypatch.setattr(narrow, "is_common", lambda listed: walked is not None)
    monkeypatch.setattr(narrow, "WALKED", walked)
    videos = [factories.video(bench) for _ in range(5)]
    everything = [
        factories.mcq_item(video, window=(start, start + 1.0), stem=f"Is it a {word} {place}?")
        for place, video in enumerate(videos)
        for start, word in ((9.0, "cyst"), (3.0, "stone" if place % 2 else "cyst"), (3.0, "cyst"))
    ]
    for item in everything[::4]:
        vote(item, reviewer)
        vote(item, reviewer_2, "unsure")
    for item in everything[::8]:
        Item.objects.filter(pk=item.pk).update(state="disagreement")
    wanted = Filter(show, "cyst")
    everything = [Item.objects.get(pk=item.pk) for item in everything]
    shown = queue(reviewer, bench, everything[0], wanted)
    listed = [entry for group in shown.groups for entry in group.entries]
    own = own_votes(reviewer, bench.pk, among=[item.pk for item in everything])
    order = sorted(everything, key=lambda one: (one.video.position, one.start, one.position))
    matching = [one.pk for one in order if one.text.startswith("Is it a cyst")]
    if show == "todo":
        matching = [pk for pk in matching if pk not in own]
    if show == "disagree":
        matching = [pk for pk in matching if pk in own and own[pk].state == "disagreement"]
    assert [entry.id for entry in listed] == matching and len(matching) > 1

    for place, item in enumerate(order):
        item.refresh_from_db()
        before = [one.pk for one in order[:place] if one.pk in matching]
        after = [one.pk for one in order[place + 1 :] if one.pk in matching]
        waiting = [pk for pk in after + before if show == "disagree" or pk not in own]
        found = neighbours(reviewer, bench, item, wanted)
        assert found.previous == (before[-1] if before else None)
        assert found.next == (after[0] if after else None)
        assert found.open == (waiting[0] if waiting else None)
    first = [pk for pk in matching if show == "disagree" or pk not in own]
    assert next_open(reviewer, bench, wanted=wanted) == first[0]
