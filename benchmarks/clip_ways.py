"""The ways to cut clips that `clip_rate.py` compares, and what each of them costs."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Way:
    """What one way took: seconds, seconds of CPU of the programs started and of this one (which is
    the server too), bytes from the server, requests."""

    seconds: float
    programs_cpu: float
    own_cpu: float
    bytes: int
    requests: int


@dataclass(frozen=True)
class Network:
    """What is assumed of the network: seconds before each answer, and bytes a second of each
    connection (0: as fast as it goes)."""

    latency: float = 0.0
    rate: float = 0.0

    def __str__(self) -> str:
        if self == Network():
            return "loopback: no latency, no limit"
        return (
            f"assumed: {1000 * self.latency:g} ms before each answer, "
            f"{self.rate / 1e6:g} MB/s a connection"
        )


def find(version: Any) -> None:
    """Find the address of the stream, once for all items of its source."""
    from annotation.source_access import open_source

    open_source(version.item.video.source)


def ours(version: Any, near: list[Any]) -> None:
    from annotation import media

    media.clip(version, along=[one for one in near if one.pk != version.pk])


def published(version: Any, target: Path, url: str) -> None:
    """What the published scripts do for each item: ask the program yt-dlp for the address of
    the stream, then run one ffmpeg on it."""
    command = [sys.executable, "-m", "yt_dlp", "--ignore-config", "--get-url", "--", url]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    ffmpeg_alone(version, target, found.stdout.strip())


def ffmpeg_alone(version: Any, target: Path, url: str) -> None:
    """The second half of it, for who knows the address."""
    from sonovqa.adapters.ffmpeg_program import program

    crop = f"crop=iw*{version.roi_w}:ih*{version.roi_h}:iw*{version.roi_x}:ih*{version.roi_y}"
    command = [
        *(program(), "-y", "-nostdin", "-loglevel", "error", "-ss", f"{at(version):.3f}"),
        *("-i", url, "-t", f"{version.end - version.start:.3f}", "-vf", crop),
        *("-c:v", "libx264", "-preset", "ultrafast", "-an", str(target)),
    ]
    subprocess.run(command, check=True, timeout=120)


def same_recipe(version: Any, target: Path, url: str) -> None:
    """One ffmpeg for one item, making the very clips that our way makes."""
    from annotation.clip_jobs import cut_of, piece_of
    from annotation.domain.clips import Span
    from annotation.source_access import open_source
    from sonovqa.adapters import ffmpeg, ffmpeg_cuts

    opened = open_source(version.item.video.source)
    roi = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    last = min(at(version) + version.end - version.start, opened.duration or 1e9)
    piece = piece_of(("peer", url), opened, Span(at(version), last), roi)
    ffmpeg_cuts.cut(ffmpeg.remote(url), cut_of(piece), target)


def at(version: Any) -> float:
    return max(0.0, version.video_start + version.start)


def measured(server: Any, work: Callable[..., None], jobs: list[tuple]) -> Way:
    """Do all jobs, as many at a time as a worker asks for."""
    from evaluation.engine.pump import CLIPS_AT_ONCE

    server.sent, asked = 0, len(server.asked)
    began, before = time.perf_counter(), os.times()
    with ThreadPoolExecutor(CLIPS_AT_ONCE) as pool:
        for job in [pool.submit(work, *one) for one in jobs]:
            job.result()
    took, after = time.perf_counter() - began, os.times()
    return Way(
        took,
        sum(after[2:4]) - sum(before[2:4]),
        sum(after[:2]) - sum(before[:2]),
        server.sent,
        len(server.asked) - asked,
    )


@contextmanager
def through(network: Network, server: Any) -> Iterator[None]:
    """Serve as `network` would."""
    server.latency, server.rate = network.latency, network.rate
    try:
        yield
    finally:
        server.latency, server.rate = 0.0, 0.0
