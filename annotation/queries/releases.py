"""The releases of a benchmark as its page lists them."""

from dataclasses import dataclass

from annotation.models import Benchmark, Release
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


def draft(benchmark: Benchmark) -> Draft:
    """Return how the benchmark as it stands differs from its newest release."""
    newest = benchmark.releases.first()
    if newest is None:
        return Draft(None, {})
    return Draft(newest, counts(Side(benchmark, newest), Side(benchmark, None)))


def draft_since(counted: Draft, newest: Release | None) -> Draft:
    """Return what was counted, or no change where a release was made since it was counted."""
    return counted if counted.since == newest else Draft(newest, {})
