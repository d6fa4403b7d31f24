"""An MP4 of the store as a response, whole or in part, for those who may see it and no cache."""

import os
from collections.abc import Iterator
from pathlib import Path

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import http_date, parse_http_date_safe

from annotation.domain.byte_ranges import ByteRange, UnsatisfiableRangeError, read_range

BLOCK = 256 * 1024  # bytes read at a time


def video_response(request: HttpRequest, path: Path) -> HttpResponseBase:
    """Return the file at `path`, or the part of it that `request` asks for."""
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
    return _answer(request, path, part, stat.st_size, common)


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


def _answer(
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
