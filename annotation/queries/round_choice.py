"""Which items of a benchmark a round is to have, and what that takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.core.cache import cache
from django.db.models import Q, QuerySet

from annotation.models import Benchmark, Item, User
from annotation.models.item import ItemState
from annotation.queries.find_filters import found_items
from annotation.queries.pace import LATEST, LEAST
from annotation.queries.standing import counting

ASSUMED = 40.0  # seconds an item, where nobody has voted yet
KEPT_FOR = 60  # seconds
LISTED = 5_000  # items named one by one
WAYS = {
    "all": "All items",
    "todo": "To do: not settled",
    "kept": "Kept",
    "disputed": "Disagreements and unsure",
    "listed": "A list of keys or ids",
}


def chosen(user: User, benchmark: Benchmark, wanted: dict[str, Any]) -> QuerySet[Item]:
    """Return the items that `wanted` (a checked RoundForm) asks for, in no order."""
    items = found_items(user, benchmark, wanted)
    which = wanted["which"]
    if which == "todo":
        items = items.filter(keep__isnull=True)
    elif which == "kept":
        items = items.filter(keep=True)
    elif which == "disputed":
        items = items.filter(state__in=(ItemState.DISAGREEMENT, ItemState.UNSURE))
    elif which == "listed":
        items = items.filter(named(wanted["listed"]))
    return items


def named(words: Sequence[str]) -> Q:
    """Return what finds items by their keys or ids."""
    ids = [int(word) for word in words if word.isdecimal() and word.isascii() and len(word) < 19]
    return Q(key__in=words) | Q(pk__in=ids)


def unknown(benchmark: Benchmark, words: Sequence[str]) -> list[str]:
    """Return the words that name no item of the benchmark."""
    items = Item.objects.filter(named(words), benchmark=benchmark).values_list("pk", "key")
    there = {name for pk, key in items for name in (str(pk), key)}
    return [word for word in words if word not in there]


@dataclass(frozen=True)
class Estimate:
    """What a round takes: `decisions` are votes with second looks, `seconds` all their time."""

    items: int
    decisions: int
    repeats: int
    seconds: float
    per_item: float
    is_assumed: bool
    readers: int

    @property
    def each(self) -> float:
        """Seconds for each reader."""
        return self.seconds / self.readers if self.readers else self.seconds


def estimate(user: User, benchmark: Benchmark, wanted: dict[str, Any], *, most: int) -> Estimate:
    """Return what a round of `wanted` takes; more than `most` items are not counted."""
    items = chosen(user, benchmark, wanted)[: most + 1].count()
    votes = items * wanted["votes_wanted"]
    repeats = round(votes * wanted["repeats"] / 100)
    pace = benchmark_pace(benchmark)
    return Estimate(
        items=items,
        decisions=votes + repeats,
        repeats=repeats,
        seconds=(votes + repeats) * (pace or ASSUMED),
        per_item=pace or ASSUMED,
        is_assumed=pace is None,
        readers=len(wanted["readers"]),
    )


def benchmark_pace(benchmark: Benchmark) -> float | None:
    """Return the median active seconds of a benchmark's latest votes; None before LEAST."""
    key = f"pace/{benchmark.pk}"
    found = cache.get(key)
    if found is None:
        votes = counting().filter(item__benchmark=benchmark, active_seconds__gt=0)
        latest = votes.order_by("-created_at").values_list("active_seconds", flat=True)
        found = list(latest[:LATEST])
        cache.set(key, found, KEPT_FOR)
    return median(found) if len(found) >= LEAST else None
