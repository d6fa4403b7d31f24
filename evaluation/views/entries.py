"""The page on which maintainers publish and withdraw leaderboard entries."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Benchmark, User
from annotation.permissions import Verb, require
from evaluation.actions.entries import EntryRefused, publish_entry, withdraw_entry
from evaluation.models import LeaderboardEntry
from evaluation.queries.entries import entry_rows

NOTE_LENGTH = 300


def publisher_of(request: HttpRequest) -> User:
    """Return the signed-in account. Raises PermissionDenied unless it may publish."""
    require(request.user, Verb.PUBLISH)
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


@login_required
@never_cache
@require_safe
def entries(request: HttpRequest, slug: str) -> HttpResponse:
    """List the entries of a benchmark, private ones too."""
    publisher_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    context = {
        "benchmark": benchmark,
        "rows": entry_rows(benchmark),
        "nav_active": "leaderboard",
        "note_length": NOTE_LENGTH,
    }
    return render(request, "evaluation/entries.html", context)


@login_required
@require_POST
def entry_action(request: HttpRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Publish or withdraw one entry, then go back to the list."""
    user = publisher_of(request)
    entry = get_object_or_404(LeaderboardEntry, pk=pk, release__benchmark__slug=slug)
    note = request.POST.get("note", "").replace("\x00", "")[:NOTE_LENGTH]
    try:
        if action == "publish":
            publish_entry(entry=entry, by=user, note=note)
            messages.success(request, "The entry stands on the leaderboard.")
        elif action == "withdraw":
            withdraw_entry(entry=entry, by=user, note=note)
            messages.success(request, "The entry is off the leaderboard.")
        else:
            raise Http404
    except EntryRefused as error:
        messages.error(request, str(error))
    return redirect("evaluation:entries", slug)
