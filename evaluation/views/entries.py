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
from evaluation.actions.readers import ReadersRefused
from evaluation.forms import ReadersForm
from evaluation.models import LeaderboardEntry
from evaluation.queries.entries import entry_rows, reader_counts
from evaluation.readers import settle_readers

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
        "readers_form": ReadersForm(benchmark=benchmark),
        "readers": reader_counts(benchmark),
    }
    return render(request, "evaluation/entries.html", context)


@login_required
@require_POST
def add_readers(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the rows of the readers of a release, and the pooled one, from their answers."""
    user = publisher_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = ReadersForm(request.POST, benchmark=benchmark)
    if not form.is_valid():
        messages.error(request, "Choose a release of this benchmark, and a judge or none.")
        return redirect("evaluation:entries", slug)
    asked = form.cleaned_data
    try:
        settled = settle_readers(
            asked["release"], by=user, judge=asked["judge"], publish=asked["publish"]
        )
    except ReadersRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, settled.told())
    return redirect("evaluation:entries", slug)


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
