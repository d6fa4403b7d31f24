"""The review queue of one reader: videos with their items, as that reader may see them.

Whatever the size of the benchmark, a page asks for the groups around the current video, the
items of that video and the reader's own votes; other videos' items come when they are opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.domain.clock import clock
from annotation.domain.question_texts import TypeLabel, type_label, without_opening
from annotation.models import Benchmark, Item, User, Video
from annotation.queries.counts import item_count
from annotation.queries.narrow import BY_TIME, IN_ORDER, NarrowList, narrow_list, place_of
from annotation.queries.standing import own_counting, own_votes, seen_as, voted_on, without_own
from annotation.queries.text_search import saying

SHOWS = ("all", "todo", "disagree", "stale")
STATE_SHOWN = {"disagree": "disagreement", "stale": "stale"}
GROUPS = 100  # group headers on one page
LISTED = 400  # items listed of one video
QUERY_LIMIT = 100  # characters of a search


class Look(NamedTuple):
    """How a state is shown: a shape of its own, a class for its colour, a word."""

    icon: str
    class_name: str
    word: str


LOOKS = {
    "todo": Look("open", "st-open", "To do"),
    "kept": Look("kept", "st-kept", "Kept"),
    "dropped": Look("dropped", "st-dropped", "Dropped"),
    "unsure": Look("unsure", "st-unsure", "Unsure"),
    "disagreement": Look("disagree", "st-disagree", "Disagreement"),
    "stale": Look("stale", "st-stale", "Stale"),
}


@dataclass(frozen=True)
class Filter:
    """What the list shows: `show` is one of SHOWS, `text` is searched for in stems."""

    show: str = "all"
    text: str = ""

    @classmethod
    def read(cls, show: str, text: str) -> "Filter":
        """Return the filter of a URL's query; what is unknown there counts as not given."""
        return cls(show if show in SHOWS else "all", text.replace("\x00", "")[:QUERY_LIMIT].strip())

    @property
    def is_narrow(self) -> bool:
        """Whether only the items found are listed, in groups that are all open."""
        return bool(self.text) or self.show in STATE_SHOWN


@dataclass(frozen=True, slots=True)
class Row:
    """What of an item its line tells; hundreds of whole items take longer to make than to read."""

    pk: int
    kind: str
    index: int
    text: str
    question_type: str
    start: float


ROW = ("pk", "kind", "index", "text", "question_type", "start")


@dataclass(frozen=True)
class Entry:
    """One line of the list; `start` in seconds from the start of the video."""

    id: int
    kind: str
    number: int
    text: str
    type: TypeLabel
    start: float
    state: str

    @property
    def name(self) -> str:
        return f"{'MCQ' if self.kind == 'mcq' else 'Free'} {self.number}"

    @property
    def is_done(self) -> bool:
        return self.state in ("kept", "dropped")

    @property
    def look(self) -> Look:
        return LOOKS[self.state]

    @property
    def clock(self) -> str:
        return clock(self.start, hundredths=False)


@dataclass
class Group:
    """A video of the list; `entries` is None where they are fetched when it is opened."""

    video_id: int
    title: str
    done: int
    total: int
    entries: list[Entry] | None = None


@dataclass(frozen=True)
class Queue:
    """`counts` by SHOWS."""

    groups: list[Group]
    counts: dict[str, int]
    more_before: bool = False
    more_after: bool = False

    @property
    def done(self) -> int:
        return self.counts["all"] - self.counts["todo"]


def items_of(benchmark: Benchmark) -> QuerySet[Item]:
    """Return the items that a benchmark shows, in no order."""
    return Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()


def matching(
    user: User, benchmark: Benchmark, wanted: Filter, *, whole: bool = False
) -> QuerySet[Item]:
    """Return the items that the filter lets through, in no order; `whole` as in `saying`."""
    items = items_of(benchmark)
    if wanted.text:
        items = saying(items, wanted.text, whole=whole)
    state = STATE_SHOWN.get(wanted.show, wanted.show)
    return items if state == "all" else seen_as(items, user, benchmark.pk, state)


def near(
    user: User, benchmark: Benchmark, wanted: Filter, here: Item | None, *, waiting: bool = False
) -> NarrowList:
    """Return what of the list of a narrow filter is told from an item on; with `waiting`, of the
    other items in it without a standing vote of the reader."""
    listed = matching(user, benchmark, wanted)
    if waiting:
        listed = without_own(listed, user, benchmark.pk)
    if waiting and here is not None:
        listed = listed.exclude(pk=here.pk)
    part = matching(user, benchmark, wanted, whole=True) if wanted.text and not waiting else None
    place = None if here is None else place_of(here)
    return narrow_list(listed, items_of(benchmark), place, part=part)


def entries(items: Iterable[Item | Row], states: Mapping[int, str]) -> list[Entry]:
    """Return the lines of `items`; `states` are those in which a reader may see them, by id."""
    return [
        Entry(
            item.pk,
            item.kind,
            item.index + 1,
            without_opening(item.text),
            type_label(item.question_type),
            item.start,
            states.get(item.pk, "todo"),
        )
        for item in items
    ]


