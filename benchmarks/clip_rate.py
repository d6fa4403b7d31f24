"""How fast the clips of a whole benchmark are cut, against one ffmpeg per item on the stream.

657 windows of 47 videos on 35 streams, laid out like the published ones (scaled down to 640x360),
on a local server with byte ranges, and all windows of the demo; every clip is looked at
afterwards. All ways are asked for as many clips at a time as a worker asks for: four a core.
Ours finds all addresses first, each once; in a run that goes on beside the cutting.

The published way is that of the published scripts: for each item the program yt-dlp finds the
address of the stream, then ffmpeg seeks, crops and encodes with x264 ultrafast at the stream's
own rate. Measured beside it are its ffmpeg alone, given the address, and the same with our
recipe: what is left where finding addresses costs nothing.

Measured twice: on loopback (the figure that is wanted), and, on some streams, through a network
with the stated assumptions.

    python benchmarks/clip_rate.py [--quick] [--height LINES] [--latency SECONDS] [--rate BYTES]
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from benchmarks.clip_ways import (  # noqa: E402
    Network,
    Way,
    at,
    ffmpeg_alone,
    find,
    measured,
    ours,
    published,
    same_recipe,
    through,
)

WANTED_RATIO, WANTED_BYTES = 3.0, 1.1
FAR = 8  # streams that are also cut through the assumed network
FILM_SECONDS = 330.0
BETWEEN = 10.0  # seconds between two videos of one stream


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="3 streams, no demo, two ways")
    parser.add_argument("--height", type=int, default=360)
    parser.add_argument("--latency", type=float, default=0.05, help="assumed before each answer")
    parser.add_argument("--rate", type=float, default=2e6, help="assumed, of one connection")
    chosen = parser.parse_args()
    chosen.videos, chosen.streams, chosen.windows = (3, 3, 30) if chosen.quick else (47, 35, 657)
    chosen.film = 110.0 if chosen.quick else FILM_SECONDS
    return chosen


def add_video(
    bench: Any, source: Any, number: int, start: float, windows: list, roi: tuple
) -> list[Any]:
    """Store a video that begins `start` seconds into its source, and its items; return their
    versions."""
    from annotation.actions.versions import Content, build_version
    from annotation.models import Item, ItemVersion, Video

    x, y, w, h = roi
    video = Video.objects.create(
        benchmark=bench, source=source, name=f"v{number}", title="v", position=number, start=start,
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
    from annotation.models import Benchmark, Source
    from benchmarks.clip_films import draw_windows, make_film

    make_film(folder / "film.mp4", stage, chosen.film)
    bench = Benchmark.objects.create(slug="synthetic", name="Synthetic")
    keys = [f"stream{number:05d}" for number in range(chosen.streams)]
    for key in keys:
        os.link(folder / "film.mp4", folder / f"{key}.mp4")
    sources = [Source.objects.create(benchmark=bench, kind="youtube", key=key) for key in keys]
    reached = dict.fromkeys(range(chosen.streams), 0.0)
    videos = []
    for number in range(chosen.videos):
        stream = number % chosen.streams
        start = reached[stream]
        share = chosen.windows // chosen.videos + (number < chosen.windows % chosen.videos)
        windows = draw_windows(share, longest=chosen.film - 1 - start, seed=number)
        reached[stream] = start + max(end for _, end in windows) + BETWEEN
        videos.append(add_video(bench, sources[stream], number, start, windows, stage.roi))
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
    videos = synthetic(chosen, folder, stage)
    network = Network(chosen.latency, chosen.rate)
    far, _ = compare(server, network, videos[:FAR], {"published way": published})
    videos += [] if chosen.quick else demo(folder)
    others = {"published way": published, "its ffmpeg alone": ffmpeg_alone}
    if not chosen.quick:
        others["one each, our recipe"] = same_recipe
    near, union = compare(server, Network(), videos, others)
    return report(far, near, union, faults(videos, stage))


def forget_all() -> None:
    """Drop clips, fetched parts and addresses."""
    from annotation import media_store

    for kind in ("clips", "parts", "addresses"):
        shutil.rmtree(media_store.root() / kind, ignore_errors=True)


def compare(
    server: Any, network: Network, videos: list[list[Any]], others: dict[str, Callable[..., None]]
) -> tuple[dict[str, Way], int]:
    """Cut the clips of `videos` in our way and in others, print what each way took; return
    that, and the bytes of the union of the windows."""
    items = [one for video in videos for one in video]
    folder = server.folder
    jobs = [
        (one, folder / f"peer{place}.mp4", f"{server.url}/{one.item.video.source.key}.mp4")
        for place, one in enumerate(items)
    ]
    forget_all()
    with through(network, server):
        ways = {
            "ours, addresses": measured(server, find, [(video[0],) for video in videos]),
            "ours, clips": measured(server, ours, in_turn(videos)),
        }
        ways |= {name: measured(server, work, jobs) for name, work in others.items()}
    union = union_bytes(videos, folder)
    print(f"{len(items)} windows of {len(videos)} videos; {network}")
    for name, way in ways.items():
        print(
            f"  {name:21}{way.seconds:7.1f} s {way.programs_cpu:7.1f} s of CPU by programs "
            f"{way.own_cpu:6.1f} s with the server {way.bytes / 1e6:7.1f} MB "
            f"({way.bytes / union:.2f} x the union of the windows) {way.requests:5} requests"
        )
    return ways, union


def in_turn(videos: list[list[Any]]) -> list[tuple[Any, list[Any]]]:
    """Return the versions as a run has them, each with those of its video: sources take turns."""
    columns = zip_longest(*([(one, video) for one in video] for video in videos))
    return [one for column in columns for one in column if one]


def times(ways: dict[str, Way]) -> float:
    """Return how many times as long as ours, with the finding of addresses, theirs takes."""
    mine = ways["ours, addresses"].seconds + ways["ours, clips"].seconds
    return ways["published way"].seconds / mine


def report(far: dict[str, Way], near: dict[str, Way], union: int, wrong: list[str]) -> bool:
    for line in wrong[:10]:
        print(line)
    mine, alone = near["ours, clips"], near["its ffmpeg alone"]
    same = near.get("one each, our recipe")
    ratio, share = times(near), mine.bytes / union
    print(f"wrong clips: {len(wrong)}; load {os.getloadavg()[0]:.1f}")
    held = ratio >= WANTED_RATIO and share <= WANTED_BYTES and not wrong
    figures = {
        "name": "clip_rate",
        "figure": round(ratio, 2),
        "unit": "times the published way, on loopback",
        "wanted": WANTED_RATIO,
        "held": held,
        "through_assumed_network": round(times(far), 2),
        "bytes": round(share, 3),
        "wanted_bytes": WANTED_BYTES,
        "its_ffmpeg_alone": round(alone.seconds / mine.seconds, 2),
        "its_ffmpeg_alone_cpu": round(alone.programs_cpu / mine.programs_cpu, 2),
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
