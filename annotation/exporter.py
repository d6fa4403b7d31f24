"""Exports a benchmark in the published layout: what was imported comes out as it went in."""

import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.db.models import Q

from annotation.domain.benchmark_files import METADATA
from annotation.domain.benchmark_folder import FOLDERS, KINDS, file_name
from annotation.domain.folders import NotAFolder
from annotation.domain.import_report import ImportReport
from annotation.domain.questions import BadQuestion, parse_question
from annotation.domain.rows import Finding
from annotation.domain.video_names import problem_with
from annotation.models import Benchmark, Item, ItemVersion, Release, Video
from annotation.published_rows import event_row, item_row, style_of, video_row

Row = tuple[Item, ItemVersion, bool | None]


class ExportRefused(ValueError):
    """A benchmark cannot be written there; the message says why, in one sentence."""


def export_benchmark(
    benchmark: Benchmark,
    folder: Path | str,
    *,
    release: Release | None = None,
    public: bool = False,
) -> ImportReport:
    """Write `benchmark` below `folder` in the published layout.

    With `release`, the item versions, segments, boxes and keep flags are those it froze;
    items that are not part of it are left out. Files of the same names are replaced, each in
    one step; other files in the folder stay and are named as skipped. With `public`, what is
    held out is left out, and with it the event log of each video that has such an item, since
    items are written from it.

    Raises ExportRefused where the release is of another benchmark or the folder cannot be
    written.
    """
    if release is not None and release.benchmark_id != benchmark.pk:
        raise ExportRefused(f"{release.tag} is no release of {benchmark.slug}.")
    root = Path(folder)
    report = ImportReport("export_benchmark", benchmark.slug)
    report.facts = {"folder": str(root), "release": release.tag if release else None}
    written: set[str] = set()
    try:
        metadata = {}
        for video in benchmark.videos.select_related("source").order_by("position", "pk"):
            rows = _rows(video, release, public)
            metadata[_spelling(video, "metadata")] = video_row(video, _frozen(rows, release))
            has_events = not (public and video.items.filter(_held_out(release)).exists())
            _write_video(root, video, rows, written, report, has_events=has_events)
        _write(root, METADATA, metadata, written)
    except (OSError, NotAFolder) as error:
        raise ExportRefused(f"{root} cannot be written: {error}.") from None
    report.tally("videos").written = len(metadata)
    report.tally("files").written = len(written)
    _note_strangers(root, written, report)
    return report


def _held_out(release: Release | None) -> Q:
    """Return what is true of items that are held out now, or were when `release` was frozen."""
    frozen = Q(versions__release_items__release=release, versions__release_items__held_out=True)
    return Q(held_out=True) | frozen if release else Q(held_out=True)


def _rows(video: Video, release: Release | None, public: bool) -> dict[str, list[Row]]:
    """Return the items of a video by kind, each with its version and keep flag."""
    found: dict[str, list[Row]] = {kind: [] for kind in KINDS}
    hidden = set(video.items.filter(_held_out(release)).values_list("pk", flat=True))
    if release is None:
        items = video.items.select_related("current").order_by("kind", "index")
        for item in items.exclude(pk__in=hidden if public else ()):
            if item.current is not None:
                found[item.kind].append((item, item.current, item.keep))
        return found
    frozen = release.release_items.filter(item_version__item__video=video)
    frozen = frozen.select_related("item_version__item")
    frozen = frozen.exclude(item_version__item__in=hidden if public else ())
    for row in frozen.order_by("item_version__item__index"):
        item = row.item_version.item
        found[item.kind].append((item, row.item_version, row.keep))
    return found


def _frozen(rows: dict[str, list[Row]], release: Release | None) -> ItemVersion | None:
    """Return a frozen version that has the segment and the box of its video, if there is one."""
    if release is None:
        return None
    versions = (version for kind in KINDS for _, version, _ in rows[kind])
    return next((version for version in versions if not version.roi_is_override), None)


def _spelling(video: Video, what: str) -> str:
    """Return how the layout spells the video's name, safe as a file's name."""
    spelling = str(video.files.get(what) or video.name)
    if reason := problem_with(spelling):
        raise NotAFolder(f"the video {spelling[:80]!r} {reason}")
    return spelling


def _write_video(
    root: Path,
    video: Video,
    rows: dict[str, list[Row]],
    written: set[str],
    report: ImportReport,
    *,
    has_events: bool,
) -> None:
    events = video.events.order_by("position") if has_events else ()
    files: dict[str, list[dict[str, Any]]] = {"events": [event_row(event) for event in events]}
    for kind in KINDS:
        files[kind] = [item_row(*row) for row in rows[kind]]
        name = file_name(kind, _spelling(video, kind))
        report.doubts.add(*_doubts(rows[kind], name))
    for what, objects in files.items():
        report.tally(what).written += len(objects)
        if objects or what in video.files:
            _write(root, file_name(what, _spelling(video, what)), objects, written)


def _doubts(rows: Iterable[Row], name: str) -> list[Finding]:
    """Say which rows would not come back as they are here."""
    found = []
    for place, (item, version, _) in enumerate(rows):
        position = f"row {place}"
        if item.index != place:
            reason = f"is row {item.index} here; rows before it are missing"
            found.append(Finding(name, position, "", reason))
        text = str(item_row(item, version, None)["question"])
        if not _reads_back(text, item, version):
            reason = f"reads otherwise when split at the marks of {style_of(item).mark!r}"
            found.append(Finding(name, position, "question", reason))
    return found


def _reads_back(text: str, item: Item, version: ItemVersion) -> bool:
    try:
        question = parse_question(text, item.kind)
    except BadQuestion:
        return False
    return (question.stem, list(question.options)) == (version.stem, list(version.options))


def _write(root: Path, name: str, value: Any, written: set[str]) -> None:
    """Replace the file in one step, so that a stopped export leaves no half of one."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".export-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(value, indent=2))
        Path(draft).chmod(0o644)
        Path(draft).replace(path)
    finally:
        Path(draft).unlink(missing_ok=True)
    written.add(name)


def _note_strangers(root: Path, written: set[str], report: ImportReport) -> None:
    for folder, _ in FOLDERS.values():
        for path in sorted((root / folder).glob("*.json")):
            name = f"{folder}/{path.name}"
            if name not in written:
                report.skipped.add(f"{name} is not of this benchmark and was left as it is")
