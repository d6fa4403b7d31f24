"""Predictions from outside: sent as one streamed body, followed, taken back."""

from collections.abc import Iterator, Mapping
from typing import IO, Any, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import APIException
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.scopes import Scope
from evaluation.actions.submissions import (
    SubmissionRefused,
    receive_submission,
    withdraw_submission,
)
from evaluation.api_base import AccountView
from evaluation.models import Submission
from evaluation.queries.submissions import seen_by
from evaluation.run_serializers import (
    PredictionIn,
    SubmissionDetailSerializer,
    SubmissionIn,
    SubmissionSerializer,
)
from sonovqa.cursors import NewestFirst
from sonovqa.problems import problem

CHUNK = 262_144  # bytes


class LengthMissing(APIException):
    status_code, default_detail = 411, "Say in Content-Length how long the body is."


class Sent:
    """A body as a file of a submission: read as it comes, never held whole."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.stream = stream
        self.name: str | None = name

    def chunks(self) -> Iterator[bytes]:
        while chunk := self.stream.read(CHUNK):
            yield chunk


class Lines(BaseParser):
    """Hands the body on unread."""

    media_type = "application/x-ndjson"
    name = "predictions.jsonl"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 DRF hands it over
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        return Sent(stream, self.name)


class Layout(Lines):
    media_type = "application/json"
    name = "predictions.json"


class Submissions(AccountView, ListAPIView[Submission]):
    scope = Scope.SUBMIT
    queryset = Submission.objects.none()  # tells the description its model
    serializer_class = SubmissionSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Submission]:
        return seen_by(self.account()).defer("report")

    @extend_schema(summary="Your submissions; all of them for those who publish")
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.list(request, *args, **kwargs)


class Send(AccountView):
    """A body of JSON lines, `{"item": …, "prediction": …}` each, or of the original layout."""

    scope = Scope.SUBMIT
    parser_classes = (Lines, Layout)

    @extend_schema(
        summary="Send the predictions of a model for a release",
        parameters=[SubmissionIn],
        request={
            "application/x-ndjson": PredictionIn,
            "application/json": PredictionIn(many=True),
        },
        responses={201: SubmissionDetailSerializer},
    )
    def post(self, request: Request, *_: Any, **__: Any) -> Response:
        check_length(request)
        release, form = self.release(), SubmissionIn(data=request.query_params.dict())
        form.is_valid(raise_exception=True)
        said = dict(form.validated_data)
        try:
            made = receive_submission(
                release=release,
                files=[cast(Sent, request.data)],
                model_name=said.pop("model"),
                by=self.account(),
                **said,
            )
        except SubmissionRefused as error:
            return problem(409, "refused", str(error))
        return Response(SubmissionDetailSerializer(made).data, status=201)


def check_length(request: Request) -> None:
    """Refuse a body by its length before it is read. Raises LengthMissing, RequestDataTooBig."""
    length = request.META.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit() and int(length[:20])):
        raise LengthMissing
    if len(length) > 15 or int(length) > settings.SUBMISSION_MEGABYTES * 1_048_576:
        raise RequestDataTooBig


@extend_schema(summary="One submission: its state, its report row by row, its figures once scored")
class SubmissionDetail(AccountView, RetrieveAPIView[Submission]):
    scope = Scope.SUBMIT
    queryset = Submission.objects.none()  # tells the description its model
    serializer_class = SubmissionDetailSerializer

    def get_queryset(self) -> QuerySet[Submission]:
        return seen_by(self.account())


class Withdraw(AccountView):
    scope = Scope.SUBMIT

    @extend_schema(
        summary="Take a submission of yours back, off the leaderboard too",
        request=None,
        responses=SubmissionDetailSerializer,
    )
    def post(self, *_: Any, pk: int) -> Response:
        user = self.account()
        found = get_object_or_404(seen_by(user), pk=pk)
        try:
            withdraw_submission(submission=found, by=user)
        except SubmissionRefused as error:
            return problem(409, "refused", str(error))
        found.refresh_from_db()
        return Response(SubmissionDetailSerializer(found).data)
