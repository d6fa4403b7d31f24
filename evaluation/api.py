"""The read API for everybody: benchmarks, releases, entries, items without keys; for accounts
runs and the own submissions."""

from typing import Any

from django.db.models import QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.pagination import CursorPagination
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle, UserRateThrottle
from rest_framework.views import APIView

from annotation.models import Benchmark, Release, ReleaseItem, User
from annotation.permissions import Verb, require
from annotation.scopes import Scope
from evaluation.board.files import entry_json
from evaluation.models import Run, Submission
from evaluation.queries.board import board_of
from evaluation.queries.public import open_benchmark, open_benchmarks, pick_release, releases_of
from evaluation.queries.submissions import seen_by
from evaluation.serializers import (
    BenchmarkSerializer,
    EntriesSerializer,
    ItemSerializer,
    ReleaseSerializer,
    RunSerializer,
    SubmissionDetailSerializer,
    SubmissionSerializer,
)


class StrangerThrottle(AnonRateThrottle):
    rate = "120/min"


class AccountThrottle(UserRateThrottle):
    rate = "600/min"


class NewestFirst(CursorPagination):
    page_size = 50
    ordering: Any = "-id"


class ByName(NewestFirst):
    ordering = ("name", "id")


class InOrder(NewestFirst):
    page_size = 100
    ordering = ("position", "id")


@method_decorator(conditional_page, name="dispatch")
class PublicView(APIView):
    """Open to everybody, throttled, with an ETag."""

    permission_classes = (AllowAny,)
    throttle_classes = (StrangerThrottle, AccountThrottle)

    def release(self) -> Release:
        """Return the release that the path names. Raises Http404."""
        benchmark = open_benchmark(self.kwargs["slug"], self.request.user)
        release = pick_release(releases_of(benchmark), self.kwargs["tag"])
        if release is None:
            raise Release.DoesNotExist
        return release


@extend_schema(summary="Benchmarks")
class Benchmarks(PublicView, ListAPIView[Benchmark]):
    queryset = Benchmark.objects.none()  # tells the description its model
    serializer_class = BenchmarkSerializer
    pagination_class = ByName

    def get_queryset(self) -> QuerySet[Benchmark]:
        shown = [found.pk for found in open_benchmarks(self.request.user)]
        return Benchmark.objects.filter(pk__in=shown)


@extend_schema(summary="Releases of a benchmark")
class Releases(PublicView, ListAPIView[Release]):
    queryset = Release.objects.none()  # tells the description its model
    serializer_class = ReleaseSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Release]:
        benchmark = open_benchmark(self.kwargs["slug"], self.request.user)
        return Release.objects.filter(benchmark=benchmark)


@extend_schema(summary="Items of a release, without their keys")
class Items(PublicView, ListAPIView[ReleaseItem]):
    queryset = ReleaseItem.objects.none()  # tells the description its model
    serializer_class = ItemSerializer
    pagination_class = InOrder

    def get_queryset(self) -> QuerySet[ReleaseItem]:
        rows = ReleaseItem.objects.filter(release=self.release(), keep=True)
        return rows.select_related("item_version__item__video")


class Entries(PublicView):
    @extend_schema(summary="Published entries of a release", responses=EntriesSerializer)
    def get(self, *_: Any, **__: Any) -> Response:
        release = self.release()
        rows = [entry_json(row) for row in board_of(release).rows]
        found = {"release": release.tag, "hash": release.hash, "results": rows}
        return Response(EntriesSerializer(found).data)


class AccountView(PublicView):
    """Open to whoever is signed in; `scope` is the one of a token that may change something."""

    scope: Scope | None = None

    permission_classes = (IsAuthenticated,)  # type: ignore[assignment]

    def account(self) -> User:
        if not isinstance(self.request.user, User):
            raise User.DoesNotExist
        return self.request.user


@extend_schema(summary="Runs, for those who may see them")
class Runs(AccountView, ListAPIView[Run]):
    scope = Scope.RUN
    queryset = Run.objects.none()  # tells the description its model
    serializer_class = RunSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Run]:
        require(self.request.user, Verb.SEE_RUNS)
        return Run.objects.select_related("benchmark", "release", "contestant").defer(
            "prompt_text", "extra", "parameters"
        )


@extend_schema(summary="Your submissions; all of them for those who publish")
class Submissions(AccountView, ListAPIView[Submission]):
    scope = Scope.SUBMIT
    queryset = Submission.objects.none()  # tells the description its model
    serializer_class = SubmissionSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Submission]:
        return seen_by(self.account()).defer("report")


@extend_schema(summary="One submission with its report")
class SubmissionDetail(AccountView, RetrieveAPIView[Submission]):
    scope = Scope.SUBMIT
    queryset = Submission.objects.none()  # tells the description its model
    serializer_class = SubmissionDetailSerializer

    def get_queryset(self) -> QuerySet[Submission]:
        return seen_by(self.account())
