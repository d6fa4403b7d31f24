"""What stands in the place of a page whose figures a worker has not counted yet."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import Benchmark

AGAIN_AFTER = 3  # seconds


def being_counted(request: HttpRequest, benchmark: Benchmark) -> HttpResponse:
    """Say so, and let the browser come again."""
    context = {"benchmark": benchmark, "nav_active": "benchmark"}
    page = render(request, "annotation/being_counted.html", context, status=202)
    page["Refresh"] = str(AGAIN_AFTER)
    return page
