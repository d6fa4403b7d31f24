"""The ways to cut clips that `clip_rate.py` compares, and what each of them costs."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Way:
    """What one way took: seconds, seconds of CPU of ffmpeg and of this program (which is the
    server too), bytes from the server, requests."""

    seconds: float
    ffmpeg_cpu: float
    own_cpu: float
    bytes: int
    requests: int


@dataclass(frozen=True)
class Network:
    """What is assumed of the network: seconds before each answer, bytes a second of each
    connection (0: as fast as it goes), seconds that finding an address takes at least."""

    latency: float = 0.0
    rate: float = 0.0
    resolve: float = 0.0

    def __str__(self) -> str:
        if self == Network():
            return "loopback: no latency, no limit, addresses known"
        return (
            f"assumed: {self.resolve:g} s to find an address, {1000 * self.latency:g} ms before "
            f"each answer, {self.rate / 1e6:g} MB/s a connection"
        )


def ours(version: Any, near: list[Any]) -> None:
    from annotation import media

    media.clip(version, along=[one for one in near if one.pk != version.pk])


def published_resolving(version: Any, target: Path, url: str) -> None:
    """The same with the address looked up for each item, as the published scripts do."""
    from annotation import source_access
    from sonovqa.adapters import youtube

    youtube.resolve(version.item.video.source.key, site=source_access.SITE)
    published(version, target, url)


def published(version: Any, target: Path, url: str) -> None:
    """One ffmpeg for one item, as the published scripts have it."""
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
    """Serve as `network` would, and find addresses as slowly."""
    from sonovqa.adapters import youtube

    real = youtube.resolve

    def slow(*args: Any, **options: Any) -> youtube.Resolved:
        began = time.perf_counter()
        found = real(*args, **options)
        time.sleep(max(0.0, network.resolve - (time.perf_counter() - began)))
        return found

    server.latency, server.rate, youtube.resolve = network.latency, network.rate, slow
    try:
        yield
    finally:
        server.latency, server.rate, youtube.resolve = 0.0, 0.0, real
