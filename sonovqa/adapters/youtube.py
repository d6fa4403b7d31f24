"""Finds where the pixels of a YouTube upload lie, with yt-dlp as a library.

Only an 11-character id comes in; the address is rebuilt here. Nothing is downloaded by
yt-dlp: ffmpeg reads the part it needs from the address found.
"""

import io
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from annotation.domain.youtube_ids import is_video_id
from sonovqa.adapters.youtube_errors import Problem, YoutubeError, read_problem

MAX_HEIGHT = 720
DEFAULT_LIFE = 3600.0  # seconds an address without an expiry is trusted
MARGIN = 900.0  # seconds before its expiry at which an address is no longer used


@dataclass(frozen=True)
class Site:
    """Where ids are looked up. Tests point this at a server of their own.

    `page` is filled with the id; `hosts` are the endings of hosts that a found address may
    have; `extractors` are yt-dlp's, as regular expressions.
    """

    page: str
    extractors: tuple[str, ...]
    hosts: tuple[str, ...]
    schemes: tuple[str, ...] = ("https",)
    format: str = "b"


YOUTUBE = Site(
    page="https://www.youtube.com/watch?v={id}",
    extractors=(r"^youtube$",),
    hosts=(".googlevideo.com",),
    format=(
        f"bv*[vcodec^=avc1][height<={MAX_HEIGHT}][protocol=https]"
        f"/b[vcodec^=avc1][height<={MAX_HEIGHT}][protocol=https]"
    ),
)


@dataclass(frozen=True)
class Resolved:
    """Where the pixels are. `url` is signed and bound to this machine: never shown, never
    logged. `expires_at` is in Unix seconds; sizes in pixels and `duration` in seconds are
    None where the site does not say."""

    url: str
    headers: dict[str, str]
    format_id: str
    width: int | None
    height: int | None
    duration: float | None
    expires_at: float


class _Log:
    """Collects what yt-dlp says; nothing of it goes to the terminal."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def debug(self, line: str) -> None:
        """Drop chatter."""

    def warning(self, line: str) -> None:
        self.lines.append(line)

    def error(self, line: str) -> None:
        self.lines.append(line)


def check_id(video_id: str) -> str:
    """Return `video_id` where it is an 11-character YouTube id; raises ValueError otherwise."""
    if not isinstance(video_id, str) or not is_video_id(video_id):
        raise ValueError("not an 11-character YouTube id")
    return video_id


def resolve(video_id: str, *, cookies: Path | None = None, site: Site = YOUTUBE) -> Resolved:
    """Ask the site once where the video `video_id` lies, H.264 and at most 720 pixels high.

    `cookies` is a Netscape cookie file; it is read and never written to.

    Raises ValueError where the id is none, YoutubeError where the video cannot be had.
    """
    address = site.page.format(id=check_id(video_id))
    log = _Log()
    options = _options(site, log) | _cookie_option(cookies)
    import yt_dlp  # takes 0.2 s

    try:
        with yt_dlp.YoutubeDL(options) as client:
            info = client.extract_info(address, download=False)
    except (yt_dlp.utils.YoutubeDLError, OSError) as error:
        raise read_problem("\n".join([*log.lines, str(error)])) from None
    return _resolved(info, site, log)


def _options(site: Site, log: _Log) -> dict[str, Any]:
    """yt-dlp as a library reads no configuration file; nothing here runs a program but the
    JavaScript runtime, and no code is fetched at run time."""
    return {
        "quiet": True,
        "noprogress": True,
        "logger": log,
        "cachedir": False,
        "noplaylist": True,
        "skip_download": True,
        "allowed_extractors": list(site.extractors),
        "enable_file_urls": False,
        "remote_components": [],
        "format": site.format,
        "socket_timeout": 20,
        "retries": 1,
        "extractor_retries": 1,
    }


def _cookie_option(cookies: Path | None) -> dict[str, Any]:
    if cookies is None:
        return {}
    try:
        return {"cookiefile": io.StringIO(cookies.read_text(encoding="utf-8"))}
    except (OSError, UnicodeDecodeError):
        raise YoutubeError(Problem.COOKIES) from None


def _resolved(info: dict[str, Any] | None, site: Site, log: _Log) -> Resolved:
    url = (info or {}).get("url")
    if not info or not isinstance(url, str):
        raise read_problem("\n".join([*log.lines, "Requested format is not available"]))
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in site.schemes or not host.endswith(site.hosts):
        raise YoutubeError(Problem.NO_FORMAT, f"The video lies on {host}, which is not allowed.")
    return Resolved(
        url=url,
        headers={str(name): str(value) for name, value in (info.get("http_headers") or {}).items()},
        format_id=str(info.get("format_id") or ""),
        width=info.get("width"),
        height=info.get("height"),
        duration=info.get("duration"),
        expires_at=_expiry(parts.query),
    )


def _expiry(query: str) -> float:
    stated = parse_qs(query).get("expire", [""])[0]
    if stated.isdecimal():
        return float(stated) - MARGIN
    return time.time() + DEFAULT_LIFE
