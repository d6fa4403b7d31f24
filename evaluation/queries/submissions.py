"""Submissions as their senders and those who publish see them; the template to fill in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from annotation.domain.question_texts import letter
from annotation.models import Release, User
from annotation.permissions import Verb, has_permission
from evaluation.models import Judgement, Submission
from evaluation.models.submission import SubmissionState
from evaluation.queries.public import open_items

A_PAGE = 25
BATCH = 500


@dataclass(frozen=True)
class Progress:
    """How far a submission is: its place in the queue (1 is next), verdicts of free responses."""

    place: int
    judged: int
    free: int


def seen_by(user: User) -> QuerySet[Submission]:
    """Return the submissions that `user` may see: the own, all for those who publish."""
    found = Submission.objects.select_related("benchmark", "release", "run", "sender")
    return found if has_permission(user, Verb.PUBLISH) else found.filter(sender=user)


def submission_page(user: User, number: str) -> Page:
    """Return a page of the submissions that `user` may see, the newest first. Two queries."""
    return Paginator(seen_by(user).defer("report"), A_PAGE).get_page(number)


def progress_of(submission: Submission) -> Progress:
    """Return how far a submission is. At most two queries."""
    if submission.state == SubmissionState.RECEIVED:
        waiting = Submission.objects.filter(state=SubmissionState.RECEIVED, pk__lt=submission.pk)
        return Progress(waiting.count() + 1, 0, 0)
    if submission.shown_state[0] == "judging" and submission.run:
        verdicts = Judgement.objects.by(submission.run).filter(score__isnull=False)
        return Progress(0, verdicts.count(), int(submission.run.extra.get("free_answers", 0)))
    return Progress(0, 0, 0)


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
