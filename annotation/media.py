"""Which clip, still or frames an item version needs, made once and kept in the store.

A clip is cut exactly to the window of its item version, from pixels of the source, cropped
to the ROI, muted; a short window is lengthened only where the caller says how far.
"""

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from annotation import clip_jobs, media_store, source_access, source_parts
from annotation.clip_jobs import MAX_HEIGHT, RECIPE, Clip
from annotation.domain import clips, cut_plan, roi_suggestion
from annotation.models import ItemVersion, Source, Video
from annotation.queries.withheld import withheld_span
from annotation.source_access import ClipUnavailable, OpenSource, StoreFull, Withheld
from sonovqa.adapters import ffmpeg, ffmpeg_samples

T = TypeVar("T")
STILL_HEIGHT = 720
WHOLE_FRAME = (0.0, 0.0, 1.0, 1.0)
LAST_FRAME = 0.1  # seconds before the end of the source at which its last still is taken


@dataclass(frozen=True)
class Shot:
    """What is shown of a window: the ROI or, with `full_frame`, everything; a window shorter
    than `min_seconds` is lengthened evenly within its video; at most `max_height` pixels."""

    full_frame: bool = False
    min_seconds: float = 0.0
    max_height: int = MAX_HEIGHT


AS_PUBLISHED = Shot()


