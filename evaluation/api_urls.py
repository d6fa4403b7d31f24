"""Routes of the read API, and its description made from them."""

from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.permissions import AllowAny

from evaluation import api
from evaluation.board.api_page import Operation, operations
from sonovqa import __version__

RELEASE = "api/v1/benchmarks/<slug:slug>/releases/<str:tag>"
READ = [
    path("api/v1/benchmarks/", api.Benchmarks.as_view(), name="api_benchmarks"),
    path("api/v1/benchmarks/<slug:slug>/releases/", api.Releases.as_view(), name="api_releases"),
    path(f"{RELEASE}/items/", api.Items.as_view(), name="api_items"),
    path(f"{RELEASE}/entries/", api.Entries.as_view(), name="api_entries"),
    path("api/v1/runs/", api.Runs.as_view(), name="api_runs"),
    path("api/v1/submissions/", api.Submissions.as_view(), name="api_submissions"),
    path("api/v1/submissions/<int:pk>/", api.SubmissionDetail.as_view(), name="api_submission"),
]
SETTINGS = {
    "TITLE": "sonovqa",
    "DESCRIPTION": "Reads benchmarks, releases, items without keys, entries, runs, submissions.",
    "VERSION": __version__,
}


@cache
def described() -> list[Operation]:
    return operations(SchemaGenerator(patterns=READ).get_schema(request=None, public=True))


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Show the API as a page that needs no script."""
    return render(request, "evaluation/api.html", {"operations": described(), "nav_active": ""})


schema = SpectacularJSONAPIView.as_view(
    patterns=READ, permission_classes=[AllowAny], custom_settings=SETTINGS, api_version=__version__
)
urlpatterns = [
    *READ,
    path("api/v1/schema/", schema, name="api_schema"),
    path("api/v1/docs/", docs, name="api_docs"),
]
