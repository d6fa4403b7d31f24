"""Imports a benchmark in the published layout, one video at a time, and says what it did."""

import re
from collections import Counter
from pathlib import Path

from annotation.actions.import_items import Places, renumber
from annotation.actions.imports import compare_video, import_video, open_benchmark
from annotation.actions.releases import ReleaseRefused, make_release
from annotation.domain.benchmark_folder import KINDS, VideoFiles, read_content, read_videos
from annotation.domain.counted import counted_text
from annotation.domain.folders import NotAFolder
from annotation.domain.import_report import ImportReport
from annotation.domain.rows import RESERVED
from annotation.domain.strict_json import BadJson
from annotation.domain.video_names import category_from
from annotation.models import (
    Benchmark,
    Event,
    Item,
    ItemVersion,
    Release,
    ReleaseItem,
    Source,
    User,
    Video,
)
from annotation.permissions import Verb, require
from annotation.planner import refresh_statistics

FIRST_TAG = "r1"
SLUG = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ImportRefused(ValueError):
    """Nothing of a folder can be imported; the message says why, in one sentence."""


def import_benchmark(
    path: Path | str, *, slug: str, by: User | str, dry_run: bool = False, name: str = ""
) -> ImportReport:
    """Import the benchmark at `path` as `slug`; return what was done, refused and doubted.

    Each video is one transaction, so an import that is stopped is completed by the next.
    Items are known again by kind, video and place in the file. What people here have edited
    or settled stands, and is reported as held. Nothing is deleted. The first import freezes
    the keep decisions as release `r1`.

    Args:
        by: the account that imports, or `annotation.actions.trail.IMPORT`.
        dry_run: compare only; nothing is written.
        name: of a benchmark that is made; default its slug.

    Raises ImportRefused where the folder is no benchmark or the slug is no slug, and
    PermissionDenied where an account `by` may not import.
    """
    if isinstance(by, User):
        require(by, Verb.IMPORT)
    if not SLUG.fullmatch(slug):
        raise ImportRefused(
            f"{slug!r} is no slug: 1 to 64 letters, digits, hyphens and underscores."
        )
    report = ImportReport("import_benchmark", slug, dry_run)
    try:
        videos = read_videos(Path(path), report)
    except (NotAFolder, BadJson) as error:
        raise ImportRefused(str(error)) from None
    benchmark = Benchmark.objects.filter(slug=slug).first()
    if not dry_run and benchmark is None:
        benchmark = open_benchmark(slug=slug, name=(name or slug)[:200], by=by)
    _import_videos(videos, benchmark, report, by)
    _note_facts(videos, benchmark, report)
    if not dry_run and benchmark is not None:
        if report.changed_anything:
            refresh_statistics(Source, Video, Event, Item, ItemVersion)
        _settle_release(benchmark, report, by)
    return report


def _import_videos(
    videos: list[VideoFiles], benchmark: Benchmark | None, report: ImportReport, by: User | str
) -> None:
    places = Places.of(benchmark)
    for files in videos:
        content = read_content(files, report)
        if report.dry_run or benchmark is None:
            compare_video(benchmark=benchmark, files=files, content=content, report=report)
        else:
            import_video(
                benchmark=benchmark,
                files=files,
                content=content,
                places=places,
                report=report,
                by=by,
            )
    if benchmark is not None:
        _note_gone_videos(videos, benchmark, report)
        made = sum(report.tally(kind).new for kind in KINDS)
        if made and not report.dry_run and benchmark.items.count() != made:
            renumber(benchmark)


def _note_gone_videos(videos: list[VideoFiles], benchmark: Benchmark, report: ImportReport) -> None:
    present = {files.row.name for files in videos}
    refused = {finding.position for finding in report.refused.first}
    for name, extra in benchmark.videos.values_list("name", "extra"):
        if name not in present and name not in refused and RESERVED in extra:
            report.gone.add(f"video/{name}")
            report.tally("videos").gone += 1


def _note_facts(
    videos: list[VideoFiles], benchmark: Benchmark | None, report: ImportReport
) -> None:
    report.facts["sources"] = len({(v.row.source_kind, v.row.source_key) for v in videos})
    guessed = Counter(category_from(files.row.name) or "none" for files in videos)
    shares = ", ".join(f"{name} {count}" for name, count in guessed.most_common())
    counted = counted_text(len(videos), "video"), counted_text(report.facts["sources"], "source")
    report.notes.append(" of ".join(counted) + ".")
    report.notes.append(f"Categories are guessed from words of the names: {shares}.")
    report.facts["release"] = None
    if benchmark is None:
        report.notes.append("The benchmark would be new.")


def _settle_release(benchmark: Benchmark, report: ImportReport, by: User | str) -> None:
    """Freeze the first release, or name the newest."""
    release = benchmark.releases.first()
    made = release is None and benchmark.items.filter(keep=True).exists()
    if made:
        try:
            release = make_release(
                benchmark=benchmark, tag=FIRST_TAG, notes="The keep decisions as imported.", by=by
            )
        except ReleaseRefused:  # another import of the same folder was first
            made, release = False, benchmark.releases.first()
    if made and release is not None:
        refresh_statistics(Release, ReleaseItem)
        report.notes.append(
            f"Release {release.tag} frozen: {release.kept_mcq} MCQs and {release.kept_free} "
            f"free-response items kept, hash {release.hash[:12]}."
        )
        if not report.ok:
            report.notes.append(f"What was refused above is not part of release {release.tag}.")
    if release is None:
        report.notes.append("No item is kept, so no release was made.")
        return
    report.facts["release"] = {"tag": release.tag, "hash": release.hash, "made": made}
