"""The review workspace: the page of one item, and the fragments that it fetches."""

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST, require_safe

from annotation.actions import skips
from annotation.actions.round_claims import claim_next
from annotation.actions.seal import note_key_shown
from annotation.models import Benchmark, Item, User, Video
from annotation.permissions import Verb, require
from annotation.queries.counts import benchmark_lines
from annotation.queries.event_log import event_log
from annotation.queries.order import first_of, next_open
from annotation.queries.own_progress import own_counts
from annotation.queries.queue import Filter, matching, video_entries
from annotation.queries.round_queue import everyone_so_far, own_rounds, rests
from annotation.queries.rounds import open_rounds
from annotation.queries.workspace import find_item, item_panel, workspace


def reader_of(request: HttpRequest) -> User:
    """Return the signed-in reader. Raises PermissionDenied for others."""
    require(request.user, Verb.REVIEW)
    assert isinstance(request.user, User)  # noqa: S101  require lets nobody else through
    return request.user


def filter_of(request: HttpRequest) -> Filter:
    return Filter.read(request.GET.get("show", ""), request.GET.get("q", ""))


def query_of(wanted: Filter) -> str:
    """Return the query string that keeps the filter from page to page, with its "?"."""
    pairs = {"show": wanted.show if wanted.show != "all" else "", "q": wanted.text}
    text = urlencode({name: value for name, value in pairs.items() if value})
    return f"?{text}" if text else ""


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Where reviewing starts: the only benchmark, or a choice."""
    user = reader_of(request)
    lines = benchmark_lines(user)
    rounds = own_rounds(user)
    if len(lines) == 1 and len(rounds) < 2:
        return redirect("annotation:review_next", lines[0].benchmark.slug)
    context = {"lines": lines, "rounds": rounds, "nav_active": "review"}
    return render(request, "annotation/review_home.html", context)


@login_required
@never_cache
@require_GET
def review_next(request: HttpRequest, slug: str) -> HttpResponse:
    """To the next item that waits for the reader: of their round, where they are in one.

    In a round it is claimed here, and ends by itself; a browser that only looks ahead gets
    nothing. Without a round it is the next of the benchmark, or the first where none waits.
    """
    user = reader_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    wanted = filter_of(request)
    if request.headers.get("Sec-Purpose", "").startswith("prefetch"):
        return HttpResponse(status=204)
    if not wanted.is_narrow and (answer := next_of_round(request, user, benchmark)):
        return answer
    item_id = next_open(user, benchmark, wanted=wanted)
    if item_id is None:
        item_id = first_of(matching(user, benchmark, Filter()))
    if item_id is None:
        context = {"benchmark": benchmark, "nav_active": "review"}
        return render(request, "annotation/review_empty.html", context)
    return redirect(reverse("annotation:review", args=[slug, item_id]) + query_of(wanted))


def next_of_round(request: HttpRequest, user: User, benchmark: Benchmark) -> HttpResponse | None:
    """Claim the next item of the reader's rounds; None for a reader in no open round."""
    rounds = open_rounds(user, benchmark)
    asked = request.GET.get("round", "")
    if asked.isdecimal() and asked.isascii():
        rounds = [one for one in rounds if str(one.pk) == asked]
    elif not rounds:
        return None
    for round_ in rounds:
        turn = claim_next(round_id=round_.pk, skipped="skipped" in request.GET, by=user)
        if turn is not None:
            return redirect("annotation:review", benchmark.slug, turn.round_item.item_id)
    done = reverse("annotation:review_done", args=[benchmark.slug])
    return redirect(f"{done}?round={asked}" if asked.isdecimal() else done)


def item_or_404(slug: str, item_id: int) -> Item:
    try:
        return find_item(slug, item_id)
    except Item.DoesNotExist:
        raise Http404("No such item in this benchmark.") from None


def keep_sight(user: User, context: dict[str, Any]) -> None:
    """Keep that the page which is made of `context` shows its reader the item's key."""
    if not context["answering"].sealed:
        note_key_shown(version=context["version"], by=user)


@login_required
@never_cache
@require_safe
def review(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """The page of one item."""
    user = reader_of(request)
    wanted = filter_of(request)
    context = workspace(user, item_or_404(slug, item_id), wanted)
    keep_sight(user, context)
    context |= {"nav_active": "review", "filter_query": query_of(wanted)}
    return render(request, "annotation/review.html", context)


@login_required
@never_cache
@require_safe
def review_done(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether a reader is finished, and with what: their rounds, or the whole benchmark."""
    user = reader_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    context = own_counts(user, benchmark) | {
        "benchmark": benchmark,
        "nav_active": "review",
        "rests": rests(user, benchmark),
    }
    return render(request, "annotation/review_done.html", context)


@login_required
@never_cache
@require_safe
def item_column(request: HttpRequest, slug: str, item_id: int) -> HttpResponseBase:
    """The item column alone, for the moment after a vote."""
    user = reader_of(request)
    wanted = filter_of(request)
    item = item_or_404(slug, item_id)
    context = item_panel(user, item, wanted)
    keep_sight(user, context)
    stands = context["answering"]
    if stands.wanted and not stands.sealed:
        context["opened_events"] = asdict(event_log(user, item, stands))
    context |= {
        "benchmark": item.benchmark,
        "filter_query": query_of(wanted),
        "everyone": everyone_so_far(item.benchmark, context["at"]),
    }
    return render(request, "annotation/_item.html", context)


@login_required
@never_cache
@require_safe
def queue_group(request: HttpRequest, slug: str, video_id: int) -> HttpResponse:
    """The items of one video, for the moment when its group is opened."""
    user = reader_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    video = get_object_or_404(benchmark.videos, pk=video_id)
    wanted = filter_of(request)
    context = {
        "entries": video_entries(user, benchmark, video.pk, wanted),
        "benchmark": benchmark,
        "filter_query": query_of(wanted),
    }
    return render(request, "annotation/_queue_entries.html", context)


@login_required
@require_POST
def skip_video(request: HttpRequest, slug: str, video_id: int) -> HttpResponse:
    """Skip what is left of a video, and go on with the next one."""
    user = reader_of(request)
    video = get_object_or_404(
        Video.objects.select_related("benchmark"), pk=video_id, benchmark__slug=slug
    )
    count = skips.skip_video(video_id=video_id, by=user)
    messages.info(request, f"{count} skipped: {video.title}. They stay in your queue.")
    waiting = matching(user, video.benchmark, Filter("todo"))
    ahead = first_of(waiting.filter(video_position__gt=video.position))
    item_id = ahead or first_of(waiting.filter(video_position__lt=video.position))
    if item_id is None:
        return redirect("annotation:review_done", slug)
    return redirect("annotation:review", slug, item_id)
