"""How long readers are really at their items, and how long what is left will take them."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum

from annotation.models import Benchmark, Review, User
from annotation.models.review import Verdict
from annotation.queries.compiled import Compiled, Given
from annotation.queries.standing import counting

LATEST = 200  # votes that a pace is taken from
LEAST = 3  # votes before a pace is told
READERS = 500


@dataclass(frozen=True)
class Pace:
    """`seconds` an item (median of active seconds), None before LEAST votes; `left` seconds."""

    seconds: float | None
    left: float | None


@dataclass(frozen=True)
class ReaderLine:
    """What one reader has done in a benchmark; times are active seconds."""

    name: str
    items: int
    keeps: int
    drops: int
    unsure: int
    skips: int
    seconds: float
    per_item: float | None
    last_at: datetime


def own_pace(user: User, benchmark: Benchmark, *, items_left: int) -> Pace:
    """Return the pace of a reader's latest votes; one query."""
    times = TIMES.column(user=user.pk, benchmark=benchmark.pk)
    if len(times) < LEAST:
        return Pace(None, None)
    middle = median(times)
    return Pace(middle, middle * items_left)


def own_times(user: Given, benchmark: Given) -> QuerySet[Review, Any]:
    votes = counting().filter(reviewer=user, benchmark=benchmark, active_seconds__gt=0)
    return votes.order_by("-created_at").values_list("active_seconds")[:LATEST]


TIMES = Compiled(own_times)


def reader_lines(benchmark: Benchmark) -> list[ReaderLine]:
    """Return the readers of a benchmark, the busiest first; one query.

    Each vote counts that was not taken back; seconds count for taken-back votes and skips too,
    since that time was spent.
    """
    stands = Q(undone_at__isnull=True) & ~Q(verdict=Verdict.SKIP)
    rows = (
        Review.objects.filter(item__benchmark=benchmark)
        .order_by()
        .values("reviewer__username")
        .annotate(
            items=Count("item", distinct=True, filter=stands),
            keeps=Count("pk", filter=stands & Q(verdict=Verdict.KEEP)),
            drops=Count("pk", filter=stands & Q(verdict=Verdict.DROP)),
            unsure=Count("pk", filter=stands & Q(verdict=Verdict.UNSURE)),
            skips=Count("pk", filter=Q(verdict=Verdict.SKIP)),
            seconds=Sum("active_seconds"),
            last_at=Max("created_at"),
        )
        .order_by("-items", "reviewer__username")[:READERS]
    )
    return [
        ReaderLine(
            name=row["reviewer__username"],
            items=row["items"],
            keeps=row["keeps"],
            drops=row["drops"],
            unsure=row["unsure"],
            skips=row["skips"],
            seconds=row["seconds"],
            per_item=row["seconds"] / row["items"] if row["items"] else None,
            last_at=row["last_at"],
        )
        for row in rows
    ]
