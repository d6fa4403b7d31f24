"""Opens a source: a file of the store, a file an operator supplied, or YouTube.

An address found on YouTube is kept with its expiry, so that a source is resolved once and
not once an item; a failure is kept too, so that a source that cannot be had is not asked
for again and again. Both lie in the store of this machine, since addresses are bound to it.
"""

import threading
import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

from django.conf import settings

from annotation import media_store
from annotation.actions.sources import record_finding
from annotation.models import Source
from annotation.models.benchmark import SourceKind, SourceState
from sonovqa.adapters import ffmpeg, youtube
from sonovqa.adapters.youtube_errors import ADVICE, Problem, YoutubeError

SITE = youtube.YOUTUBE  # tests look up ids elsewhere
RETRY_AFTER = {Problem.BOT_CHECK: 2 * 3600.0, Problem.NETWORK: 120.0}  # seconds
RESOLVING = threading.BoundedSemaphore(2)  # a burst of look-ups gets a robot check
RETRY_PERMANENT = 7 * 86400.0
RETRY_USUAL = 900.0


class ClipUnavailable(Exception):
    """The pixels cannot be had: `reason` for people, `advice` on what to do, `permanent`
    where trying again is pointless."""

    def __init__(self, reason: str, advice: str = "", *, permanent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice
        self.permanent = permanent


class Withheld(ClipUnavailable):
    """The pixels are in quarantine: somebody saw a person's identifier in them."""

    def __init__(self) -> None:
        super().__init__(
            "The video is in quarantine: a person's identifier was reported in it.",
            "An adjudicator has to look at it and clear it.",
            permanent=True,
        )


class StoreFull(ClipUnavailable):
    """The disk of the store is full; no item is to blame, and no other would fare better."""

    def __init__(self) -> None:
        super().__init__(
            "The disk of the clip cache is full.",
            "Free room on it or lower SONOVQA_MEDIA_GIGABYTES, then resume.",
        )


@dataclass(frozen=True)
class OpenSource:
    """A source ready to be read. `identity` names these very pixels; `fleeting` where the
    address may expire. Size in pixels, duration in seconds (None where unknown)."""

    media: ffmpeg.MediaInput
    identity: tuple[str | int, ...]
    width: int
    height: int
    duration: float | None
    fleeting: bool = False


def local_path(source: Source) -> Path | None:
    """Return the file that holds `source`, None where there is none on this machine."""
    if source.kind == SourceKind.FILE:
        folder, name = media_store.root() / "sources", source.key
    elif settings.SOURCES_FOLDER is not None:
        folder, name = settings.SOURCES_FOLDER, f"{youtube.check_id(source.key)}.mp4"
    else:
        return None
    path = (folder / name).resolve()
    inside = path.is_relative_to(folder.resolve()) and path.suffix == ".mp4"
    return path if inside and path.is_file() else None


def open_source(source: Source) -> OpenSource:
    """Return `source` ready to be read; raises ClipUnavailable where it cannot be had."""
    path = local_path(source)
    if path is not None:
        opened = _opened_file(path)
    elif source.kind == SourceKind.FILE:
        raise ClipUnavailable(
            f"The file {source.key} is not in the store.",
            "Put it back below MEDIA_STORE/sources, or run make_demo for the demo's.",
        )
    else:
        opened = _opened_youtube(source)
    _note(source, opened)
    return opened


def _note(source: Source, opened: OpenSource) -> None:
    """Keep what is new about `source`. What people reported about its player stands."""
    state = SourceState.OK if source.state == SourceState.UNKNOWN else None
    known = (source.width, source.height) == (opened.width, opened.height)
    if state or not known or opened.duration not in (None, source.duration):
        record_finding(
            source_id=source.pk,
            state=state,
            width=opened.width,
            height=opened.height,
            duration=opened.duration,
        )
        source.refresh_from_db()


def forget_address(source: Source) -> None:
    """Drop the address kept for `source`, for it no longer works."""
    _address_file(source.key).unlink(missing_ok=True)


def _opened_file(path: Path) -> OpenSource:
    stat = path.stat()
    found = _probed(path, stat.st_size, stat.st_mtime_ns)
    return OpenSource(
        media=ffmpeg.local_file(path),
        identity=("file", path.name, stat.st_size, stat.st_mtime_ns),
        width=found.width,
        height=found.height,
        duration=found.duration,
    )


def _opened_youtube(source: Source) -> OpenSource:
    found = _address(source)
    width, height = found.width or 0, found.height or 0  # both known since it was resolved
    return OpenSource(
        media=ffmpeg.remote(found.url, found.headers),
        identity=("youtube", source.key, width, height),
        width=width,
        height=height,
        duration=found.duration,
        fleeting=True,
    )


@lru_cache(maxsize=512)
def _probed(path: Path, size: int, modified: int) -> ffmpeg.Probe:  # noqa: ARG001 (of the key)
    """Return what the file is; it is looked at again when its size or time has changed."""
    try:
        return ffmpeg.probe(ffmpeg.local_file(path))
    except ffmpeg.FfmpegError as error:
        raise ClipUnavailable(str(error), "Check that the file is an MP4 video.") from error


def _address_file(video_id: str) -> Path:
    return media_store.place("addresses", media_store.name_for(video_id), ".json")


def _address(source: Source) -> youtube.Resolved:
    kept = _address_file(source.key)
    with media_store.locked("addresses", source.key):
        known = media_store.read_json(kept) or {}
        if known.get("until", 0) > time.time():
            if "problem" in known:
                problem = Problem(known["problem"])
                raise _unavailable(YoutubeError(problem, known["reason"]))
            return youtube.Resolved(**known["address"])
        return _resolve(source, kept)


def _resolve(source: Source, kept: Path) -> youtube.Resolved:
    try:
        with RESOLVING:
            found = youtube.resolve(source.key, cookies=settings.YOUTUBE_COOKIES, site=SITE)
        found = _measured(found)
    except YoutubeError as error:
        wait = RETRY_AFTER.get(error.problem, RETRY_USUAL)
        until = time.time() + (RETRY_PERMANENT if error.permanent else wait)
        media_store.write_json(
            kept, {"problem": error.problem, "reason": str(error), "until": until}
        )
        if error.problem in (Problem.REMOVED, Problem.PRIVATE):
            record_finding(source_id=source.pk, state=SourceState.REMOVED)
        raise _unavailable(error) from error
    media_store.write_json(kept, {"address": asdict(found), "until": found.expires_at})
    return found


def _measured(found: youtube.Resolved) -> youtube.Resolved:
    """Return `found` with the size of its picture, looked up where the site did not say."""
    if found.width and found.height:
        return found
    try:
        probed = ffmpeg.probe(ffmpeg.remote(found.url, found.headers))
    except ffmpeg.FfmpegError as error:
        raise YoutubeError(Problem.NETWORK, "The address found cannot be read.") from error
    return replace(found, width=probed.width, height=probed.height, duration=probed.duration)


def _unavailable(error: YoutubeError) -> ClipUnavailable:
    return ClipUnavailable(str(error), ADVICE[error.problem], permanent=error.permanent)
