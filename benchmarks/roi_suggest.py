"""Measures how well boxes are suggested, on the demo's six videos, whose true boxes are known.

Usage: python benchmarks/roi_suggest.py [--quick]. The figure is the median IoU of the suggested
and the true box; the seconds are those of looking at one video. The quick run draws only the
frames that are looked at and leaves encoding and decoding out; the other one makes the files.
Hostile frames (black, static, noise, a single frame) must give no box.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from annotation.domain.roi import Roi
from annotation.domain.roi_suggestion import FRAMES, RATE, burst_times, looked_at, suggest
from annotation.phantom.film import FPS, HEIGHT, WIDTH, Film, Scene
from annotation.phantom.reels import REELS, make_reels
from sonovqa.adapters import ffmpeg, ffmpeg_samples

WANTED = 0.8
SIZE = looked_at(WIDTH, HEIGHT)
Frames = NDArray[np.uint8]


def drawn() -> Iterator[tuple[str, Scene, Frames, float]]:
    """Yield (name, scene, frames, seconds of decoding) of frames drawn here."""
    for reel in REELS:
        for scene in reel.scenes:
            film = Film(scene)
            bursts = [
                [_small(film.frame(round((at + n / RATE) * FPS) / FPS)) for n in range(FRAMES)]
                for at in burst_times(0.0, scene.script.duration)
            ]
            yield f"{reel.name} {scene.script.subtitle}", scene, np.asarray(bursts), 0.0


def _small(frame: Frames) -> Frames:
    return np.asarray(Image.fromarray(frame).resize(SIZE, Image.Resampling.BOX))


def decoded() -> Iterator[tuple[str, Scene, Frames, float]]:
    """Yield (name, scene, frames, seconds of decoding) of the files as the demo has them."""
    with tempfile.TemporaryDirectory() as folder:
        make_reels(Path(folder))
        for reel in REELS:
            source = ffmpeg.local_file(Path(folder) / f"{reel.name}.mp4")
            for start, scene in zip(reel.starts(), reel.scenes, strict=True):
                began = time.perf_counter()
                bursts = [
                    ffmpeg_samples.burst(source, at, count=FRAMES, fps=RATE, size=SIZE)
                    for at in burst_times(start, start + scene.script.duration)
                ]
                took = time.perf_counter() - began
                yield f"{reel.name} {scene.script.subtitle}", scene, np.stack(bursts), took


def hostile() -> dict[str, Frames]:
    """Return frames of which none shows a scan."""
    rng = np.random.default_rng(1)
    shape = (8, FRAMES, SIZE[1], SIZE[0])
    grey = rng.integers(0, 255, shape, np.uint8)
    return {
        "black": np.zeros((*shape, 3), np.uint8),
        "static": np.broadcast_to(grey[:1, :1, ..., None], (*shape, 3)).copy(),
        "noise": np.repeat(grey[..., None], 3, axis=4),
        "single frame": np.zeros((1, 1, *shape[2:], 3), np.uint8),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    ious, seconds = [], []
    for name, scene, frames, decoding in drawn() if parser.parse_args().quick else decoded():
        began = time.perf_counter()
        found = suggest(frames)
        seconds.append(decoding + time.perf_counter() - began)
        ious.append(found.roi.iou(Roi(*scene.roi)) if found.roi else 0.0)
        said = (
            f"IoU {ious[-1]:.3f}, confidence {found.confidence:.2f}" if found.roi else found.reason
        )
        print(f"{name}: {said}, {seconds[-1]:.2f} s")
    boxes = {name: suggest(frames) for name, frames in hostile().items()}
    for name, found in boxes.items():
        print(f"{name}: {'a box, wrongly' if found.roi else found.reason}")
    median = statistics.median(ious)
    print(f"median of {len(ious)} videos: IoU {median:.3f}, {statistics.median(seconds):.2f} s")
    held = median >= WANTED and not any(found.roi for found in boxes.values())
    line = {"name": "roi_suggest", "figure": round(median, 3), "unit": "IoU", "wanted": WANTED}
    print(json.dumps({**line, "least": round(min(ious), 3), "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
