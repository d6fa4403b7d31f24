"""What a benchmark is made of, how far its review is, and which of its videos have problems.

Everything that is counted over items comes from two queries. Of a large benchmark a
worker asks them, see `annotation.figures`.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import (
    Case,
    CharField,
    Count,
    F,
    OuterRef,
    Q,
    Subquery,
    Value,
    When,
)

from annotation.domain.question_texts import TypeLabel, type_label
from annotation.models import Benchmark, Item, Source, Video
from annotation.models.benchmark import SourceState
from annotation.models.item import ItemState, KeepSource
from annotation.models.review import DropReason, Verdict
from annotation.queries.standing import fresh

MOST_GROUPS = 20_000
MOST_VOTES = 200_000
MOST_ROWS = 24  # categories or types shown
MOST_LISTED = 6  # sources or items shown of each problem
DURATIONS = (("0 to 5 s", 5), ("5 to 10 s", 10), ("10 to 20 s", 20), ("over 20 s", None))
DEAD = (SourceState.REMOVED, SourceState.EMBEDDING_OFF, SourceState.BLOCKED)
SLACK = 1e-6  # seconds; sums of decimal times are not exact
Key = TypeVar("Key")
GROUPED = ("kind", "question_type", "video__category", "length")
BY_PEOPLE = (KeepSource.VOTES, KeepSource.ADJUDICATOR)


@dataclass(frozen=True)
class Tally:
    """Counts of items; `twice` and `once` of all of them, `kept_twice` and so on of the kept."""

    total: int = 0
    kept: int = 0
    dropped: int = 0
    once: int = 0
    twice: int = 0
    kept_once: int = 0
    kept_twice: int = 0
    kept_by_people: int = 0
    dropped_by_people: int = 0
    disputed: int = 0

    @property
    def reviewed(self) -> int:
        return self.once + self.twice

    @property
    def decided_by_people(self) -> int:
        return self.kept_by_people + self.dropped_by_people

    @property
    def kept_unseen(self) -> int:
        """Kept items on which no vote stands."""
        return self.kept - self.kept_once - self.kept_twice


@dataclass(frozen=True)
class TypeRow:
    type: TypeLabel
    mcq: Tally
    free: Tally


@dataclass(frozen=True)
class Composition:
    """`categories` and `durations` by label, the largest category first."""

    all: Tally
    mcq: Tally
    free: Tally
    types: list[TypeRow]
    categories: list[tuple[str, Tally]]
    categories_in_all: int
    durations: list[tuple[str, Tally]]
    reasons: list[tuple[str, int]]
    videos: int
    sources: int

    @property
    def largest_type(self) -> int:
        return max((tally.total for row in self.types for tally in (row.mcq, row.free)), default=1)

    @property
    def largest_category(self) -> int:
        return max((tally.total for _, tally in self.categories), default=1)

    @property
    def largest_duration(self) -> int:
        return max((tally.total for _, tally in self.durations), default=1)


@dataclass(frozen=True)
class DeadSource:
    source: Source
    items: int


@dataclass(frozen=True)
class WithheldVideo:
    """A video in quarantine; `item_id` is one of its items, None where it has none."""

    video: Video
    item_id: int | None


@dataclass(frozen=True)
class Problems:
    """Videos in quarantine, sources that do not play, windows that end after their video."""

    withheld: list[WithheldVideo]
    withheld_in_all: int
    dead: list[DeadSource]
    dead_in_all: int
    sources: int
    late: list[Item]
    late_in_all: int

    @property
    def untold(self) -> int:
        return self.dead_in_all - len(self.dead)


def composition(benchmark: Benchmark) -> Composition:
    """Return the composition of a benchmark; five queries."""
    rows = groups(benchmark)
    kinds = tallies(rows, lambda row: row["kind"])
    types = tallies(rows, lambda row: (row["question_type"], row["kind"]))
    names = sorted({name for name, _ in types})[:MOST_ROWS]
    categories = tallies(rows, lambda row: row["video__category"] or "No category")
    lengths = tallies(rows, lambda row: row["length"])
    largest = sorted(categories.items(), key=lambda pair: (-pair[1].total, pair[0]))
    return Composition(
        all=summed(rows),
        mcq=kinds.get("mcq", Tally()),
        free=kinds.get("free", Tally()),
        types=[
            TypeRow(
                type_label(name),
                types.get((name, "mcq"), Tally()),
                types.get((name, "free"), Tally()),
            )
            for name in names
        ],
        categories=largest[:MOST_ROWS],
        categories_in_all=len(largest),
        durations=[(label, lengths.get(label, Tally())) for label, _ in DURATIONS],
        reasons=reasons(benchmark),
        videos=benchmark.videos.count(),
        sources=benchmark.sources.count(),
    )


def groups(benchmark: Benchmark) -> list[dict[str, Any]]:
    """Items by kind, type, category and length, with the counts of `Tally`.

    Who has voted is counted from the votes: to ask it of each of a million items takes minutes.
    """
    kept, dropped = Q(keep=True), Q(keep=False)
    people = Q(keep_source__in=BY_PEOPLE)
    items = Item.objects.filter(benchmark=benchmark, current__isnull=False).order_by()
    grouped = items.annotate(length=length()).values(*GROUPED)
    rows = grouped.annotate(
        total=Count("pk"),
        kept=Count("pk", filter=kept),
        dropped=Count("pk", filter=dropped),
        kept_by_people=Count("pk", filter=kept & people),
        dropped_by_people=Count("pk", filter=dropped & people),
        disputed=Count("pk", filter=Q(state=ItemState.DISAGREEMENT)),
    )
    return [*(dict(row) for row in rows[:MOST_GROUPS]), *read_groups(benchmark)]


def read_groups(benchmark: Benchmark) -> list[dict[str, Any]]:
    """Items with standing votes in the same groups, by how many readers they come from."""
    votes = fresh().filter(item__benchmark=benchmark).order_by().annotate(length=length("item__"))
    fields = [f"item__{field}" for field in GROUPED[:3]]
    of_items = votes.values_list("item_id", *fields, "length", "item__keep")
    counted: Counter[tuple[Any, ...]] = Counter()
    rows = of_items.annotate(readers=Count("reviewer", distinct=True))
    for _, *group, keep, readers in rows.iterator(chunk_size=10_000):
        name = "once" if readers == 1 else "twice"
        counted[*group, name] += 1
        if keep:
            counted[*group, f"kept_{name}"] += 1
    return [
        dict(zip(GROUPED, group, strict=True)) | {name: count}
        for (*group, name), count in counted.items()
    ]


def length(of: str = "") -> Case:
    """The name of the window's length among DURATIONS; `of` leads to the item."""
    start = F(f"{of}start")
    seconds = [
        When(**{f"{of}end__lte": start + Value(top)}, then=Value(name))
        for name, top in DURATIONS
        if top
    ]
    return Case(*seconds, default=Value(DURATIONS[-1][0]), output_field=CharField())


