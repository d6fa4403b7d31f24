"""How fast the clips of a whole benchmark are cut, against one ffmpeg per item on the stream.

47 streams on a local server with byte ranges and 657 windows laid out like the published ones
(scaled down to 320x180), and all windows of the demo; every clip is looked at afterwards. Both
ways work two at a time, and know the address of each stream already. The other way is that of
the published scripts: seek, crop, x264 ultrafast at the stream's own rate; it is also measured
with our recipe.

    python benchmarks/clip_rate.py [--quick] [--height LINES] [--latency SECONDS]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
WANTED_RATIO, WANTED_BYTES = 3.0, 1.1
AT_ONCE = 2
FILM_SECONDS = 330.0


@dataclass
class Way:
    """What one way took: seconds, seconds of CPU, bytes from the server, requests."""

    seconds: float
    cpu: float
    bytes: int
    requests: int


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="3 streams, no demo, published way alone"
    )
    parser.add_argument("--height", type=int, default=180)
    parser.add_argument("--latency", type=float, default=0.0, help="of the server, each request")
    chosen = parser.parse_args()
    chosen.videos, chosen.windows = (3, 30) if chosen.quick else (47, 657)
    chosen.film = 110.0 if chosen.quick else FILM_SECONDS
    return chosen


def add_video(bench: Any, number: int, windows: list, roi: tuple) -> list[Any]:
    """Store a video, its source on the server and its items; return their versions."""
    from annotation.actions.versions import Content, build_version
    from annotation.models import Item, ItemVersion, Source, Video

    source = Source.objects.create(benchmark=bench, kind="youtube", key=f"stream{number:05d}")
    x, y, w, h = roi
    video = Video.objects.create(
        benchmark=bench, source=source, name=f"v{number}", title="v", position=number, start=0,
        end=FILM_SECONDS, roi_x=x, roi_y=y, roi_w=w, roi_h=h,
    )  # fmt: skip
    made = []
    for place, (start, end) in enumerate(windows):
        item = Item.objects.create(
            benchmark=bench, video=video, kind="mcq", index=place, key=f"{number}/{place}",
            position=1000 * number + place, ordinal=place,
        )  # fmt: skip
        content = Content("What?", "Type1", start, end, ("a", "b", "c", "d"), 0)
        version = build_version(item, video, number=1, by=None, content=content)
        version.save()
        made.append(version.pk)
    return list(ItemVersion.objects.select_related("item__video__source").filter(pk__in=made))


def synthetic(chosen: argparse.Namespace, folder: Path, stage: Any) -> list[list[Any]]:
    from annotation.models import Benchmark
    from benchmarks.clip_films import draw_windows, make_film

    make_film(folder / "film.mp4", stage, chosen.film)
    bench = Benchmark.objects.create(slug="synthetic", name="Synthetic")
    videos = []
    for number in range(chosen.videos):
        share = chosen.windows // chosen.videos + (number < chosen.windows % chosen.videos)
        windows = draw_windows(share, longest=chosen.film - 1, seed=number)
        os.link(folder / "film.mp4", folder / f"stream{number:05d}.mp4")
        videos.append(add_video(bench, number, windows, stage.roi))
    return videos


def demo(folder: Path) -> list[list[Any]]:
    """Draw the demo, and serve its files as streams."""
    from annotation.models import ItemVersion, Source, Video
    from annotation.phantom.demo import make_demo, reel_folder

    make_demo()
    for number, source in enumerate(Source.objects.filter(kind="file")):
        name = f"phantom{number:04d}"
        shutil.copy(reel_folder() / Path(source.key).name, folder / f"{name}.mp4")
        Source.objects.filter(pk=source.pk).update(kind="youtube", key=name)
    versions = ItemVersion.objects.select_related("item__video__source")
    videos = Video.objects.filter(benchmark__slug="phantom")
    return [list(versions.filter(item__video=video)) for video in videos]


def ours(version: Any, near: list[Any]) -> None:
    from annotation import media

    media.clip(version, along=[one for one in near if one.pk != version.pk])


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
    """Do all jobs, two at a time."""
    server.sent, asked = 0, len(server.asked)
    began, cpu_began = time.perf_counter(), sum(os.times()[:4])
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for job in [threads.submit(work, *one) for one in jobs]:
            job.result()
    took, cpu = time.perf_counter() - began, sum(os.times()[:4]) - cpu_began
    return Way(took, cpu, server.sent, len(server.asked) - asked)


def part(content: bytes) -> Callable[[int, int], bytes]:
    """Return a reader of `content` that takes an offset and a number of bytes."""
    return lambda offset, count: content[offset : offset + count]


def union_bytes(videos: list[list[Any]], folder: Path) -> int:
    """Return how many bytes the pictures within the windows have, each counted once."""
    import numpy as np

    from annotation.domain.mp4_index import Samples, read_index

    indices: dict[str, Samples] = {}
    within: dict[str, np.ndarray] = {}
    for version in (version for video in videos for version in video):
        key = version.item.video.source.key
        if key not in indices:
            content = (folder / f"{key}.mp4").read_bytes()
            index = read_index(part(content), len(content))
            assert isinstance(index, Samples)
            indices[key], within[key] = index, np.zeros(index.frames, bool)
        shown = indices[key].shown
        within[key] |= (shown >= at(version)) & (shown < at(version) + version.end - version.start)
    return int(sum(indices[key].sizes[within[key]].sum() for key in indices))


def faults(videos: list[list[Any]], stage: Any) -> list[str]:
    """Look at every clip: its length, its first and last frame, where its crop lies."""
    from annotation import media
    from benchmarks.clip_films import FPS
    from sonovqa.adapters import ffmpeg

    found = []
    for version in (version for video in videos for version in video):
        clip = media.clip(version)
        wanted = version.end - version.start
        source = version.item.video.source
        wanted = min(at(version) + wanted, source.duration) - at(version)
        if abs(clip.frames / clip.fps - wanted) > 1 / clip.fps + 1e-6:
            found.append(f"{source.key}: {clip.frames} frames for {wanted:.2f} s")
        if source.key.startswith("phantom"):
            continue
        places = sorted({0, clip.frames - 1})
        for place, jpeg in zip(places, ffmpeg.frames(clip.path, places), strict=True):
            number, (left, top) = stage.read(jpeg)
            due = (at(version) + place / clip.fps) * FPS
            if abs(number - due) > FPS / clip.fps:
                found.append(f"{source.key} {version.start}: frame {number}, due {due:.1f}")
            x, y = version.roi_x * stage.width, version.roi_y * stage.height
            if abs(stage.box[0] - x - left) > 2 or abs(stage.box[1] - y - top) > 2:
                found.append(f"{source.key} {version.start}: the box begins at {left}, {top}")
    return found


def measure(chosen: argparse.Namespace, folder: Path, server: Any) -> bool:
    from annotation import source_access
    from benchmarks.clip_films import Stage
    from sonovqa.adapters import youtube

    source_access.SITE = youtube.Site(
        server.url + "/{id}.mp4", ("generic",), ("127.0.0.1",), ("http",)
    )
    stage = Stage(2 * round(chosen.height * 8 / 9), chosen.height)
    videos = synthetic(chosen, folder, stage) + ([] if chosen.quick else demo(folder))
    for video in videos:
        source_access.open_source(video[0].item.video.source)  # both ways know the address
    server.latency = chosen.latency
    mine = measured(server, ours, [(one, video) for video in videos for one in video])
    items = [one for video in videos for one in video]
    url = f"{server.url}/{{}}.mp4"
    jobs = [
        (one, folder / f"peer{place}.mp4", url.format(one.item.video.source.key))
        for place, one in enumerate(items)
    ]
    peer = measured(server, published, jobs)
    same = None if chosen.quick else measured(server, same_recipe, jobs)
    wrong = faults(videos, stage)
    return report(chosen, len(items), mine, peer, same, union_bytes(videos, folder), wrong)


def report(
    chosen: argparse.Namespace, count: int, mine: Way, peer: Way, same: Way | None, union: int,
    wrong: list[str],
) -> bool:  # fmt: skip
    print(f"{count} windows of {chosen.videos} streams, {chosen.height} lines, two at a time")
    for name, way in (("ours", mine), ("published way", peer), ("one each, our recipe", same)):
        if way is None:
            continue
        print(
            f"{name:22}{way.seconds:8.1f} s {way.cpu:8.1f} s of CPU {way.bytes / 1e6:8.1f} MB "
            f"({way.bytes / union:.2f} x the union of the windows)  {way.requests} requests"
        )
    for line in wrong[:10]:
        print(line)
    ratio, share = peer.seconds / mine.seconds, mine.bytes / union
    print(f"wrong clips: {len(wrong)}; load {os.getloadavg()[0]:.1f}")
    held = ratio >= WANTED_RATIO and share <= WANTED_BYTES and not wrong
    figures = {
        "name": "clip_rate",
        "figure": round(ratio, 2),
        "unit": "times the published way",
        "wanted": WANTED_RATIO,
        "held": held,
        "bytes": round(share, 3),
        "wanted_bytes": WANTED_BYTES,
        "cpu_ratio": round(peer.cpu / mine.cpu, 2),
        "same_recipe": same and round(same.seconds / mine.seconds, 2),
        "wrong": len(wrong),
    }
    print(json.dumps(figures))
    return held


def main() -> int:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-clips-") as var:
        os.environ |= {
            "SONOVQA_VAR": var,
            "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
            "SONOVQA_LOG_LEVEL": "WARNING",
        }
        for name in ("DATABASE_URL", "SONOVQA_SOURCES", "http_proxy", "https_proxy"):
            os.environ.pop(name, None)
        import django

        django.setup()
        from django.core.management import call_command

        from tests.standins.media_server import MediaServer

        call_command("migrate", verbosity=0)
        folder = Path(var) / "streams"
        folder.mkdir()
        with MediaServer(folder) as server:
            return 0 if measure(chosen, folder, server) else 1


if __name__ == "__main__":
    sys.exit(main())
