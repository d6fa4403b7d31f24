"""A release as files to take away: a zip in the published layout, or lines of JSON."""

import json
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

from annotation.exporter import export_benchmark
from annotation.models import Release, ReleaseItem, Revision
from annotation.queries.item_data import version_data

IN_MEMORY = 8 * 1024 * 1024  # bytes of a zip before it moves to the disk
BATCH = 500
STAMP = (1980, 1, 1, 0, 0, 0)  # the same release gives the same bytes


def zipped(release: Release) -> IO[bytes]:
    """Return an open zip of the release in the published layout, at its start.

    What is held out is left out. It goes away when it is closed. Raises ExportRefused.
    """
    target = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  the caller's
    with (
        tempfile.TemporaryDirectory(prefix="export-") as folder,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        export_benchmark(release.benchmark, folder, release=release, public=True)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), STAMP)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                packed.writestr(entry, path.read_bytes())
    target.seek(0)
    return target


def lines(release: Release) -> Iterator[str]:
    """Yield the release as lines of JSON: first itself, then each item with its provenance.

    Times are seconds from the start of the video, segments seconds of the source, the ROI
    fractions of the full frame; people are pseudonyms. What is held out is left out. Read in
    batches: one batch is in memory.
    """
    yield line(head(release))
    shown = release.release_items.filter(held_out=False, item_version__item__held_out=False)
    frozen = shown.order_by("position").select_related(
        "item_version__item__video__source", "item_version__author"
    )
    rows = frozen.iterator(chunk_size=BATCH)
    while batch := list(islice(rows, BATCH)):
        trail = trails(batch, release)
        for row in batch:
            yield line(item(row, trail[row.item_version.item_id]))


def line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def head(release: Release) -> dict[str, Any]:
    benchmark, maker = release.benchmark, release.created_by
    return {
        "record": "release",
        "benchmark": benchmark.slug,
        "name": benchmark.name,
        "tag": release.tag,
        "hash": release.hash,
        "notes": release.notes,
        "made_at": release.created_at.isoformat(),
        "made_by": maker.pseudonym if maker else None,
        "kept": {"mcq": release.kept_mcq, "free": release.kept_free},
        "attribution": benchmark.attribution,
        "citation": benchmark.citation,
    }


def item(row: ReleaseItem, trail: list[Revision]) -> dict[str, Any]:
    version = row.item_version
    video = version.item.video
    return {
        "record": "item",
        "key": version.item.key,
        "kind": version.item.kind,
        "keep": row.keep,
        **version_data(version),
        "video": {
            "name": video.name,
            "title": video.title,
            "category": video.category,
            "source": str(video.source),
            "start": version.video_start,
            "end": version.video_end,
        },
        "digest": version.digest,
        "text_digest": version.text_digest,
        "clip_digest": version.clip_digest,
        "written": {
            "at": version.created_at.isoformat(),
            "by": version.author.pseudonym if version.author else "import",
            "why": version.reason,
        },
        "trail": [
            {
                "at": one.at.isoformat(),
                "by": one.actor,
                "did": one.verb,
                "why": one.reason,
                "before": one.before,
                "after": one.after,
            }
            for one in trail
        ],
    }


def trails(batch: Iterable[ReleaseItem], release: Release) -> dict[int, list[Revision]]:
    """Return what had been done to each item of `batch` when the release was made."""
    ids = [row.item_version.item_id for row in batch]
    found: dict[int, list[Revision]] = defaultdict(list)
    revisions = Revision.objects.filter(
        target_kind="item", target_id__in=ids, at__lte=release.created_at
    )
    for one in revisions.order_by("pk"):
        found[one.target_id].append(one)
    return found
