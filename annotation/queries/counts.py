"""How many items a benchmark has, and how many have a vote.

Counting is exact while it is cheap. Of a large benchmark the figures are kept, and a worker
counts them again about once a minute while its pages are looked at.
"""

from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Count

from annotation.models import Benchmark, Item, User
from annotation.queries.kept_figures import EXACT_UP_TO, read
from annotation.queries.standing import fresh, own_fresh

KEPT_FOR = 60  # seconds, of what pages look up themselves
COUNTED_FOR = 3600  # seconds, where no worker counts again
LISTED = 200  # benchmarks in the list where reviewing starts


def item_count(benchmark: Benchmark) -> int:
    found = cache.get(f"items/{benchmark.pk}")
    return int(found) if found is not None else count_items(benchmark)


def count_items(benchmark: Benchmark) -> int:
    found = Item.objects.filter(benchmark=benchmark).count()
    if found > EXACT_UP_TO:
        cache.set(f"items/{benchmark.pk}", found, COUNTED_FOR)
    return found


def reviewed_count(benchmark: Benchmark, *, items: int) -> int:
    """Return how many of a benchmark's `items` have a standing vote of anybody."""
    if items <= EXACT_UP_TO:
        return count_reviewed(benchmark)
    read(benchmark.pk)  # asks a worker where the figures are old
    found = cache.get(f"reviewed/{benchmark.pk}")
    return int(found) if found is not None else count_reviewed(benchmark, keep=True)


def count_reviewed(benchmark: Benchmark, *, keep: bool = False) -> int:
    votes = fresh().filter(item__benchmark=benchmark).order_by()
    found = votes.values("item_id").distinct().count()
    if keep:
        cache.set(f"reviewed/{benchmark.pk}", found, COUNTED_FOR)
    return found


def count_again(benchmark: Benchmark) -> None:
    """Renew what is kept of a large benchmark; a worker calls it."""
    count_items(benchmark)
    count_reviewed(benchmark, keep=True)


@dataclass(frozen=True)
class BenchmarkLine:
    """A benchmark in the list where reviewing starts, with the reader's own progress."""

    benchmark: Benchmark
    done: int
    total: int


def own_count(user: User, benchmark: Benchmark) -> int:
    """Return on how many items of a benchmark a vote of `user` stands; one query."""
    votes = own_fresh(user).filter(item__benchmark=benchmark).order_by()
    return votes.values("item_id").distinct().count()


def benchmark_lines(user: User) -> list[BenchmarkLine]:
    """Return all benchmarks by name with what `user` has reviewed of each."""
    own = fresh().filter(reviewer=user).order_by().values_list("item__benchmark_id")
    done = dict(own.annotate(items=Count("item_id", distinct=True)))
    benchmarks = Benchmark.objects.order_by("name")[:LISTED]
    return [BenchmarkLine(one, done.get(one.pk, 0), item_count(one)) for one in benchmarks]
