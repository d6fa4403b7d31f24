"""Imports predictions that were made elsewhere, and says what it took and what it refused."""

from dataclasses import dataclass
from pathlib import Path

from annotation.domain.benchmark_folder import read_rows
from annotation.domain.folders import NotAFolder, check_folder, json_files
from annotation.domain.import_report import ImportReport
from annotation.domain.rows import Finding
from annotation.models import Benchmark, Release, User
from annotation.permissions import Verb, require
from annotation.planner import refresh_statistics
from annotation.queries.named import NotFound, release_named
from evaluation.actions.entries import publish_entry
from evaluation.actions.imports import (
    RunRefused,
    find_run,
    import_file,
    named_contestant,
    open_run,
)
from evaluation.domain.prediction_files import SUMMARY, PredictionRow, read_prediction, video_part
from evaluation.domain.prediction_matching import AskedItem
from evaluation.import_plan import Stored, plan_file, stored_replies
from evaluation.leaderboard import compute_entry
from evaluation.models import Judgement, LeaderboardEntry, Prediction, Run
from evaluation.models.run import Condition
from evaluation.queries.asked_items import items_of_video, no_video, videos_of

JUDGE = "imported judge"
LONGEST_JUDGE = 120


class PredictionsRefused(ValueError):
    """Nothing of a folder can be imported; the message says why, in one sentence."""


@dataclass
class _Target:
    """Where predictions go. `run` is None until a reply is stored; `model` is empty where
    the files are only checked."""

    release: Release
    model: str
    condition: str
    judge: str
    by: User | str
    dry_run: bool
    run: Run | None = None


def import_predictions(
    path: Path | str,
    *,
    benchmark: Benchmark,
    model: str,
    condition: str = Condition.VIDEO,
    release: Release | None = None,
    by: User | str,
    dry_run: bool = False,
    publish: bool = True,
    judge: str = JUDGE,
) -> ImportReport:
    """Import the `pred_*.json` and `score_pred_*.json` of one folder as a run of `model`.

    Calls for one model, condition and release fill one run; what is there already stays. Each
    file is one transaction. Answers, keep flags and MCQ scores of the files are not used.
    Afterwards the run's leaderboard entry is computed and, with `publish`, published.

    Args:
        model: its name; a model of that name is made where there is none.
        release: default the newest of `benchmark`.
        by: the account that imports, or `annotation.actions.trail.IMPORT`.
        dry_run: compare only; nothing is written.
        judge: the name under which the files' verdicts on free responses are stored.

    Raises PredictionsRefused where the folder holds no predictions, the benchmark has no
    release, or the names are no names; PermissionDenied where `by` may not import.
    """
    if isinstance(by, User):
        require(by, Verb.IMPORT)
    report = _new_report("import_predictions", benchmark, dry_run)
    try:
        release = release or release_named(benchmark)
        _check_names(benchmark, release, condition, judge)
        contestant = named_contestant(model)
        files = _files(Path(path), report)
    except (NotFound, NotAFolder, RunRefused) as error:
        raise PredictionsRefused(str(error)) from None
    target = _Target(release, model.strip(), condition, judge, by, dry_run)
    if contestant is not None:
        target.run = find_run(release=release, contestant=contestant, condition=condition)
    _import_files(files, target, report)
    name = contestant.name if contestant else target.model
    run = target.run.pk if target.run else None
    report.facts |= {"model": name, "condition": condition, "release": release.tag, "run": run}
    if target.run is not None and not dry_run:
        if report.changed_anything:
            refresh_statistics(Prediction, Judgement)
        _settle_entry(target.run, publish, report, by)
    return report


def check_predictions(
    path: Path | str, *, benchmark: Benchmark, release: Release | None = None
) -> ImportReport:
    """Say what an import of the folder would take and refuse; nothing is read of any run.

    Raises PredictionsRefused as `import_predictions` does.
    """
    report = _new_report("check_predictions", benchmark, dry_run=True)
    try:
        release = release or release_named(benchmark)
        files = _files(Path(path), report)
    except (NotFound, NotAFolder) as error:
        raise PredictionsRefused(str(error)) from None
    target = _Target(release, "", Condition.VIDEO, JUDGE, "", dry_run=True)
    _import_files(files, target, report)
    report.facts["release"] = release.tag
    return report


def _new_report(what: str, benchmark: Benchmark, dry_run: bool) -> ImportReport:
    report = ImportReport(what, benchmark.slug, dry_run)
    report.facts = {"failed_calls": 0, "judgements": 0, "matched_by": {}}
    return report


