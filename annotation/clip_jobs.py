"""Cuts clips of one source by plan, and keeps them; whoever asks for one again is given it."""

import os
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from annotation import media_store, source_parts
from annotation.domain import clips
from annotation.domain.cut_plan import Job, Piece, plan_jobs
from annotation.source_access import OpenSource
from sonovqa.adapters import ffmpeg, ffmpeg_cuts
from sonovqa.adapters.ffmpeg_cuts import Target
from sonovqa.adapters.ffmpeg_program import FfmpegError, NoRoomError, UnreadableInputError

FPS = 15
MAX_HEIGHT = 720
CRF = 23
PRESET = "veryfast"
CUTTING = threading.BoundedSemaphore(max(1, os.cpu_count() or 1))  # others fetch meanwhile
SEARCH = "subme=1:me=dia"  # a third less to encode than the preset's, as good, a tenth more bytes
RECIPE = {
    "codec": "h264",
    "fps": FPS,
    "max_height": MAX_HEIGHT,
    "crf": CRF,
    "preset": PRESET,
    "search": SEARCH,
    "recipe": 3,
}


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


def piece_of(
    source: tuple[str, str],
    opened: OpenSource,
    span: clips.Span,
    roi: tuple[float, float, float, float],
    *,
    max_height: int = MAX_HEIGHT,
) -> Piece:
    """Return the clip to cut for a window and a ROI; the same name always means the same
    pixels. Raises ValueError where the ROI does not fit."""
    box = clips.pixel_box(roi, width=opened.width, height=opened.height)
    parts = ("clip", opened.identity, span.start, span.end, asdict(box))
    recipe = RECIPE | {"max_height": max_height}
    return Piece(media_store.name_of(source, *parts, recipe), span, box, max_height)


def cut_one(
    source: tuple[str, str], opened: OpenSource, wanted: Piece, along: Iterable[Piece] = ()
) -> Clip:
    """Return the clip `wanted`; those of `along` that overlap it are cut with it. Where another
    is at that job, a job of the rest is done before waiting for it.

    Raises FfmpegError and its kinds where `wanted` cannot be cut; what fails of `along` is
    left to those who ask for it.
    """
    found = kept(wanted.name)
    if found is not None:
        return found
    jobs = plan_jobs([wanted, *(piece for piece in along if kept(piece.name) is None)])
    own = next(job for job in jobs if wanted.name in {piece.name for piece in job.pieces})
    done = _do(source, opened, own, wait=False)
    if not done:
        rest = (_do(source, opened, job, wait=False) for job in jobs if job is not own)
        next(filter(None, rest), None)
        done = _do(source, opened, own, wait=True)
    made = done[wanted.name]
    if isinstance(made, FfmpegError):
        raise made
    return made


Made = dict[str, Clip | FfmpegError]


def _do(source: tuple[str, str], opened: OpenSource, job: Job, *, wait: bool) -> Made:
    """Return what became of each clip of a job; nothing where another is at it and `wait` is
    off."""
    names = [piece.name for piece in job.pieces]
    with media_store.locked("clips", *names, wait=wait) as free:
        if not free:
            return {}
        found = {name: clip for name in names if (clip := kept(name)) is not None}
        due = [piece for piece in job.pieces if piece.name not in found]
        if due:
            spans = [piece.span for piece in due]
            needed = clips.Span(min(one.start for one in spans), max(one.end for one in spans))
            with source_parts.local_copy(source, opened, [needed]) as media:
                return found | _cut_due(media, opened, due)
    return dict(found)


def _cut_due(media: ffmpeg.MediaInput, opened: OpenSource, due: list[Piece]) -> Made:
    """Cut all at once; where that fails, one by one, so that one bad clip spoils no other."""
    try:
        return dict(_cut(media, opened, due))
    except (UnreadableInputError, NoRoomError):
        raise
    except FfmpegError as error:
        if len(due) == 1:
            return {due[0].name: error}
    done: Made = {}
    for piece in due:
        done |= _cut_due(media, opened, [piece])
    return done


def _cut(media: ffmpeg.MediaInput, opened: OpenSource, due: list[Piece]) -> dict[str, Clip]:
    with ExitStack() as stack:
        parts = [stack.enter_context(media_store.part_of(_path(piece.name))) for piece in due]
        targets = [Target(cut_of(piece), part) for piece, part in zip(due, parts, strict=True)]
        with CUTTING:
            probes = ffmpeg_cuts.cut_together(media, targets)
        for piece, part in zip(due, parts, strict=True):
            part.replace(_path(piece.name))
    return {
        piece.name: _keep(piece, probe, opened) for piece, probe in zip(due, probes, strict=True)
    }


def _path(name: str) -> Path:
    return media_store.place("clips", name, ".mp4")


def cut_of(piece: Piece) -> ffmpeg.Cut:
    """Return what ffmpeg is told to make of a piece, by our recipe."""
    box, span = piece.box, piece.span
    return ffmpeg.Cut(
        start=span.start,
        duration=span.duration,
        crop=(box.x, box.y, box.w, box.h),
        size=clips.capped_size(box.w, box.h, max_height=piece.max_height),
        fps=FPS,
        frames=clips.frame_count(span.duration, FPS),
        crf=CRF,
        preset=PRESET,
        search=SEARCH,
    )


def _keep(piece: Piece, probe: ffmpeg.Probe, opened: OpenSource) -> Clip:
    path, box = _path(piece.name), piece.box
    made = Clip(
        path=path,
        sha256=media_store.file_sha256(path),
        duration=probe.duration,
        width=probe.width,
        height=probe.height,
        fps=probe.fps,
        frames=probe.frames or 0,
        crop=(box.x, box.y, box.w, box.h),
        source_height=opened.height,
    )
    notes = asdict(made) | {"path": path.name, "bytes": path.stat().st_size}
    media_store.write_json(path.with_suffix(".json"), notes)
    return made


def kept(name: str) -> Clip | None:
    """Return the clip kept as `name`, None where it is not there or damaged."""
    path = _path(name)
    known = media_store.read_json(path.with_suffix(".json"))
    if known is None or not path.is_file() or path.stat().st_size != known.pop("bytes"):
        return None
    media_store.mark_used(path, path.with_suffix(".json"))
    return Clip(**known | {"path": path, "crop": tuple(known["crop"])})
