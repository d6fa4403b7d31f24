"""Takes short bursts of small frames out of a video, as arrays to be looked at by a program."""

import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sonovqa.adapters.ffmpeg import MediaInput, compiled, opened, seconds
from sonovqa.adapters.ffmpeg_program import run


def burst(
    source: MediaInput, at: float, *, count: int, fps: float, size: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return `count` frames from `at` seconds on, (count, height, width, 3) RGB bytes; fewer
    where the video ends before.

    Args:
        fps: frames a second that are looked at.
        size: (width, height) in pixels that the full frame is scaled to.

    Raises FfmpegError and its kinds.
    """
    width, height = size
    stream = opened(source, ss=seconds(at), t=seconds((count + 1) / fps)).video
    stream = stream.filter("fps", fps, start_time=0).filter("scale", width, height, flags="area")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "frames"
        output = stream.output(
            f"file:{target}", f="rawvideo", pix_fmt="rgb24", **{"frames:v": count}
        )
        run(compiled(output), timeout=60)
        content = target.read_bytes() if target.is_file() else b""
    came = len(content) // (height * width * 3)
    whole = content[: came * height * width * 3]
    return np.frombuffer(whole, np.uint8).reshape(came, height, width, 3)
