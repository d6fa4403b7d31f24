"""The releases of a benchmark as its page lists them."""

from dataclasses import dataclass

from annotation.models import Benchmark, Release
from annotation.queries.composition import kept_a_minute
from annotation.queries.release_diff import Side, counts

MOST = 30


@dataclass(frozen=True)
class Draft:
    """What a release made now would change against the newest one: counts by kind of change."""

    since: Release | None
    changes: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.changes.values())


def releases(benchmark: Benchmark) -> list[Release]:
    """Return the releases, the newest first, with their makers; one query."""
    return list(benchmark.releases.select_related("created_by")[:MOST])


def draft(benchmark: Benchmark, newest: Release | None, *, items: int) -> Draft:
    """Return how the benchmark as it stands differs from its newest release."""
    if newest is None:
        return Draft(None, {})
    old, now = Side(benchmark, newest), Side(benchmark, None)
    changes = kept_a_minute(f"draft/{newest.pk}", items, lambda: counts(old, now))
    return Draft(newest, changes)
