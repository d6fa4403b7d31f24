"""The JSON API of grading: one grade under an id made by the client. It tells neither whose
answer it is nor what a judge gave it."""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.reviews import LONGEST_SITTING
from annotation.api_view import ReviewView, check_reader, reader, saved_at
from evaluation.actions.grades import BadGrade, GradingClosed, give_grade, undo_grade
from evaluation.domain.rubric import ERROR_TYPES
from evaluation.models import Grade, SampledAnswer
from evaluation.queries.grading_room import standing_grade
from sonovqa.problems import problem
from sonovqa.strict_fields import HIGHEST_ID, Known


class GradeIn(Known):
    """A grade; see `evaluation.actions.grades.give_grade`."""

    score = serializers.IntegerField(min_value=0, max_value=2, allow_null=True, default=None)
    error_type = serializers.ChoiceField(choices=ERROR_TYPES, allow_blank=True, default="")
    skipped = serializers.BooleanField(default=False)
    active_seconds = serializers.FloatField(min_value=0, max_value=LONGEST_SITTING, default=0.0)
    reader = serializers.IntegerField(min_value=1, max_value=HIGHEST_ID, required=False)


class GradeOut(serializers.Serializer[Any]):
    """A grade as it is stored; a taken back one comes with the one that stands now."""

    id = serializers.UUIDField()
    score = serializers.IntegerField(allow_null=True)
    error_type = serializers.CharField(allow_blank=True)
    skipped = serializers.BooleanField()
    undone = serializers.BooleanField()
    saved_at = serializers.DateTimeField()
    standing = serializers.DictField(allow_null=True, required=False)


class GradeView(ReviewView):
    """One grade under an id made by the client. Sending it again changes nothing."""

    @extend_schema(
        summary="Grade a sampled answer, under an id that you make",
        request=GradeIn,
        responses={200: GradeOut},
    )
    def put(self, request: Request, answer_id: int, grade_id: uuid.UUID) -> Response:
        form = GradeIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        user = reader(request)
        check_reader(said, user)
        return Response(
            receipt(give_grade(grade_id=grade_id, answer_id=answer_id, **said, by=user))
        )

    @extend_schema(summary="Take your grade back", responses={200: GradeOut})
    def delete(self, request: Request, answer_id: int, grade_id: uuid.UUID) -> Response:
        user = reader(request)
        if not Grade.objects.filter(pk=grade_id, grader=user, answer=answer_id).exists():
            return problem(404, "not-found", "You have given no such grade to this answer.")
        undone = undo_grade(grade_id=grade_id, by=user)
        stands = standing_grade(answer_id, user)
        return Response(receipt(undone) | {"standing": receipt(stands) if stands else None})

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, BadGrade):
            return problem(400, "invalid", "Some fields are wrong.", errors=exc.errors)
        if isinstance(exc, GradingClosed):
            return problem(409, "closed", str(exc))
        if isinstance(exc, SampledAnswer.DoesNotExist):
            return problem(404, "not-found", "No such answer is yours to grade.")
        return super().handle_exception(exc)


def receipt(grade: Grade) -> dict[str, Any]:
    return {
        "id": str(grade.pk),
        "score": grade.score,
        "error_type": grade.error_type,
        "skipped": grade.skipped,
        "undone": grade.undone_at is not None,
        "saved_at": saved_at(),
    }
