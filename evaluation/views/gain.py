"""The card of a benchmark's page that says what the video adds, by question type."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.permissions import Verb, require
from evaluation.board.gain_card import gains_by_type
from evaluation.queries.board import board_of
from evaluation.queries.public import open_benchmark, pick_release, releases_of


@login_required
@never_cache
@require_safe
def gain(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the gain over blind on the newest release; published entries alone."""
    require(request.user, Verb.REVIEW)
    benchmark = open_benchmark(slug, request.user)
    release = pick_release(releases_of(benchmark), "")
    models = gains_by_type(board_of(release)) if release else []
    context = {"benchmark": benchmark, "release": release, "models": models}
    return render(request, "evaluation/_gain_card.html", context)
