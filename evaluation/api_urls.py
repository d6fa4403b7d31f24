"""Routes of the read API, and its description made from all routes below `api/v1/`."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, re_path
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.permissions import AllowAny

from evaluation import api, api_run_data, api_submissions
from evaluation.api_base import Nothing
from evaluation.board.api_page import Operation, operations
from sonovqa import __version__

BENCHMARK = "api/v1/benchmarks/<slug:slug>"
RELEASE = f"{BENCHMARK}/releases/<str:tag>"
READ = [
    path("api/v1/benchmarks/", api.Benchmarks.as_view(), name="api_benchmarks"),
    path(f"{BENCHMARK}/", api.OneBenchmark.as_view(), name="api_benchmark"),
    path(f"{BENCHMARK}/releases/", api.Releases.as_view(), name="api_releases"),
    path(f"{RELEASE}/", api.OneRelease.as_view(), name="api_release"),
    path(f"{RELEASE}/items/", api.Items.as_view(), name="api_items"),
    path(f"{RELEASE}/keys/", api.Keys.as_view(), name="api_keys"),
    path(f"{RELEASE}/leaderboard/", api.Leaderboard.as_view(), name="api_leaderboard"),
    path(f"{RELEASE}/entries/", api.Entries.as_view(), name="api_entries"),
    path(f"{RELEASE}/submissions/", api_submissions.Send.as_view(), name="api_send"),
    path("api/v1/runs/", api_run_data.Runs.as_view(), name="api_runs"),
    path("api/v1/runs/<int:pk>/", api_run_data.OneRun.as_view(), name="api_run"),
    path(
        "api/v1/runs/<int:pk>/predictions/",
        api_run_data.Predictions.as_view(),
        name="api_predictions",
    ),
    path("api/v1/submissions/", api_submissions.Submissions.as_view(), name="api_submissions"),
    path(
        "api/v1/submissions/<int:pk>/",
        api_submissions.SubmissionDetail.as_view(),
        name="api_submission",
    ),
    path(
        "api/v1/submissions/<int:pk>/withdraw/",
        api_submissions.Withdraw.as_view(),
        name="api_withdraw",
    ),
]


@cache
def described() -> list[Operation]:
    return operations(SchemaGenerator().get_schema(request=None, public=True))


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the API as a page that needs no script."""
    return render(request, "evaluation/api.html", {"operations": described(), "nav_active": ""})


schema = SpectacularJSONAPIView.as_view(permission_classes=[AllowAny], api_version=__version__)
urlpatterns = [
    *READ,
    path("api/v1/schema/", schema, name="api_schema"),
    path("api/v1/docs/", docs, name="api_docs"),
    # Last of all: what is not there is told as a problem too. Without its slash an address is
    # led to the one with it.
    re_path(r"^api/v1/(?:.*/)?$", Nothing.as_view(), name="api_nothing"),
]
