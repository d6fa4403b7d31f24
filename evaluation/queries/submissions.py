"""Submissions as their senders and those who publish see them; the template to fill in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.domain.question_texts import letter
from annotation.models import Release, User
from annotation.permissions import Verb, has_permission
from evaluation.models import Judgement, LeaderboardEntry, Prediction, Provider, Submission
from evaluation.models.submission import SubmissionState
from evaluation.queries.public import open_items

A_PAGE = 25
MOST_AHEAD = 1_000
GUESS = 500_000.0  # bytes a second, before anything was read here
BATCH = 500


@dataclass(frozen=True)
class Progress:
    """How far a submission is: its place in the queue (1 is next), verdicts of free responses
    (of a server that is asked: its replies, and the items), and the seconds that it will wait
    for the next state, where that can be told."""

    place: int
    judged: int
    free: int
    seconds: int | None = None


def seen_by(user: User) -> QuerySet[Submission]:
    """Return the submissions that `user` may see: the own, all for those who publish."""
    figures = LeaderboardEntry.objects.filter(run=OuterRef("run"))
    found = Submission.objects.select_related("benchmark", "release", "run", "sender")
    found = found.annotate(has_figures=Exists(figures))
    return found if has_permission(user, Verb.PUBLISH) else found.filter(sender=user)


def submission_page(user: User, number: str) -> Page:
    """Return a page of the submissions that `user` may see, the newest first. Two queries."""
    return Paginator(seen_by(user).defer("report"), A_PAGE).get_page(number)


def progress_of(submission: Submission) -> Progress:
    """Return how far a submission is. At most three queries."""
    if submission.state == SubmissionState.RECEIVED:
        waiting = Submission.objects.filter(state=SubmissionState.RECEIVED, pk__lt=submission.pk)
        ahead = list(waiting.values_list("files", flat=True)[:MOST_AHEAD])
        size = _bytes(submission.files) + sum(map(_bytes, ahead))
        return Progress(len(ahead) + 1, 0, 0, round(size / _reading_rate()))
    if submission.shown_state[0] == "asking" and submission.run:
        answered = Prediction.objects.filter(run=submission.run).count()
        asked = int(submission.run.extra.get("answers", 0))
        return Progress(0, answered, asked, _judging_seconds(submission, answered, asked))
    if submission.shown_state[0] == "judging" and submission.run:
        verdicts = Judgement.objects.by(submission.run).filter(score__isnull=False)
        judged, free = verdicts.count(), int(submission.run.extra.get("free_answers", 0))
        return Progress(0, judged, free, _judging_seconds(submission, judged, free))
    return Progress(0, 0, 0)


def key_shown(submission: Submission) -> str | None:
    """Return the last four signs of the key of a submission's server, "" where it is too short
    to show any; None once it is deleted, and for files. One query."""
    found = Provider.objects.filter(contestants__runs__submission=submission, public_only=True)
    row = found.exclude(key_sealed="").values_list("key_last4", flat=True).first()
    return row if submission.endpoint else None


def _bytes(files: list[dict[str, Any]]) -> int:
    return sum(int(file["bytes"]) for file in files)


def _reading_rate() -> float:
    """Return the bytes a second of the submissions read last, else a cautious guess."""
    read = Submission.objects.filter(started_at__isnull=False, checked_at__isnull=False)
    rows = list(read.order_by("-pk").values_list("files", "started_at", "checked_at")[:A_PAGE])
    spans = [(end - start).total_seconds() for _, start, end in rows if start and end]
    seconds = sum(max(0.5, span) for span in spans)
    return max(1.0, sum(_bytes(files) for files, _, _ in rows) / seconds) if rows else GUESS


def _judging_seconds(submission: Submission, judged: int, free: int) -> int | None:
    """Return how long the judge takes for the rest at its pace so far; None before the first."""
    if not judged or submission.checked_at is None:
        return None
    passed = (timezone.now() - submission.checked_at).total_seconds()
    return round(passed / judged * max(0, free - judged))


def template_lines(release: Release) -> Iterator[str]:
    """Yield the items of the public part as lines to fill in, without key, answer, ground truth.

    Options stand in the order that every model is shown; times are seconds of the source.
    """
    rows = open_items(release).order_by("position")
    fields = rows.values_list(
        "item_version__item__key",
        "item_version__item__kind",
        "item_version__stem",
        "item_version__options",
        "item_version__shown_order",
        "item_version__item__video__name",
        "item_version__video_start",
        "item_version__start",
        "item_version__end",
    )
    for key, kind, stem, options, order, video, begin, start, end in fields.iterator(
        chunk_size=BATCH
    ):
        line = {
            "item": key,
            "prediction": "",
            "kind": kind,
            "question": stem,
            "options": {letter(place): options[index] for place, index in enumerate(order)},
            "video": video,
            "start": round(begin + start, 3),
            "end": round(begin + end, 3),
        }
        yield json.dumps(line, ensure_ascii=False) + "\n"
