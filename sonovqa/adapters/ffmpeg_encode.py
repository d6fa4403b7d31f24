"""Encodes frames that the program drew itself."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

import ffmpeg as builder

from sonovqa.adapters.ffmpeg_program import FfmpegMissingError, failure, program


def encode(
    frames: Iterable[bytes], target: Path, *, size: tuple[int, int], fps: int, crf: int = 27
) -> None:
    """Write `frames` (RGB, 3 bytes a pixel, `size` as (width, height) in even pixels) to
    `target` as H.264 in MP4, with a key frame every two seconds so that players seek fast.

    The same frames give the same bytes. Raises FfmpegError and its kinds.
    """
    width, height = size
    output = builder.input(
        "pipe:", f="rawvideo", pix_fmt="rgb24", s=f"{width}x{height}", r=fps
    ).output(
        f"file:{target}",
        f="mp4",
        vcodec="libx264",
        preset="veryfast",
        crf=crf,
        g=2 * fps,
        pix_fmt="yuv420p",
        threads=1,  # the number of threads changes the bytes
        movflags="+faststart",
        fflags="+bitexact",
        **{"flags:v": "+bitexact"},
    )
    arguments = output.global_args("-hide_banner", "-loglevel", "error").overwrite_output()
    command = [str(part) for part in arguments.compile(cmd=program())]
    try:
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise FfmpegMissingError(f"ffmpeg could not be started: {error.strerror}.") from error
    with child:
        _feed(child, frames)
        stderr = child.stderr.read().decode("utf-8", "replace") if child.stderr else ""
    if child.returncode:
        raise failure(stderr, child.returncode)


def _feed(child: subprocess.Popen[bytes], frames: Iterable[bytes]) -> None:
    """Hand the frames over; a child that died says why on its stderr."""
    if child.stdin is None:
        return
    try:
        for frame in frames:
            child.stdin.write(frame)
        child.stdin.close()
    except BrokenPipeError:
        child.kill()
