"""Turns submitted files into replies, batch by batch, and reports what is wrong with rows.

Of an item that the release holds out a sender is told what is told of one that is not there,
else a report would say which guesses of keys, questions and videos are right.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any

from django.db.models import Count

from annotation.domain.benchmark_folder import read_rows
from annotation.domain.import_report import ImportReport
from annotation.domain.rows import Finding
from annotation.models import Benchmark, Release, ReleaseItem
from annotation.queries.named import NotFound, release_named
from evaluation.domain.prediction_files import read_prediction, video_part
from evaluation.domain.prediction_matching import AskedItem, NoMatch, match_row
from evaluation.domain.submission_files import Answer, read_lines, replies_alone
from evaluation.import_plan import build_prediction
from evaluation.importer import PredictionsRefused
from evaluation.models.prediction import Outcome
from evaluation.queries.asked_items import (
    KeyedItem,
    items_of_video,
    items_with_keys,
    no_video,
    told_videos,
    videos_of,
)
from evaluation.submitted_replies import Reply, read_reply_to, reply_of

BATCH = 1000


@dataclass
class Reading:
    """What has been read so far: the report, the item versions answered, kept ones by kind."""

    release: Release
    report: ImportReport
    seen: set[int] = field(default_factory=set)
    kept: dict[str, int] = field(default_factory=lambda: {"mcq": 0, "free": 0})

    def refuse(self, file: str, position: str, name: str, reason: str) -> None:
        self.report.refuse("replies", [Finding(file, position, name, reason)])

    def facts(self) -> dict[str, Any]:
        """Return how complete the answers are: kept items answered and there, by kind, without
        those that are held out."""
        release = self.release
        items = {"mcq": release.kept_mcq, "free": release.kept_free}
        held = ReleaseItem.objects.filter(release=release, keep=True, held_out=True).order_by()
        kinds = held.values_list("item_version__item__kind").annotate(Count("pk"))
        for kind, count in kinds:
            items[kind] -= count
        return {"release": release.tag, "answered": dict(self.kept), "items": items}


def start_reading(release: Release, what: str) -> Reading:
    return Reading(release, ImportReport(what, release.benchmark.slug, dry_run=True))


def check_lines(
    path: Path, *, benchmark: Benchmark, release: Release | None = None
) -> ImportReport:
    """Say what a submission of one file of lines would take and refuse; nothing is written.

    Raises PredictionsRefused where it cannot be read or the benchmark has no release.
    """
    try:
        reading = start_reading(release or release_named(benchmark), "check_predictions")
        with path.open("rb") as lines:
            reading.report.tally("files").read += 1
            for _ in read_answers(lines, path.name, reading):
                pass
    except (NotFound, OSError) as error:
        raise PredictionsRefused(str(error)) from None
    reading.report.facts = reading.facts()
    return reading.report


def read_files(files: Sequence[tuple[Path, str]], reading: Reading) -> Iterator[list[Reply]]:
    """Yield the replies of the files at the paths, each with the name it came by."""
    rows = [Path(name) for _, name in files if not name.endswith(".jsonl")]
    videos = videos_of(rows, told_videos(reading.release))
    for path, name in files:
        reading.report.tally("files").read += 1
        if name.endswith(".jsonl"):
            with path.open("rb") as lines:
                yield from read_answers(lines, name, reading)
        else:
            yield _of_layout(path, name, videos[Path(name)], reading)


def read_answers(file: IO[bytes], name: str, reading: Reading) -> Iterator[list[Reply]]:
    """Yield the replies of a file of lines; one batch of lines is held at a time."""
    rows = read_lines(file, name)
    while batch := list(islice(rows, BATCH)):
        answers: list[Answer] = []
        reading.report.tally("replies").read += len(batch)
        for one in batch:
            if isinstance(one, Finding):
                reading.report.refuse("replies", [one])
            else:
                answers.append(one)
        items = items_with_keys(reading.release, {answer.item for answer in answers})
        found = [_of_answer(answer, items.get(answer.item), name, reading) for answer in answers]
        yield [reply for reply in found if reply is not None]


def _of_answer(answer: Answer, item: KeyedItem | None, name: str, reading: Reading) -> Reply | None:
    if item is None:
        reading.refuse(name, answer.position, "item", "is the key of no item of this release")
        return None
    reply = read_reply_to(answer.prediction, item)
    return _take(reply, item, name, answer.position, "item", reading)


def _of_layout(path: Path, name: str, video: int | None, reading: Reading) -> list[Reply]:
    if video is None:
        videos = told_videos(reading.release)
        why = no_video(name, videos) if video_part(name) else "is no pred_NAME.json"
        reading.report.refuse("files", [Finding(name, "", "", why)])
        return []
    items = items_of_video(reading.release, video, told=True)
    found = []
    for place, value in enumerate(read_rows(path, name, reading.report) or []):
        reading.report.tally("replies").read += 1
        row = read_prediction(place, replies_alone(value), file=name)
        position = f"row {place}"
        if isinstance(row, list):
            reading.report.refuse("replies", row)
            continue
        try:
            matched = match_row(row, items)
        except NoMatch as error:
            reading.refuse(name, position, "question", str(error))
            continue
        if row.failure:
            reading.refuse(name, position, "model_prediction", row.failure)
            continue
        reply = reply_of(build_prediction(row, matched))
        if _take(reply, matched.item, name, position, "question", reading):
            found.append(reply)
    return found


def _take(
    reply: Reply,
    item: AskedItem | KeyedItem,
    name: str,
    position: str,
    where: str,
    reading: Reading,
) -> Reply | None:
    if item.version_id in reading.seen:
        reading.refuse(name, position, where, f"answers {item.key} a second time")
        return None
    reading.seen.add(item.version_id)
    reading.report.tally(item.kind).new += 1
    reading.kept[item.kind] += item.keep
    if reply.outcome == Outcome.ABSTAINED:
        reason = "states no option of the question; counted as no answer"
        reading.report.doubts.add(Finding(name, position, "prediction", reason))
    return reply