@contextmanager
def full_store_told() -> Iterator[None]:
    """Raise StoreFull where the disk has no room for what is made in here."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull from error
        raise


@full_store_told()
def clip(
    version: ItemVersion, shot: Shot = AS_PUBLISHED, *, along: Sequence[ItemVersion] = ()
) -> Clip:
    """Return the clip of `version` (its `item.video.source` read along), cut if need be.

    Clips of `along`, versions of the same source, are cut with it where their windows overlap
    or nearly do: the source is decoded once.

    Raises ClipUnavailable where the source cannot be had or the window cannot be cut,
    StoreFull where the disk is full, and Withheld where the video is in quarantine.
    """
    video = version.item.video
    start, end = _hull([version, *along], shot)
    if along and withheld_span(video, start, end):
        along = ()
        start, end = _hull([version], shot)
    with unless_withheld(video, start, end):
        return _with_source(video.source, lambda opened: _clip(opened, shot, version, along))


@full_store_told()
def kept_clip(version: ItemVersion, shot: Shot = AS_PUBLISHED) -> Clip | None:
    """Return the clip of `version` where it has been cut already.

    Raises Withheld where the video is in quarantine, ClipUnavailable where the source is gone.
    """
    source = version.item.video.source
    if withheld_span(version.item.video, *_hull([version], shot)):
        raise Withheld
    with suppress(ValueError):
        opened = source_access.open_source(source)
        return clip_jobs.kept(_piece((source.kind, source.key), opened, shot, version).name)
    return None


def _hull(versions: Sequence[ItemVersion], shot: Shot) -> tuple[float, float]:
    """Return the seconds of the source within which all windows lie, lengthened or not."""
    more = shot.min_seconds
    return (
        min(one.video_start + one.start for one in versions) - more,
        max(one.video_start + one.end for one in versions) + more,
    )


@full_store_told()
def frames(version: ItemVersion, count: int, shot: Shot = AS_PUBLISHED) -> list[bytes]:
    """Return at most `count` frames of the clip of `version`, evenly spread, as JPEG.

    Raises ClipUnavailable as `clip` does.
    """
    whole = clip(version, shot)
    try:
        return ffmpeg.frames(whole.path, clips.frame_indices(whole.frames, count))
    except ffmpeg.FfmpegError as error:
        raise _unavailable(error) from error


@full_store_told()
def still(video: Video, at_seconds: float) -> Path:
    """Return the full frame at `at_seconds` from the start of `video` as a JPEG file.

    Raises ClipUnavailable where the source cannot be had, and Withheld where the video is in
    quarantine.
    """
    kept = still_path(video, at_seconds)
    at = video.start + at_seconds
    with unless_withheld(video, at, at), media_store.locked("stills", kept.name):
        if not kept.exists():
            _with_source(video.source, lambda opened: _take(opened, video, at_seconds, kept))
    media_store.mark_used(kept)
    return kept


def still_path(video: Video, at_seconds: float) -> Path:
    """Return where the still lies or will lie; it need not exist."""
    at = round(video.start + at_seconds, 3)
    return media_store.place("stills", name_of(video.source, "still", at, STILL_HEIGHT), ".jpg")


def name_of(source: Source, *parts: object) -> str:
    """Return the name of what `parts` make of the pixels that `source` has now. It needs no
    open source, so that pages can ask whether the thing is there."""
    local = source_access.local_path(source)
    stamp = local.stat().st_mtime_ns if local else 0
    return media_store.name_of((source.kind, source.key), parts[0], stamp, *parts[1:])


@full_store_told()
def bursts(
    video: Video, *, looked: Callable[[int], None] = lambda _done: None
) -> NDArray[np.uint8]:
    """Return frames of all of `video` for `annotation.domain.roi_suggestion`, in its shape:
    (bursts, frames, height, width, 3) RGB bytes. `looked` is told how many bursts are done.

    Bursts that the source is too short for are left out. Raises ClipUnavailable as `still`.
    """
    with unless_withheld(video, video.start, video.end):
        return _with_source(video.source, lambda opened: _bursts(opened, video, looked))


def _bursts(opened: OpenSource, video: Video, looked: Callable[[int], None]) -> NDArray[np.uint8]:
    end = video.end if opened.duration is None else min(video.end, opened.duration)
    times = roi_suggestion.burst_times(max(0.0, min(video.start, end)), end)
    lasts = (roi_suggestion.FRAMES + 1) / roi_suggestion.RATE
    spans = [clips.Span(at, at + lasts) for at in times]
    size = roi_suggestion.looked_at(opened.width, opened.height)
    found = []
    key = (video.source.kind, video.source.key)
    with source_parts.local_copy(key, opened, spans) as media:
        for done, at in enumerate(times, start=1):
            found.append(
                ffmpeg_samples.burst(
                    media, at, count=roi_suggestion.FRAMES, fps=roi_suggestion.RATE, size=size
                )
            )
            looked(done)
    whole = [burst for burst in found if len(burst) == roi_suggestion.FRAMES]
    return np.stack(whole) if whole else np.zeros((0, 0, size[1], size[0], 3), np.uint8)


@contextmanager
def unless_withheld(video: Video, start: float, end: float) -> Iterator[None]:
    """Refuse pixels in quarantine before the work and after it: a report may come meanwhile,
    and delete what was there before the work put down its result."""
    if withheld_span(video, start, end):
        raise Withheld
    yield
    if withheld_span(video, start, end):
        media_store.remove_all_of((video.source.kind, video.source.key))
        raise Withheld


def _take(opened: OpenSource, video: Video, at_seconds: float, kept: Path) -> None:
    at = max(0.0, video.start + at_seconds)
    if opened.duration:
        at = min(at, max(0.0, opened.duration - LAST_FRAME))
    media_store.write_whole(
        kept, lambda part: ffmpeg.still(opened.media, at, part, max_height=STILL_HEIGHT)
    )


def _clip(
    opened: OpenSource, shot: Shot, version: ItemVersion, along: Sequence[ItemVersion]
) -> Clip:
    source = version.item.video.source
    key = (source.kind, source.key)
    try:
        wanted = _piece(key, opened, shot, version)
    except ValueError as error:
        raise ClipUnavailable(
            f"The clip cannot be cut: {error}.", "Correct the window or the ROI of the item."
        ) from error
    return clip_jobs.cut_one(key, opened, wanted, _pieces(key, opened, shot, along))


def _pieces(
    key: tuple[str, str], opened: OpenSource, shot: Shot, versions: Sequence[ItemVersion]
) -> Iterator[cut_plan.Piece]:
    """Give the clips of `versions` that can be cut; who asks for another is told why not."""
    for one in versions:
        with suppress(ValueError):
            yield _piece(key, opened, shot, one)


def _piece(
    key: tuple[str, str], opened: OpenSource, shot: Shot, version: ItemVersion
) -> cut_plan.Piece:
    span = clips.source_span(
        video_start=version.video_start,
        start=version.start,
        end=version.end,
        source_duration=opened.duration,
    )
    video = version.item.video
    last = video.end if opened.duration is None else min(video.end, opened.duration)
    span = clips.padded(span, shot.min_seconds, first=max(0.0, video.start), last=last)
    roi = WHOLE_FRAME
    if not shot.full_frame:
        roi = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    return clip_jobs.piece_of(key, opened, span, roi, max_height=shot.max_height)


def _with_source(source: Source, work: Callable[[OpenSource], T]) -> T:
    """Do `work` on the opened source; an address that went stale is looked up once more."""
    opened = source_access.open_source(source)
    try:
        return work(opened)
    except ffmpeg.UnreadableInputError as error:
        if not opened.fleeting:
            raise _unavailable(error) from error
        source_access.forget_address(source)
    except ffmpeg.FfmpegError as error:
        raise _unavailable(error) from error
    try:
        return work(source_access.open_source(source))
    except ffmpeg.FfmpegError as error:
        raise _unavailable(error) from error


def _unavailable(error: ffmpeg.FfmpegError) -> ClipUnavailable:
    if isinstance(error, ffmpeg.NoRoomError):
        return StoreFull()
    return ClipUnavailable(str(error), "See the worker's log; check the file or the network.")


__all__ = [
    "RECIPE",
    "Clip",
    "ClipUnavailable",
    "Shot",
    "StoreFull",
    "Withheld",
    "bursts",
    "clip",
    "frames",
    "kept_clip",
    "name_of",
    "still",
    "still_path",
    "unless_withheld",
]
