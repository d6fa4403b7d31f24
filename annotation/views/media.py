"""Serves sources and stills to reviewers; nothing here is public."""

from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from annotation import clip_previews, stills
from annotation.models import Source, Video
from annotation.permissions import Verb, require
from annotation.queries.withheld import in_quarantine
from annotation.source_access import Withheld, local_path
from annotation.tasks import take_still
from annotation.video_response import video_response

DAY_MS = 86_400_000
NO_WORKER = "No worker can be told to take the still."


@require_safe
def source_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The MP4 of a source that lies on this machine, whole or in part."""
    require(request.user, Verb.REVIEW)
    source = get_object_or_404(Source, pk=pk)
    if in_quarantine(source).exists():
        raise PermissionDenied(Withheld().reason)
    path = local_path(source)
    if path is None:
        raise Http404("This source has no file here.")
    return video_response(request, path)


@require_safe
def preview(request: HttpRequest, video_id: int, name: str) -> HttpResponseBase:
    """A clip as a model gets it, cut before for the one who asks, whole or in part."""
    require(request.user, Verb.REVIEW)
    video = get_object_or_404(Video.objects.select_related("source"), pk=video_id)
    try:
        path = clip_previews.find(video, name)
    except Withheld as refusal:
        raise PermissionDenied(refusal.reason) from refusal
    if path is None:
        raise Http404("This clip is no longer kept. Ask for it again.")
    return video_response(request, path)


@require_safe
def still(request: HttpRequest, video_id: int, ms: int) -> HttpResponseBase:
    """The frame at `ms` from the start of a video: 200 JPEG, 202 while a worker takes it,
    404 with reason and advice where it cannot be had."""
    require(request.user, Verb.REVIEW)
    video = get_object_or_404(Video.objects.select_related("source"), pk=video_id)
    state = stills.ask(video, min(ms, DAY_MS))
    if state.start and not _told_worker(video, min(ms, DAY_MS)):
        return _no_still(NO_WORKER, "Start the worker and its broker: manage.py up.", status=503)
    if state.path:
        headers = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
        return FileResponse(state.path.open("rb"), content_type="image/jpeg", headers=headers)
    if state.reason:
        return _no_still(state.reason, state.advice, status=404)
    headers = {"Cache-Control": "no-store", "Retry-After": "1"}
    return JsonResponse({"state": "pending"}, status=202, headers=headers)


def _told_worker(video: Video, milliseconds: int) -> bool:
    try:
        take_still.delay(video.pk, milliseconds)
    except (OperationalError, OSError):
        stills.give_up(video, milliseconds)
        return False
    return True


def _no_still(reason: str, advice: str, *, status: int) -> JsonResponse:
    body = {"reason": reason, "advice": advice}
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
