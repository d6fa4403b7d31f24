"""How many items a benchmark has, and how many have a vote.

Counting is exact while it is cheap. Above EXACT_UP_TO items a figure is kept for a minute, so
that a page of a benchmark with a million items does not count them each time.
"""

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count

from annotation.models import Benchmark, Item, User
from annotation.queries.standing import fresh

EXACT_UP_TO = 20_000
KEPT_FOR = 60  # seconds
LISTED = 200  # benchmarks in the list where reviewing starts


def item_count(benchmark: Benchmark) -> int:
    key = f"items/{benchmark.pk}"
    found = cache.get(key)
    if found is None:
        found = Item.objects.filter(benchmark=benchmark).count()
        if found > EXACT_UP_TO:
            cache.set(key, found, KEPT_FOR)
    return int(found)


def reviewed_count(benchmark: Benchmark, *, items: int) -> int:
    """Return how many of a benchmark's `items` have a standing vote of anybody."""
    key = f"reviewed/{benchmark.pk}"
    found = cache.get(key) if items > EXACT_UP_TO else None
    if found is None:
        votes = fresh().filter(item__benchmark=benchmark).order_by()
        found = votes.values("item_id").distinct().count()
        if items > EXACT_UP_TO:
            cache.set(key, found, KEPT_FOR)
    return int(found)


@dataclass(frozen=True)
class BenchmarkLine:
    """A benchmark in the list where reviewing starts, with the reader's own progress."""

    benchmark: Benchmark
    done: int
    total: int


def benchmark_lines(user: User) -> list[BenchmarkLine]:
    """Return all benchmarks by name with what `user` has reviewed of each."""
    own = fresh().filter(reviewer=user).order_by().values_list("item__benchmark_id")
    done = dict(own.annotate(items=Count("item_id", distinct=True)))
    benchmarks = Benchmark.objects.order_by("name")[:LISTED]
    return [BenchmarkLine(one, done.get(one.pk, 0), item_count(one)) for one in benchmarks]
