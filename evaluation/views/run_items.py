"""The page of one answer of a run, which its drawer loads, and the clip that the model saw."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation import seen_clips
from annotation.permissions import Verb, require
from annotation.source_access import Withheld
from annotation.video_response import video_response
from evaluation.models import Run
from evaluation.queries.run_item import Answer, find_answer
from evaluation.queries.run_item_filter import ItemFilter
from evaluation.run_item_page import answer_context, next_answer, seen_version


def answer_of(pk: int, version_id: int, repeat: int) -> Answer:
    """Return an answer of a run. Raises Http404."""
    path = ("contestant", "judge", "rejudges", "release", "benchmark")
    run = get_object_or_404(Run.objects.select_related(*path), pk=pk)
    found = find_answer(run, version_id, repeat)
    if found is None:
        raise Http404("The run does not ask this.")
    return found


@login_required
@require_safe
@never_cache
def run_item(request: HttpRequest, pk: int, version_id: int, repeat: int) -> HttpResponse:
    """Show one answer: as a page, or the part of it that a drawer holds."""
    require(request.user, Verb.SEE_RUNS)
    answer = answer_of(pk, version_id, repeat)
    wanted = ItemFilter.read(request.GET.dict())
    context = answer_context(answer, wanted)
    if "fragment" in request.GET:
        return render(request, "evaluation/_run_item.html", context)
    context |= {"next": next_answer(answer, wanted)}
    return render(request, "evaluation/run_item.html", context)


@login_required
@require_safe
def run_item_clip(request: HttpRequest, pk: int, version_id: int, repeat: int) -> HttpResponseBase:
    """Serve the very file that the model was shown, whole or in part."""
    require(request.user, Verb.SEE_RUNS)
    answer = answer_of(pk, version_id, repeat)
    if answer.prediction is None:
        raise Http404("Nothing was shown yet.")
    facts = answer.prediction.extra.get("clip", {})
    try:
        seen = seen_clips.find(seen_version(answer.version, facts), answer.prediction.clip_sha256)
    except Withheld as refusal:
        raise PermissionDenied(refusal.reason) from refusal
    if seen is None:
        raise Http404("This file is not kept on this machine any more.")
    return video_response(request, seen.path)
