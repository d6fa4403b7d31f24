"""Cuts clips out of one video, all in one run of ffmpeg: what they share is decoded once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ffmpeg as builder

from annotation.domain.mp4_index import BadMp4, Samples, read_index
from sonovqa.adapters.ffmpeg import (
    ENCODER,
    LARGEST_OUTPUT,
    Cut,
    MediaInput,
    Probe,
    compiled,
    opened,
    seconds,
)
from sonovqa.adapters.ffmpeg_program import CutMismatchError, run


@dataclass(frozen=True)
class Target:
    """A clip to make and where to write it."""

    cut: Cut
    path: Path


def cut_together(source: MediaInput, targets: Sequence[Target]) -> list[Probe]:
    """Write the muted clips (H.264, MP4) of all `targets` and verify each.

    Decodes from the first start to the last end. Raises FfmpegError and its kinds;
    CutMismatchError where a duration is off by more than a frame or a size is another.
    """
    start = min(one.cut.start for one in targets)
    end = max(one.cut.start + one.cut.duration for one in targets)
    # one thread to decode: cuts run side by side, and more threads cost a tenth of the CPU
    stream = opened(source, ss=seconds(start), t=seconds(end - start), threads=1).video
    parts = stream.filter_multi_output("split", len(targets)) if len(targets) > 1 else None
    outputs = [
        _output(parts[place] if parts else stream, one, one.cut.start - start)
        for place, one in enumerate(targets)
    ]
    together = builder.merge_outputs(*outputs) if parts else outputs[0]
    run(compiled(together), timeout=60 + 8 * (end - start) + 4 * len(targets))
    return [_verified(one) for one in targets]


def _output(
    stream: builder.nodes.FilterableStream, target: Target, after: float
) -> builder.nodes.OutputStream:
    cut = target.cut
    x, y, w, h = cut.crop
    if after > 0:
        stream = stream.filter("trim", start=seconds(after), duration=seconds(cut.duration))
        stream = stream.filter("setpts", f"PTS-{seconds(after)}/TB")
    else:
        stream = stream.filter("trim", duration=seconds(cut.duration))
    return (
        stream.filter("fps", cut.fps, start_time=0)  # first: what is dropped is not scaled
        .filter("crop", w, h, x, y)
        .filter("scale", *cut.size, flags="bicubic+accurate_rnd+bitexact")
        .filter("setsar", "1")
        .output(
            f"file:{target.path}",
            f="mp4",
            vcodec=ENCODER,
            preset=cut.preset,
            crf=cut.crf,
            pix_fmt="yuv420p",
            threads=1,  # the number of threads changes the bytes
            movflags="+faststart",
            map_metadata=-1,
            map_chapters=-1,
            fflags="+bitexact",
            **{
                "x264-params": cut.search,
                "flags:v": "+bitexact",
                "frames:v": cut.frames,
                "fs": LARGEST_OUTPUT,
            },
        )
    )


def _verified(target: Target) -> Probe:
    found, wanted = _measured(target.path), target.cut
    duration = found.frames / wanted.fps
    if abs(duration - wanted.duration) > 1 / wanted.fps + 1e-6:
        raise CutMismatchError(
            f"The clip lasts {duration:.2f} s, not {wanted.duration:.2f} s as asked."
        )
    if (found.width, found.height) != wanted.size:
        raise CutMismatchError(f"The clip has {found.width}x{found.height} pixels.")
    return Probe(duration, found.width, found.height, float(wanted.fps), found.frames)


def _measured(path: Path) -> Samples:
    try:
        content = path.read_bytes()
        index = read_index(lambda first, length: content[first : first + length], len(content))
    except (OSError, BadMp4) as error:
        raise CutMismatchError("The clip was not written.") from error
    if not isinstance(index, Samples):
        raise CutMismatchError("The clip was written in another layout.")
    return index


def cut(source: MediaInput, wanted: Cut, target: Path) -> Probe:
    """Write the one clip `wanted` of `source` to `target`; see `cut_together`."""
    return cut_together(source, [Target(wanted, target)])[0]