def own_entries(user: User, benchmark: Benchmark, items: Sequence[Item | Row]) -> list[Entry]:
    """Return the lines of `items`, each in the state that this reader may see; one query."""
    own = own_votes(user, benchmark.pk, among=[item.pk for item in items])
    return entries(items, {pk: vote.state for pk, vote in own.items()})


def video_entries(user: User, benchmark: Benchmark, video_id: int, wanted: Filter) -> list[Entry]:
    """Return the lines of one video, for the moment when its group is opened."""
    items = matching(user, benchmark, wanted).filter(video_id=video_id).order_by(*BY_TIME)
    rows = [Row(*row) for row in items.values_list(*ROW)[:LISTED]]
    return own_entries(user, benchmark, rows)


def queue(
    user: User,
    benchmark: Benchmark,
    current: Item,
    wanted: Filter,
    found: list[int] | None = None,
) -> Queue:
    """Return the queue around `current`; `found` is the beginning of the list of a narrow
    filter, where it is known already."""
    counts = count(user, benchmark)
    if wanted.is_narrow:
        if found is None:
            found = near(user, benchmark, wanted, None).first
        return Queue(found_groups(user, benchmark, found), counts)
    groups, before, after = groups_around(user, benchmark, current.video)
    for group in groups:
        if group.video_id == current.video_id:
            group.entries = video_entries(user, benchmark, group.video_id, wanted)
    if wanted.show == "todo":
        groups = [group for group in groups if group.done < group.total or group.entries]
    return Queue(groups, counts, before, after)


def count(user: User, benchmark: Benchmark) -> dict[str, int]:
    """Return how many items each filter lets through, by SHOWS; exact, from the reader's votes.
    One query."""
    total, items = item_count(benchmark), items_of(benchmark)
    counted = Benchmark.objects.filter(pk=benchmark.pk).values_list(
        how_many(own_counting(user, benchmark.pk), "item"),
        how_many(seen_as(items, user, benchmark.pk, "stale")),
        how_many(seen_as(items, user, benchmark.pk, "disagreement")),
    )
    voted, stale, disagree = counted.get()
    return {"all": total, "todo": total - voted + stale, "disagree": disagree, "stale": stale}


def how_many(rows: QuerySet[Any], of: str = "pk") -> Coalesce:
    """Return the number of different values in rows of one benchmark, for a query around."""
    counted = rows.values("benchmark").annotate(counted=Count(of, distinct=of != "pk"))
    return Coalesce(Subquery(counted.values("counted")), 0)


def own_counts(user: User, benchmark: Benchmark) -> dict[str, int]:
    """Return how far a reader is: `done` of `total`, and the `disagreements` among them."""
    counts = count(user, benchmark)
    return {
        "done": counts["all"] - counts["todo"],
        "total": counts["all"],
        "disagreements": counts["disagree"],
    }


def found_groups(user: User, benchmark: Benchmark, ids: list[int]) -> list[Group]:
    """Return the items of a narrow list, by their ids, grouped by video."""
    items = Item.objects.filter(pk__in=ids).order_by(*IN_ORDER)
    found = list(items.values_list("video_id", "video__title", *ROW))
    lines = own_entries(user, benchmark, [Row(*row[2:]) for row in found])
    groups: dict[int, Group] = {}
    for (video_id, title, *_), entry in zip(found, lines, strict=True):
        group = groups.setdefault(video_id, Group(video_id, title, 0, 0, []))
        group.total += 1
        group.done += entry.state not in ("todo", "stale")
        group.entries = [*(group.entries or []), entry]
    return list(groups.values())


def groups_around(user: User, benchmark: Benchmark, here: Video) -> tuple[list[Group], bool, bool]:
    """Return at most GROUPS videos around `here`, and whether there are more before, after."""
    videos = Video.objects.filter(benchmark=benchmark)
    half = GROUPS // 2
    before = videos.filter(position__lt=here.position).order_by("-position")
    after = videos.filter(position__gt=here.position).order_by("position")
    ids_before = list(before.values_list("pk", flat=True)[: half + 1])
    ids_after = list(after.values_list("pk", flat=True)[: half + 1])
    ids = [*ids_before[:half], here.pk, *ids_after[:half]]
    shown = Count("items", filter=Q(items__current__isnull=False))
    counted = Video.objects.filter(pk__in=ids).annotate(total=shown).order_by("position")
    done = done_by_video(user, benchmark, ids)
    groups = [
        Group(pk, title, done.get(pk, 0), total)
        for pk, title, total in counted.values_list("pk", "title", "total")
        if total
    ]
    return groups, len(ids_before) > half, len(ids_after) > half


def done_by_video(user: User, benchmark: Benchmark, video_ids: list[int]) -> dict[int, int]:
    """Return on how many items of each video a vote of the reader stands; one query."""
    voted = voted_on(items_of(benchmark).filter(video__in=video_ids), user, benchmark.pk)
    return dict(voted.values_list("video_id").annotate(done=Count("pk")))
