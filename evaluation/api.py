"""The read API for everybody: benchmarks, releases, items without keys, the leaderboard with its
versions; for those who may take keys out, the items with them."""

from collections import OrderedDict
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from annotation.models import Benchmark, Release, ReleaseItem
from annotation.permissions import Verb, require
from annotation.scopes import Scope
from evaluation.api_base import AccountView, PublicView
from evaluation.board.files import entry_json
from evaluation.models import LeaderboardEntry
from evaluation.models.run import ON_BOARD
from evaluation.queries.board import Board, board_of
from evaluation.queries.model_entries import published_versions
from evaluation.queries.public import open_benchmark, open_benchmarks, open_items
from evaluation.serializers import (
    BenchmarkSerializer,
    ItemSerializer,
    KeySerializer,
    LeaderboardSerializer,
    ReleaseSerializer,
    VersionSerializer,
)
from sonovqa.cursors import ByName, InOrder, NewestFirst
from sonovqa.unchanged import Unchanged, mark

CONDITION = OpenApiParameter(
    "condition", enum=[str(one) for one in ON_BOARD], description="Only entries of this one."
)


@extend_schema(summary="Benchmarks")
class Benchmarks(PublicView, ListAPIView[Benchmark]):
    queryset = Benchmark.objects.none()  # tells the description its model
    serializer_class = BenchmarkSerializer
    pagination_class = ByName

    def get_queryset(self) -> QuerySet[Benchmark]:
        shown = [found.pk for found in open_benchmarks(self.request.user)]
        return Benchmark.objects.filter(pk__in=shown)


class OneBenchmark(PublicView):
    @extend_schema(summary="One benchmark", responses=BenchmarkSerializer)
    def get(self, *_: Any, **__: Any) -> Response:
        benchmark = open_benchmark(self.kwargs["slug"], self.request.user)
        return Response(BenchmarkSerializer(benchmark).data)


@extend_schema(summary="Releases of a benchmark")
class Releases(PublicView, ListAPIView[Release]):
    queryset = Release.objects.none()  # tells the description its model
    serializer_class = ReleaseSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[Release]:
        benchmark = open_benchmark(self.kwargs["slug"], self.request.user)
        return Release.objects.filter(benchmark=benchmark)


class OneRelease(PublicView):
    @extend_schema(summary="One release", responses=ReleaseSerializer)
    def get(self, *_: Any, **__: Any) -> Response:
        return Response(ReleaseSerializer(self.release()).data)


@extend_schema(summary="Items of a release, without their keys")
class Items(PublicView, ListAPIView[ReleaseItem]):
    queryset = ReleaseItem.objects.none()  # tells the description its model
    serializer_class = ItemSerializer
    pagination_class = InOrder

    def get_queryset(self) -> QuerySet[ReleaseItem]:
        return open_items(self.release()).select_related("item_version__item__video")


@extend_schema(summary="Items of a release with their keys, for those who may take them out")
class Keys(AccountView, ListAPIView[ReleaseItem]):
    scope = Scope.MAINTAIN
    queryset = ReleaseItem.objects.none()  # tells the description its model
    serializer_class = KeySerializer
    pagination_class = InOrder

    def get_queryset(self) -> QuerySet[ReleaseItem]:
        require(self.request.user, Verb.IMPORT)
        rows = ReleaseItem.objects.filter(release=self.release(), keep=True)
        return rows.select_related("item_version__item__video")


KEPT_BODIES = 64
_bodies: OrderedDict[tuple[str, str | None], bytes] = OrderedDict()
_at_rest: Unchanged[bytes] = Unchanged(KEPT_BODIES)  # by benchmark, release, condition


def shown_board(board: Board, condition: str | None) -> bytes:
    """Return a board as JSON, made once for its key, which changes with anything on it."""
    body = _bodies.get((board.key, condition))
    if body is None:
        rows = [row for row in board.rows if condition in (None, row.head.condition)]
        found = {
            "release": board.release.tag,
            "hash": board.release.hash,
            "results": [entry_json(row) for row in rows],
        }
        body = JSONRenderer().render(LeaderboardSerializer(found).data)
        _bodies[board.key, condition] = body
        while len(_bodies) > KEPT_BODIES:
            _bodies.popitem(last=False)
    return body


class Leaderboard(PublicView):
    @extend_schema(
        summary="Leaderboard of a release: the entries that stand now",
        parameters=[CONDITION],
        responses=LeaderboardSerializer,
    )
    def get(self, *_: Any, **__: Any) -> HttpResponse:
        wanted = self.request.query_params.get("condition")
        name = (self.kwargs["slug"], self.kwargs["tag"], wanted)
        # An account may see more than a stranger.
        now = None if self.request.user.is_authenticated else mark()
        body = _at_rest.get(name, now)
        if body is None:
            body = self.body(wanted)
            _at_rest.put(name, now, body)
        return HttpResponse(body, "application/json")

    def body(self, wanted: str | None) -> bytes:
        release = self.release()
        if wanted is not None and wanted not in ON_BOARD:
            raise ValidationError({"condition": ["There is no such condition."]})
        return shown_board(board_of(release), wanted)


@extend_schema(summary="Every published version of the entries of a release, the newest first")
class Entries(PublicView, ListAPIView[LeaderboardEntry]):
    queryset = LeaderboardEntry.objects.none()  # tells the description its model
    serializer_class = VersionSerializer
    pagination_class = NewestFirst

    def get_queryset(self) -> QuerySet[LeaderboardEntry]:
        return published_versions(self.release())
