"""Which clip, still or frames an item version needs, made once and kept in the store.

A clip is cut exactly to the window of its item version, from pixels of the source, cropped
to the ROI, muted; short windows are neither padded nor stretched.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from annotation import media_store, source_access
from annotation.domain import clips
from annotation.models import ItemVersion, Source, Video
from annotation.queries.withheld import withheld_span
from annotation.source_access import ClipUnavailable, OpenSource, Withheld
from sonovqa.adapters import ffmpeg

T = TypeVar("T")
FPS = 15
MAX_HEIGHT = 720
CRF = 23
RECIPE = {"codec": "h264", "fps": FPS, "max_height": MAX_HEIGHT, "crf": CRF, "recipe": 1}
STILL_HEIGHT = 720
WHOLE_FRAME = (0.0, 0.0, 1.0, 1.0)
LAST_FRAME = 0.1  # seconds before the end of the source at which its last still is taken


@dataclass(frozen=True)
class Clip:
    """A clip on disk: sha256 in hex, `duration` in seconds, size in pixels, `crop` the box
    (x, y, w, h) cut out of a `source_height` pixels high frame."""

    path: Path
    sha256: str
    duration: float
    width: int
    height: int
    fps: float
    frames: int
    crop: tuple[int, int, int, int]
    source_height: int

    def settings(self) -> dict[str, object]:
        """Return what a run records of the clip: how it was made and what came out."""
        values = asdict(self)
        del values["path"]
        return values | {"codec": RECIPE["codec"], "crf": CRF}


def clip(version: ItemVersion, *, full_frame: bool = False) -> Clip:
    """Return the clip of `version` (its `item.video.source` read along), cut if need be.

    Raises ClipUnavailable where the source cannot be had or the window cannot be cut, and
    Withheld where the video is in quarantine.
    """
    video = version.item.video
    roi = WHOLE_FRAME
    if not full_frame:
        roi = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    span = (version.video_start, version.start, version.end)
    with _unless_withheld(video, span[0] + span[1], span[0] + span[2]):
        return _with_source(video.source, lambda opened: _clip(video.source, opened, span, roi))


def frames(version: ItemVersion, count: int) -> list[bytes]:
    """Return at most `count` frames of the clip of `version`, evenly spread, as JPEG.

    Raises ClipUnavailable as `clip` does.
    """
    whole = clip(version)
    try:
        return ffmpeg.frames(whole.path, clips.frame_indices(whole.frames, count))
    except ffmpeg.FfmpegError as error:
        raise _unavailable(error) from error


def still(video: Video, at_seconds: float) -> Path:
    """Return the full frame at `at_seconds` from the start of `video` as a JPEG file.

    Raises ClipUnavailable where the source cannot be had, and Withheld where the video is in
    quarantine.
    """
    kept = still_path(video, at_seconds)
    at = video.start + at_seconds
    with _unless_withheld(video, at, at), media_store.locked("stills", kept.name):
        if not kept.exists():
            _with_source(video.source, lambda opened: _take(opened, video, at_seconds, kept))
    media_store.mark_used(kept)
    return kept


def still_path(video: Video, at_seconds: float) -> Path:
    """Return where the still lies or will lie; it need not exist."""
    source = video.source
    local = source_access.local_path(source)
    stamp = local.stat().st_mtime_ns if local else 0
    at = round(video.start + at_seconds, 3)
    name = media_store.name_of((source.kind, source.key), "still", stamp, at, STILL_HEIGHT)
    return media_store.place("stills", name, ".jpg")


@contextmanager
def _unless_withheld(video: Video, start: float, end: float) -> Iterator[None]:
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
    source: Source,
    opened: OpenSource,
    times: tuple[float, float, float],
    roi: tuple[float, float, float, float],
) -> Clip:
    video_start, start, end = times
    try:
        span = clips.source_span(
            video_start=video_start, start=start, end=end, source_duration=opened.duration
        )
        box = clips.pixel_box(roi, width=opened.width, height=opened.height)
    except ValueError as error:
        raise ClipUnavailable(
            f"The clip cannot be cut: {error}.", "Correct the window or the ROI of the item."
        ) from error
    name = media_store.name_of(
        (source.kind, source.key),
        *("clip", opened.identity, span.start, span.end, asdict(box), RECIPE),
    )
    with media_store.locked("clips", name):
        return _kept_clip(name) or _cut(opened, span, box, name)


def _kept_clip(name: str) -> Clip | None:
    path, notes = (
        media_store.place("clips", name, ".mp4"),
        media_store.place("clips", name, ".json"),
    )
    known = media_store.read_json(notes)
    if known is None or not path.is_file() or path.stat().st_size != known.pop("bytes"):
        return None
    media_store.mark_used(path, notes)
    return Clip(**known | {"path": path, "crop": tuple(known["crop"])})


def _cut(opened: OpenSource, span: clips.Span, box: clips.Box, name: str) -> Clip:
    path = media_store.place("clips", name, ".mp4")
    crop = (box.x, box.y, box.w, box.h)
    wanted = ffmpeg.Cut(
        start=span.start,
        duration=span.duration,
        crop=crop,
        size=clips.capped_size(box.w, box.h, max_height=MAX_HEIGHT),
        fps=FPS,
        frames=clips.frame_count(span.duration, FPS),
        crf=CRF,
    )
    found = media_store.write_whole(path, lambda part: ffmpeg.cut(opened.media, wanted, part))
    made = Clip(
        path=path,
        sha256=media_store.file_sha256(path),
        duration=found.duration,
        width=found.width,
        height=found.height,
        fps=found.fps,
        frames=found.frames,
        crop=crop,
        source_height=opened.height,
    )
    notes = asdict(made) | {"path": path.name, "bytes": path.stat().st_size}
    media_store.write_json(media_store.place("clips", name, ".json"), notes)
    return made


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
    return ClipUnavailable(str(error), "See the worker's log; check the file or the network.")


__all__ = ["Clip", "ClipUnavailable", "Withheld", "clip", "frames", "still", "still_path"]
