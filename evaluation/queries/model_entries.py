"""What is published of one model on one benchmark, over all its releases."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import Http404

from annotation.models import Benchmark, Release
from evaluation.models import Contestant, LeaderboardEntry
from evaluation.models.run import Origin

MARKS = (
    *("pk", "hash", "version", "note", "provisional", "published_at"),
    *("release_id", "release__tag", "release__hash", "release__created_at"),
    *(
        "run_id",
        "run__condition",
        "run__circular",
        "run__origin",
        "run__repeats",
        "run__prompt_version",
    ),
    *("run__model_id_asked", "run__order_seed", "run__code_version", "run__finished_at"),
)
SHOWN = 200  # versions of entries; the newest of them


@dataclass(frozen=True)
class PublishedEntry:
    """One published version of an entry. `replaced_by` is the number of the newest published
    version of the same run on the same release, where that is another one."""

    pk: int
    hash: str
    version: int
    condition: str
    release: str
    release_hash: str
    released_at: datetime
    published_at: datetime
    note: str
    provisional: bool
    self_reported: bool
    figures: dict[str, Any]
    run: dict[str, Any]
    replaced_by: int | None = None


def model_of(slug: str) -> Contestant:
    """Return the model `slug`. Raises Http404 where there is none."""
    found = Contestant.objects.filter(slug=slug).first()
    if found is None:
        raise Http404("There is no such model.")
    return found


def entries_of(benchmark: Benchmark, model: Contestant) -> list[PublishedEntry]:
    """Return the published entries of `model`, the newest release first, then by condition and
    version. One query."""
    rows = _published().filter(release__benchmark=benchmark, run__contestant=model)
    return _with_successors(
        [_entry(row) for row in rows.order_by("-release_id", "run__condition", "-version")[:SHOWN]]
    )


def marks_of(benchmark: Benchmark, model: Contestant) -> list[tuple[Any, ...]]:
    """Return what `entries_of` tells without the figures, which the hashes stand for: where it is
    the same, so are the entries. One query."""
    rows = LeaderboardEntry.objects.filter(
        published_at__isnull=False, release__benchmark=benchmark, run__contestant=model
    )
    return list(rows.order_by("pk").values_list(*MARKS))


def entry_by_hash(benchmark: Benchmark, prefix: str) -> tuple[Contestant, int]:
    """Return the model of the published entry whose hash begins with `prefix`, and the entry's
    id. One query.

    Raises Http404 where none is published under it, or more than one.
    """
    rows = list(
        LeaderboardEntry.objects.filter(
            published_at__isnull=False, release__benchmark=benchmark, hash__startswith=prefix
        )
        .select_related("run__contestant")
        .defer("figures", "clusters", "per_item")[:2]
    )
    if len(rows) != 1:
        raise Http404("No such entry is published.")
    return rows[0].run.contestant, rows[0].pk


def published_versions(release: Release) -> QuerySet[LeaderboardEntry]:
    """Return every published version of the entries of `release`, with their models."""
    return _published().filter(release=release).select_related("release", "run__contestant")


def _published() -> QuerySet[LeaderboardEntry]:
    return (
        LeaderboardEntry.objects.filter(published_at__isnull=False)
        .select_related("release", "run")
        .defer("clusters", "per_item")
    )


def _entry(row: LeaderboardEntry) -> PublishedEntry:
    run, release = row.run, row.release
    if row.published_at is None:
        raise ValueError("only published entries are told of")
    return PublishedEntry(
        pk=row.pk,
        hash=row.hash,
        version=row.version,
        condition=run.board_condition,
        release=release.tag,
        release_hash=release.hash,
        released_at=release.created_at,
        published_at=row.published_at,
        note=row.note,
        provisional=row.provisional,
        self_reported=run.origin == Origin.SUBMISSION,
        figures=answered_alone(row.figures),
        run={
            "number": run.pk,
            "origin": run.get_origin_display(),
            "repeats": run.repeats,
            "prompt": run.prompt_version,
            "asked": run.model_id_asked,
            "seed": run.order_seed,
            "clip": run.clip_settings,
            "code": run.code_version,
            "finished_at": run.finished_at,
        },
    )


def answered_alone(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of people over the items that they answered; others' as they are."""
    if "answered" not in figures:
        return figures
    nothing: dict[str, Any] = {"by_duration": {}, "by_category": {}}
    parts = {kind: figures[kind] | part | nothing for kind, part in figures["answered"].items()}
    return figures | parts | {"kinds": sorted(parts)}


def _with_successors(entries: list[PublishedEntry]) -> list[PublishedEntry]:
    newest: dict[tuple[int, str], int] = {}
    for entry in entries:
        place = (entry.run["number"], entry.release)
        newest[place] = max(entry.version, newest.get(place, 0))
    return [
        PublishedEntry(**(vars(entry) | {"replaced_by": found if found > entry.version else None}))
        for entry in entries
        for found in [newest[entry.run["number"], entry.release]]
    ]
