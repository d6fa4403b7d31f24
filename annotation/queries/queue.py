"""The review queue of one reader: videos with their items, as that reader may see them.

Whatever the size of the benchmark, a page asks for the groups around the current video, the
items of that video and the reader's own votes; other videos' items come when they are opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.db.models import QuerySet

from annotation.domain.clock import clock
from annotation.domain.question_texts import TypeLabel, type_label, without_opening
from annotation.models import Benchmark, Item, User, Video
from annotation.queries.compiled import Compiled, Given
from annotation.queries.narrow import BY_TIME, IN_ORDER, NarrowList, narrow_list, place_of
from annotation.queries.own_progress import count, done_by_video, items_of, total_by_video
from annotation.queries.standing import own_votes, seen_as, without_own
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
DONE = ("kept", "dropped")


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
        return self.state in DONE

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


def matching(
    user: User, benchmark: Benchmark, wanted: Filter, *, whole: bool = False
) -> QuerySet[Item]:
    """Return the items that the filter lets through, in no order; `whole` as in `saying`."""
    items = shown(user, benchmark.pk, wanted.show)
    return saying(items, wanted.text, whole=whole) if wanted.text else items


def shown(user: User | Given, benchmark: int | Given, show: str) -> QuerySet[Item]:
    """Return the items that one of SHOWS lets through, in no order."""
    items, state = items_of(benchmark), STATE_SHOWN.get(show, show)
    return items if state == "all" else seen_as(items, user, benchmark, state)


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
    asked = {"user": user.pk, "benchmark": benchmark.pk, "video": video_id}
    if wanted.text:
        rows = list(lines_of(matching(user, benchmark, wanted).filter(video=video_id)))
    else:
        rows = LINES[wanted.show].rows(**asked)
    return own_entries(user, benchmark, [Row(*row) for row in rows])


def lines_of(items: QuerySet[Item]) -> QuerySet[Item, Any]:
    return items.order_by(*BY_TIME).values_list(*ROW)[:LISTED]


def lines_in(show: str, user: Given, benchmark: Given, video: Given) -> QuerySet[Item, Any]:
    return lines_of(shown(user, benchmark, show).filter(video=video))


LINES = {show: Compiled(partial(lines_in, show)) for show in SHOWS}


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
    asked = {"benchmark": benchmark.pk, "position": here.position}
    half = GROUPS // 2
    before, after = BEFORE.rows(**asked), AFTER.rows(**asked)
    videos = [*reversed(before[:half]), (here.pk, here.title), *after[:half]]
    ids = [pk for pk, _ in videos]
    total, done = total_by_video(benchmark, ids), done_by_video(user, benchmark, ids)
    groups = [Group(pk, title, done.get(pk, 0), total[pk]) for pk, title in videos if pk in total]
    return groups, len(before) > half, len(after) > half


def videos_before(benchmark: Given, position: Given) -> QuerySet[Video, Any]:
    videos = Video.objects.filter(benchmark=benchmark, position__lt=position)
    return videos.order_by("-position").values_list("pk", "title")[: GROUPS // 2 + 1]


def videos_after(benchmark: Given, position: Given) -> QuerySet[Video, Any]:
    videos = Video.objects.filter(benchmark=benchmark, position__gt=position)
    return videos.order_by("position").values_list("pk", "title")[: GROUPS // 2 + 1]


BEFORE, AFTER = Compiled(videos_before), Compiled(videos_after)