def _check_names(benchmark: Benchmark, release: Release, condition: str, judge: str) -> None:
    if release.benchmark_id != benchmark.pk:
        raise RunRefused(f"{release.tag} is no release of {benchmark.slug}.")
    if condition not in Condition.values:
        known = ", ".join(Condition.values)
        raise RunRefused(f"{condition!r} is no condition; there are: {known}.")
    if not judge.strip() or len(judge) > LONGEST_JUDGE or not judge.isprintable():
        raise RunRefused(f"A judge's name has 1 to {LONGEST_JUDGE} printable characters.")


def _files(path: Path, report: ImportReport) -> list[Path]:
    """Return the prediction files of a folder; others are noted as skipped."""
    folder = check_folder(path, "prediction files")
    paths, refused = json_files(folder, label=folder.name)
    for finding in refused:
        report.refuse("files", [finding])
    files = [path for path in paths if video_part(path.name)]
    for other in paths:
        if not video_part(other.name):
            why = "a summary" if other.name == SUMMARY else "no prediction file by its name"
            report.skipped.add(f"{folder.name}/{other.name}: {why}")
    if not files and not refused:
        raise NotAFolder(f"{folder} holds no pred_*.json and no score_pred_*.json.")
    return files


def _import_files(files: list[Path], target: _Target, report: ImportReport) -> None:
    known = target.release.benchmark.videos.all()
    videos = videos_of(files, known)
    answered: set[int] = set()
    for path in files:
        shown = f"{path.parent.name}/{path.name}"
        video = videos[path]
        if video is None:
            report.refuse("files", [Finding(shown, "", "", no_video(path.name, known))])
            continue
        report.tally("files").read += 1
        rows = _read_file(path, shown, report)
        answered |= _import_rows(rows, items_of_video(target.release, video), target, shown, report)
    _note_coverage(target, answered, report)


def _import_rows(
    rows: list[PredictionRow],
    items: list[AskedItem],
    target: _Target,
    shown: str,
    report: ImportReport,
) -> set[int]:
    """Take the rows of one file; return the versions answered by what a dry run would store."""
    if target.dry_run:
        stored = stored_replies(target.run, target.judge, items) if target.run else Stored()
        arrivals = plan_file(rows, items, stored, shown, report)
        return {arrival.prediction.item_version_id for arrival in arrivals}
    if target.run is None:
        # A run is made by its first reply, never by files of which nothing can be taken.
        trial = _new_report(report.what, target.release.benchmark, dry_run=True)
        if plan_file(rows, items, Stored(), shown, trial):
            target.run = open_run(
                release=target.release,
                model=target.model,
                condition=target.condition,
                judge_label=target.judge,
                by=target.by,
            )
    if target.run is None:
        plan_file(rows, items, Stored(), shown, report)
    else:
        import_file(
            run=target.run,
            file=shown,
            rows=rows,
            items=items,
            judge_label=target.judge,
            report=report,
            by=target.by,
        )
    return set()


def _read_file(path: Path, shown: str, report: ImportReport) -> list[PredictionRow]:
    good = []
    for place, value in enumerate(read_rows(path, shown, report) or []):
        report.tally("replies").read += 1
        row = read_prediction(place, value, file=shown)
        if isinstance(row, list):
            report.refuse("replies", row)
        else:
            good.append(row)
    return good


def _note_coverage(target: _Target, answered: set[int], report: ImportReport) -> None:
    kept = target.release.release_items.filter(keep=True)
    if target.run is not None:
        held = Prediction.objects.filter(run=target.run)
        answered |= set(held.values_list("item_version_id", flat=True))
    missing = {"mcq": 0, "free": 0}
    rows = kept.values_list("item_version_id", "item_version__item__kind")
    for version, kind in rows.iterator(chunk_size=2000):
        missing[kind] += version not in answered
    report.facts["missing"] = missing
    if target.run is None and not target.dry_run:
        report.notes.append("No reply could be taken, so no run was made.")
    report.notes.append(
        f"Release {target.release.tag}: {missing['mcq']} kept MCQs and {missing['free']} kept "
        "free-response items have no reply yet."
    )


def _settle_entry(run: Run, publish: bool, report: ImportReport, by: User | str) -> None:
    entry = compute_entry(run)
    if publish and entry.published_at is None:
        entry = publish_entry(entry=entry, by=by)
    report.facts["entry"] = _entry_facts(entry)
    state = "published" if entry.published_at else "private"
    report.notes.append(f"Run {run.pk}, leaderboard entry version {entry.version}: {state}.")


def _entry_facts(entry: LeaderboardEntry) -> dict[str, object]:
    return {
        "version": entry.version,
        "hash": entry.hash,
        "published": entry.published_at is not None,
        "provisional": entry.provisional,
    }
