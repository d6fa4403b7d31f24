"""What the public may ask for: benchmarks that are open, and their releases."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.http import Http404

from annotation.models import Benchmark, Release, ReleaseItem, User
from annotation.permissions import Verb, has_permission


def open_benchmarks(user: User | AnonymousUser) -> list[Benchmark]:
    """Return the benchmarks that `user` may see: public ones, all for a reviewer. One query."""
    benchmarks = Benchmark.objects.order_by("name")
    if not has_permission(user, Verb.REVIEW):
        benchmarks = benchmarks.filter(is_public=True)
    return list(benchmarks)


def open_benchmark(slug: str, user: User | AnonymousUser) -> Benchmark:
    """Return the benchmark `slug`. Raises Http404 where it is unknown or closed to `user`."""
    return _open(Benchmark.objects.filter(slug=slug).first(), user)


def _open(benchmark: Benchmark | None, user: User | AnonymousUser) -> Benchmark:
    if benchmark is None or not (benchmark.is_public or has_permission(user, Verb.REVIEW)):
        raise Http404("There is no such benchmark.")
    return benchmark


def open_releases(slug: str, user: User | AnonymousUser) -> tuple[Benchmark, list[Release]]:
    """Return the benchmark `slug` and its releases, newest first, each with the members of its
    panel of judges. One query where there is a release. Raises Http404 as `open_benchmark` does."""
    releases = list(
        Release.objects.filter(benchmark__slug=slug)
        .select_related("benchmark", "panel_report")
        .defer("panel_report__rows")
    )
    if not releases:
        return open_benchmark(slug, user), []
    for release in releases:
        release.benchmark = releases[0].benchmark
    return _open(releases[0].benchmark, user), releases


def releases_of(benchmark: Benchmark) -> list[Release]:
    """Return the releases of `benchmark`, newest first, each with its benchmark. One query."""
    releases = list(Release.objects.filter(benchmark=benchmark))
    for release in releases:
        release.benchmark = benchmark
    return releases


def pick_release(releases: list[Release], tag: str) -> Release | None:
    """Return the release `tag`, or the newest without a tag; None where there is none at all.

    Raises Http404 for a tag that is unknown.
    """
    if not tag:
        return releases[0] if releases else None
    found = next((release for release in releases if release.tag == tag), None)
    if found is None:
        raise Http404("There is no such release.")
    return found


def open_items(release: Release) -> QuerySet[ReleaseItem]:
    """Return the kept items of `release` that may be shown to anybody: none that was held out
    when it was frozen, and none that is held out now."""
    rows = ReleaseItem.objects.filter(release=release, keep=True, held_out=False)
    return rows.filter(item_version__item__held_out=False)


def closed_items(release: Release) -> QuerySet[ReleaseItem]:
    """Return the other kept items of `release`: those that nobody may be shown."""
    rows = ReleaseItem.objects.filter(release=release, keep=True)
    return rows.filter(Q(held_out=True) | Q(item_version__item__held_out=True))
