"""Opens, probes and takes stills of videos, with the ffmpeg program.

Every input names the protocols it may use and is read as MP4, so that neither a playlist
nor a file name can make ffmpeg open something else. `ffmpeg-python` builds the arguments.
"""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import ffmpeg as builder

from sonovqa.adapters.ffmpeg_program import (
    CutMismatchError,
    FfmpegError,
    NoRoomError,
    UnreadableInputError,
    program,
    run,
)

QUIET = ("-nostdin", "-hide_banner", "-loglevel", "error")
NETWORK_TIMEOUT = 20_000_000  # microseconds without a byte
LARGEST_OUTPUT = 256 * 1024 * 1024  # bytes
ENCODER = "libx264"


@dataclass(frozen=True)
class MediaInput:
    """Something ffmpeg may open: where it lies and which protocols that needs."""

    location: str
    protocols: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Probe:
    """What a video is: seconds, pixels, frames per second; `frames` None where not counted."""

    duration: float
    width: int
    height: int
    fps: float
    frames: int | None = None


@dataclass(frozen=True)
class Cut:
    """One clip to make: `start` and `duration` in seconds of the source, `crop` as
    (x, y, w, h) and `size` as (w, h) in even pixels, `frames` at `fps`; `search` is how x264
    looks for motion, in its own words."""

    start: float
    duration: float
    crop: tuple[int, int, int, int]
    size: tuple[int, int]
    fps: int
    frames: int
    crf: int = 23
    preset: str = "veryfast"
    search: str = "subme=1:me=dia"


def local_file(path: Path) -> MediaInput:
    """Return the input for a file of ours; its name is never read as another protocol."""
    return MediaInput(f"file:{path.resolve()}", "file")


def remote(url: str, headers: dict[str, str] | None = None) -> MediaInput:
    """Return the input for a resolved address.

    http is allowed only where the address itself is http. Raises ValueError for any other
    scheme, or where a header could smuggle in another line.
    """
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https") or any(sign in url for sign in "\r\n\0 "):
        raise ValueError("only http and https addresses are opened")
    pairs = tuple((headers or {}).items())
    if any(sign in part for pair in pairs for part in pair for sign in "\r\n\0"):
        raise ValueError("a header holds a line break")
    protocols = "https,tls,tcp" if scheme == "https" else "http,tcp"
    if f"{scheme}_proxy" in os.environ:
        protocols += ",httpproxy"
    return MediaInput(url, protocols, pairs)


def still(source: MediaInput, at: float, target: Path, *, max_height: int = 720) -> None:
    """Write the full frame at `at` seconds of `source` to `target` as JPEG."""
    stream = opened(source, ss=seconds(at)).video.filter("scale", -2, f"min(ih,{max_height})")
    output = stream.output(
        f"file:{target}", f="image2", vcodec="mjpeg", update=1, **{"frames:v": 1, "q:v": 3}
    )
    run(compiled(output), timeout=60)
    if not target.is_file() or not target.stat().st_size:
        raise UnreadableInputError(f"There is no frame at {at:.2f} s.")


def frames(clip: Path, indices: list[int]) -> list[bytes]:
    """Return the frames at `indices` (ascending, from 0) of a clip of ours as JPEG bytes."""
    chosen = "+".join(f"eq(n,{index:d})" for index in indices)
    stream = opened(local_file(clip)).video.filter("select", chosen)
    with tempfile.TemporaryDirectory() as folder:
        output = stream.output(
            f"file:{folder}/%05d.jpg", f="image2", vcodec="mjpeg", fps_mode="vfr", **{"q:v": 3}
        )
        run(compiled(output), timeout=120)
        found = [path.read_bytes() for path in sorted(Path(folder).iterdir())]
    if len(found) != len(indices):
        raise CutMismatchError(f"{len(indices)} frames were asked for, {len(found)} came.")
    return found


DURATION = re.compile(r"Duration: (\d+):(\d+):(\d+(?:\.\d+)?)")
STREAM = re.compile(r"Stream #0:\d+.*?: Video: .*?, (\d{1,5})x(\d{1,5})\b")
RATE = re.compile(r"([\d.]+) (?:fps|tbr)\b")
COUNT = re.compile(r"frame=\s*(\d+)")


def probe(source: MediaInput, *, count_frames: bool = False) -> Probe:
    """Say what `source` is, read from what ffmpeg prints about it.

    Counting frames reads the whole input. Raises UnreadableInputError where there is no video.
    """
    stream = opened(source).video
    limit = {} if count_frames else {"frames:v": 1}
    output = stream.output("-", f="null", vcodec="copy", **limit)
    printed = run(compiled(output, "-nostdin", "-hide_banner", "-stats"), timeout=120)
    return _parsed(printed, count_frames=count_frames)


def _parsed(printed: str, *, count_frames: bool) -> Probe:
    head = printed.split("Output #0")[0]
    size, duration = STREAM.search(head), DURATION.search(head)
    rate = RATE.search(head, size.end()) if size else None
    if not size or not duration or not rate:
        raise UnreadableInputError("The video says neither size nor duration.", head[-300:])
    hours, minutes, seconds = duration.groups()
    counts = COUNT.findall(printed)
    return Probe(
        duration=int(hours) * 3600 + int(minutes) * 60 + float(seconds),
        width=int(size[1]),
        height=int(size[2]),
        fps=float(rate[1]),
        frames=int(counts[-1]) if count_frames and counts else None,
    )


def opened(source: MediaInput, **options: object) -> builder.nodes.FilterableStream:
    """Return the input for ffmpeg, with `options` before it."""
    if source.headers:
        options["headers"] = "".join(f"{name}: {value}\r\n" for name, value in source.headers)
    if source.protocols != "file":
        options["rw_timeout"] = NETWORK_TIMEOUT
    return builder.input(source.location, f="mp4", protocol_whitelist=source.protocols, **options)


def compiled(output: builder.nodes.OutputStream, *switches: str) -> list[str]:
    """Return the program and its arguments."""
    built = output.global_args(*(switches or QUIET)).overwrite_output()
    return [str(part) for part in built.compile(cmd=program())]


def seconds(value: float) -> str:
    """Return `value` as ffmpeg reads a time."""
    return f"{value:.6f}"


__all__ = [
    "Cut",
    "CutMismatchError",
    "FfmpegError",
    "MediaInput",
    "NoRoomError",
    "Probe",
    "UnreadableInputError",
    "compiled",
    "frames",
    "local_file",
    "opened",
    "probe",
    "remote",
    "seconds",
    "still",
]