def tallies(
    rows: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Key]
) -> dict[Key, Tally]:
    found: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return {name: summed(group) for name, group in found.items()}


def summed(rows: Iterable[dict[str, Any]]) -> Tally:
    total: Counter[str] = Counter()
    for row in rows:
        total.update({name: row.get(name, 0) for name in Tally.__dataclass_fields__})
    return Tally(**total)


def reasons(benchmark: Benchmark) -> list[tuple[str, int]]:
    """Return how many standing drop votes give each reason, the most given first."""
    rows = fresh().filter(item__benchmark=benchmark)
    said = {
        (item_id, reader): (verdict, given)
        for item_id, reader, verdict, given in rows.values_list(
            "item_id", "reviewer_id", "verdict", "reasons"
        )[:MOST_VOTES]
    }
    counts = Counter(
        reason for verdict, given in said.values() if verdict == Verdict.DROP for reason in given
    )
    return [(str(DropReason(reason).label), count) for reason, count in counts.most_common()]


def problems(benchmark: Benchmark) -> Problems:
    """Return what cannot be watched as it should; seven queries."""
    dead = benchmark.sources.filter(state__in=DEAD)
    counted_items = dead.annotate(items=Count("videos__items")).order_by("-items", "key")
    withheld = benchmark.videos.filter(quarantined_at__isnull=False)
    first_item = Item.objects.filter(video=OuterRef("pk")).order_by("position").values("pk")[:1]
    listed = withheld.annotate(item_id=Subquery(first_item)).order_by("quarantined_at")
    late = Item.objects.filter(
        benchmark=benchmark, end__gt=F("video__end") - F("video__start") + Value(SLACK)
    )
    return Problems(
        withheld=[WithheldVideo(video, video.item_id) for video in listed[:MOST_LISTED]],
        withheld_in_all=withheld.count(),
        dead=[DeadSource(source, source.items) for source in counted_items[:MOST_LISTED]],
        dead_in_all=dead.count(),
        sources=benchmark.sources.count(),
        late=list(late.select_related("video").order_by("position")[:MOST_LISTED]),
        late_in_all=late.count(),
    )
