"""Stores what clinicians give to answers, and takes it back."""

import math
import uuid
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.actions.conflicts import IdTaken, under_new_id
from annotation.actions.reviews import LONGEST_SITTING
from annotation.actions.trail import record
from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.domain.rubric import ERROR_TYPES, MOST_POINTS
from evaluation.models import Grade, GradingSample, SampledAnswer
from evaluation.models.grading import SampleState
from evaluation.queries.grading_room import is_theirs

FULL_MARKS = "none"


class BadGrade(ValueError):
    """`errors` maps a field's name to what is wrong with it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = errors


class GradingClosed(Exception):
    """The sample is not open, so no grade is taken or taken back."""


@transaction.atomic
def give_grade(
    *,
    grade_id: uuid.UUID,
    answer_id: int,
    score: int | None = None,
    error_type: str = "",
    skipped: bool = False,
    active_seconds: float = 0.0,
    by: User,
) -> Grade:
    """Store what `by` gives to an answer: points with their error type, or that it was passed
    over. A later grade of the same answer replaces the one before, which is kept.

    Raises:
        PermissionDenied: `by` may not review.
        SampledAnswer.DoesNotExist: no such answer is theirs to grade.
        BadGrade: points and error type do not fit.
        IdTaken: the id was used for another grade.
        GradingClosed: the sample is not open.
    """
    require(by, Verb.REVIEW)
    said: dict[str, Any] = {
        "answer_id": answer_id,
        "grader_id": by.pk,
        "score": score,
        "error_type": error_type,
        "skipped": skipped,
    }
    _check(said, active_seconds)
    sample = _lock(answer_id, by)
    stored = Grade.objects.filter(pk=grade_id).first()
    if stored is not None:
        if any(getattr(stored, field) != value for field, value in said.items()):
            raise IdTaken("This id was used for another grade.")
        return stored
    if sample.state != SampleState.OPEN:
        raise GradingClosed("This sample is not open, so no grade is taken.")
    _standing(answer_id, by).update(replaced_at=timezone.now())
    with under_new_id("grade"):
        grade = Grade.objects.create(id=grade_id, active_seconds=active_seconds, **said)
    _record(grade, sample, by, "give_grade")
    return grade


@transaction.atomic
def undo_grade(*, grade_id: uuid.UUID, by: User) -> Grade:
    """Take a grade back; the one that it had replaced stands again.

    Taking it back twice does nothing more. Raises PermissionDenied, GradingClosed, and
    Grade.DoesNotExist where `by` has given no such grade.
    """
    require(by, Verb.REVIEW)
    grade = Grade.objects.get(pk=grade_id, grader=by)
    sample = _lock(grade.answer_id, by)
    grade.refresh_from_db()
    if grade.undone_at is not None:
        return grade
    if sample.state != SampleState.OPEN:
        raise GradingClosed("This sample is closed: its grades stand as they are.")
    stood = grade.replaced_at is None
    grade.undone_at = timezone.now()
    grade.save(update_fields=["undone_at"])
    if stood:
        _bring_back(grade, by)
    _record(grade, sample, by, "undo_grade")
    return grade


def _bring_back(grade: Grade, by: User) -> None:
    before = Grade.objects.filter(
        answer=grade.answer_id, grader=by, undone_at=None, replaced_at__isnull=False
    )
    latest = before.order_by("-replaced_at", "-created_at").first()
    if latest is not None:
        latest.replaced_at = None
        latest.save(update_fields=["replaced_at"])


def _lock(answer_id: int, by: User) -> GradingSample:
    """Return the locked sample of an answer that is `by`'s to grade."""
    answer = SampledAnswer.objects.get(pk=answer_id)
    sample = GradingSample.objects.select_for_update().get(pk=answer.sample_id)
    if not is_theirs(sample, answer, by):
        raise SampledAnswer.DoesNotExist("This answer is not yours to grade.")
    return sample


def _standing(answer_id: int, by: User) -> QuerySet[Grade]:
    return Grade.objects.filter(answer=answer_id, grader=by, replaced_at=None, undone_at=None)


def _check(said: dict[str, Any], active_seconds: float) -> None:
    errors = {}
    score, error_type = said["score"], said["error_type"]
    if not (math.isfinite(active_seconds) and 0 <= active_seconds <= LONGEST_SITTING):
        errors["active_seconds"] = f"must be from 0 to {LONGEST_SITTING:.0f}"
    if said["skipped"]:
        if score is not None or error_type:
            errors["score"] = "an answer that is passed over has no points and no error type"
    elif score is None or not 0 <= score <= MOST_POINTS:
        errors["score"] = "must be 0, 1 or 2"
    elif error_type not in ERROR_TYPES:
        errors["error_type"] = "must be one of the rubric's error types"
    elif (score == MOST_POINTS) != (error_type == FULL_MARKS):
        errors["error_type"] = "2 points have no error, fewer points have one"
    if errors:
        raise BadGrade(errors)


def _record(grade: Grade, sample: GradingSample, by: User, verb: str) -> None:
    """The trail holds that there is a grade, not what it says: trails are read by others."""
    record(
        by=by,
        verb=verb,
        target_kind="grade",
        target_id=grade.answer_id,
        benchmark_id=sample.benchmark_id,
        after={"grade": str(grade.pk), "sample": sample.pk},
    )
