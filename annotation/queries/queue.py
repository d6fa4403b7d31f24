"""The review queue of one reader: videos with their items, as that reader may see them.

Whatever the size of the benchmark, a page asks for the groups around the current video, the
items of that video and the reader's own votes; other videos' items come when they are opened.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.domain.clock import clock
from annotation.domain.question_texts import TypeLabel, type_label, without_opening
from annotation.models import Benchmark, Item, User, Video
from annotation.queries.among import among
from annotation.queries.counts import item_count
from annotation.queries.narrow import BY_TIME, IN_ORDER, few_of, in_steps
from annotation.queries.standing import OwnVote, own_fresh, own_votes
from annotation.queries.text_search import saying

SHOWS = ("all", "todo", "disagree", "stale")
STATE_SHOWN = {"disagree": "disagreement", "stale": "stale"}
GROUPS = 100  # group headers on one page
LISTED = 400  # items listed of one video
FOUND = 100  # items listed of what a narrow filter found
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
    """`counts` by SHOWS; `own` are the reader's standing votes by item id."""

    groups: list[Group]
    counts: dict[str, int]
    own: dict[int, OwnVote] = field(repr=False)
    more_before: bool = False
    more_after: bool = False

    @property
    def done(self) -> int:
        return self.counts["all"] - self.counts["todo"]


def matching(
    user: User, benchmark: Benchmark, wanted: Filter, own: dict[int, OwnVote] | None = None
) -> QuerySet[Item]:
    """Return the items that the filter lets through, in no order; `own` are the reader's votes
    where they are known already."""
    items = Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()
    if wanted.text:
        items = saying(items, wanted.text)
    if wanted.show == "todo":
        items = items.exclude(Exists(own_fresh(user).filter(item=OuterRef("pk"))))
    elif wanted.show in STATE_SHOWN:
        state = STATE_SHOWN[wanted.show]
        own = own_votes(user, benchmark.pk) if own is None else own
        shown = [vote.item_id for vote in own.values() if vote.state == state]
        items = among(items, shown)
    return items


def entries(items: QuerySet[Item] | Iterable[Item], own: dict[int, OwnVote]) -> list[Entry]:
    """Return the lines of `items`, each in the state that this reader may see."""
    return [
        Entry(
            item.pk,
            item.kind,
            item.index + 1,
            without_opening(item.text),
            type_label(item.question_type),
            item.start,
            own[item.pk].state if item.pk in own else "todo",
        )
        for item in items
    ]


def video_entries(user: User, benchmark: Benchmark, video_id: int, wanted: Filter) -> list[Entry]:
    """Return the lines of one video, for the moment when its group is opened."""
    items = matching(user, benchmark, wanted).filter(video_id=video_id)
    items = items.order_by(*BY_TIME)[:LISTED]
    return entries(items, own_votes(user, benchmark.pk))


def queue(user: User, benchmark: Benchmark, current: Item, wanted: Filter) -> Queue:
    """Return the queue around `current`."""
    own = own_votes(user, benchmark.pk)
    counts = count(benchmark, own)
    if wanted.is_narrow:
        return Queue(found_groups(user, benchmark, wanted, own), counts, own)
    groups, before, after = groups_around(benchmark, current.video, own)
    here = matching(user, benchmark, wanted, own).filter(video_id=current.video_id)
    here = here.order_by(*BY_TIME)[:LISTED]
    for group in groups:
        if group.video_id == current.video_id:
            group.entries = entries(here, own)
    if wanted.show == "todo":
        groups = [group for group in groups if group.done < group.total or group.entries]
    return Queue(groups, counts, own, before, after)


def count(benchmark: Benchmark, own: dict[int, OwnVote]) -> dict[str, int]:
    """Return how many items each filter lets through, by SHOWS."""
    total = item_count(benchmark)
    states = Counter(vote.state for vote in own.values())
    return {
        "all": total,
        "todo": total - len(own) + states["stale"],
        "disagree": states["disagreement"],
        "stale": states["stale"],
    }


def own_counts(user: User, benchmark: Benchmark) -> dict[str, int]:
    """Return how far a reader is: `done` of `total`, and the `disagreements` among them."""
    counts = count(benchmark, own_votes(user, benchmark.pk))
    return {
        "done": counts["all"] - counts["todo"],
        "total": counts["all"],
        "disagreements": counts["disagree"],
    }


def found_groups(
    user: User, benchmark: Benchmark, wanted: Filter, own: dict[int, OwnVote]
) -> list[Group]:
    """Return what a narrow filter found, grouped by video, at most FOUND items."""
    listed = matching(user, benchmark, wanted, own)
    few = few_of(listed)
    every = Video.objects.filter(benchmark=benchmark)
    ids = in_steps(listed, every, FOUND) if few is None else few.ids[:FOUND]
    items = Item.objects.filter(pk__in=ids).select_related("video")
    found = list(items.order_by(*IN_ORDER))
    groups: dict[int, Group] = {}
    for item, entry in zip(found, entries(found, own), strict=True):
        new = Group(item.video_id, item.video.title, 0, 0, [])
        group = groups.setdefault(item.video_id, new)
        group.total += 1
        group.done += entry.state not in ("todo", "stale")
        group.entries = [*(group.entries or []), entry]
    return list(groups.values())


def groups_around(
    benchmark: Benchmark, here: Video, own: dict[int, OwnVote]
) -> tuple[list[Group], bool, bool]:
    """Return at most GROUPS videos around `here`, and whether there are more before, after."""
    videos = Video.objects.filter(benchmark=benchmark)
    half = GROUPS // 2
    before = list(
        videos.filter(position__lt=here.position)
        .order_by("-position")
        .values_list("pk")[: half + 1]
    )
    after = list(
        videos.filter(position__gt=here.position).order_by("position").values_list("pk")[: half + 1]
    )
    ids = [pk for (pk,) in [*before[:half], *after[:half]]] + [here.pk]
    counted = (
        Video.objects.filter(pk__in=ids)
        .annotate(total=Count("items", filter=Q(items__current__isnull=False)))
        .order_by("position")
        .values_list("pk", "title", "total")
    )
    done = Counter(vote.video_id for vote in own.values() if not vote.stale)
    groups = [Group(pk, title, done[pk], total) for pk, title, total in counted if total]
    return groups, len(before) > half, len(after) > half
