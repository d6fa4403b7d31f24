"""How many items a benchmark has, and how many have a vote.

Counting is exact while it is cheap. Above EXACT_UP_TO items a figure is kept for a minute, so
that a page of a benchmark with a million items does not count them each time.
"""

from django.core.cache import cache

from annotation.models import Benchmark, Item
from annotation.queries.standing import counting

EXACT_UP_TO = 20_000
KEPT_FOR = 60  # seconds


def item_count(benchmark: Benchmark) -> int:
    key = f"items/{benchmark.pk}"
    found = cache.get(key)
    if found is None:
        found = Item.objects.filter(benchmark=benchmark).count()
        if found > EXACT_UP_TO:
            cache.set(key, found, KEPT_FOR)
    return int(found)


def reviewed_count(benchmark: Benchmark, *, items: int) -> int:
    """Return how many of a benchmark's `items` have a vote of anybody, on whatever version."""
    key = f"reviewed/{benchmark.pk}"
    found = cache.get(key) if items > EXACT_UP_TO else None
    if found is None:
        votes = counting().filter(item__benchmark=benchmark).order_by()
        found = votes.values("item_id").distinct().count()
        if items > EXACT_UP_TO:
            cache.set(key, found, KEPT_FOR)
    return int(found)
