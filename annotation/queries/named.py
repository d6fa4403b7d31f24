"""Finds benchmarks and releases by the names that people type."""

from annotation.models import Benchmark, Release

MOST_NAMED = 20


class NotFound(ValueError):
    """Nothing has that name; the message says what there is."""


def benchmark_named(slug: str) -> Benchmark:
    """Return the benchmark `slug`. Raises NotFound."""
    found = Benchmark.objects.filter(slug=slug).first()
    if found is None:
        known = ", ".join(Benchmark.objects.values_list("slug", flat=True)[:MOST_NAMED])
        raise NotFound(f"No benchmark is called {slug!r}; there are: {known or 'none'}.")
    return found


def release_named(benchmark: Benchmark, tag: str = "") -> Release:
    """Return the release `tag` of `benchmark`, or its newest one. Raises NotFound."""
    releases = benchmark.releases.all()
    found = (releases.filter(tag=tag) if tag else releases).first()
    if found is None:
        if not tag:
            raise NotFound(f"{benchmark.slug} has no release yet; make one with make_release.")
        known = ", ".join(releases.values_list("tag", flat=True)[:MOST_NAMED])
        raise NotFound(f"{benchmark.slug} has no release {tag!r}; there are: {known or 'none'}.")
    return found
