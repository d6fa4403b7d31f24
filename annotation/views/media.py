"""Serves sources and stills to reviewers; nothing here is public."""

import os
from collections.abc import Iterator
from pathlib import Path

from django.core.exceptions import PermissionDenied
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    JsonResponse,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.http import http_date, parse_http_date_safe
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from annotation import clip_previews, stills
from annotation.domain.byte_ranges import ByteRange, UnsatisfiableRangeError, read_range
from annotation.models import Source, Video
from annotation.permissions import Verb, require
from annotation.queries.withheld import in_quarantine
from annotation.source_access import Withheld, local_path
from annotation.tasks import take_still

BLOCK = 256 * 1024  # bytes read at a time
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
    return _video(request, path)


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
    return _video(request, path)


def _video(request: HttpRequest, path: Path) -> HttpResponseBase:
    stat = path.stat()
    tag = f'"{stat.st_size:x}-{stat.st_mtime_ns:x}"'
    common = _private_headers(tag, stat)
    if tag in [part.strip() for part in request.headers.get("If-None-Match", "").split(",")]:
        return HttpResponse(status=304, headers=common)
    try:
        part = _wanted_part(request, tag, stat)
    except UnsatisfiableRangeError:
        return HttpResponse(
            status=416, headers=common | {"Content-Range": f"bytes */{stat.st_size}"}
        )
    return _video_response(request, path, part, stat.st_size, common)


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


def _private_headers(tag: str, stat: os.stat_result) -> dict[str, str]:
    return {
        "ETag": tag,
        "Last-Modified": http_date(stat.st_mtime),
        "Accept-Ranges": "bytes",
        "Cache-Control": "private, max-age=3600",
        "Content-Disposition": "inline",
        "X-Content-Type-Options": "nosniff",
    }


def _wanted_part(request: HttpRequest, tag: str, stat: os.stat_result) -> ByteRange | None:
    """Return the part asked for; If-Range with another version asks for the whole."""
    condition = request.headers.get("If-Range", "")
    if condition and condition != tag and parse_http_date_safe(condition) != int(stat.st_mtime):
        return None
    return read_range(request.headers.get("Range", ""), stat.st_size)


def _video_response(
    request: HttpRequest, path: Path, part: ByteRange | None, size: int, common: dict[str, str]
) -> HttpResponseBase:
    headers = common | {"Content-Length": str(part.length if part else size)}
    if part:
        headers["Content-Range"] = f"bytes {part.first}-{part.last}/{size}"
    status = 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, headers=headers, content_type="video/mp4")
    return StreamingHttpResponse(
        _blocks(path, part or ByteRange(0, size - 1)),
        status=status,
        headers=headers,
        content_type="video/mp4",
    )


def _blocks(path: Path, part: ByteRange) -> Iterator[bytes]:
    with path.open("rb") as handle:
        handle.seek(part.first)
        left = part.length
        while left > 0 and (block := handle.read(min(BLOCK, left))):
            left -= len(block)
            yield block
