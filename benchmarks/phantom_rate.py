"""Measures how long the demo's videos take to draw, and how large they are.

Usage: python benchmarks/phantom_rate.py [--quick]. The quick run draws every
fourth second of every video and reckons up; the figure is in seconds for all six.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from annotation.phantom.film import FPS, HEIGHT, WIDTH, Film
from annotation.phantom.reels import QUALITY, REELS, make_reels
from sonovqa.adapters.ffmpeg_encode import encode

WANTED_SECONDS = 40.0
WANTED_BYTES = 20_000_000
SAMPLE = 4  # every fourth second of every video is drawn in the quick run


def whole() -> tuple[float, int]:
    """Return (seconds, bytes) of drawing everything."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        made = make_reels(Path(folder))
        took = time.perf_counter() - began
        return took, sum(path.stat().st_size for path in made)


def sampled() -> tuple[float, int]:
    """Return (seconds on two processes, bytes), reckoned from a part of every video."""
    scenes = [scene for reel in REELS for scene in reel.scenes]
    took, size = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            film, target = Film(scene), Path(folder) / "part.mp4"
            seconds = range(0, int(scene.script.duration), SAMPLE)
            numbers = [second * FPS + n for second in seconds for n in range(FPS)]
            began = time.perf_counter()
            frames = (film.frame(number / FPS).tobytes() for number in numbers)
            encode(frames, target, size=(WIDTH, HEIGHT), fps=FPS, crf=QUALITY)
            share = scene.script.duration * FPS / len(numbers)
            took += (time.perf_counter() - began) * share
            size += round(target.stat().st_size * share)
    return took / min(2, os.cpu_count() or 1), size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    took, size = sampled() if parser.parse_args().quick else whole()
    print(f"{len(REELS)} files, {size / 1e6:.1f} MB (wanted: at most {WANTED_BYTES / 1e6:.0f} MB)")
    print(f"{took:.1f} s on two processes; load {os.getloadavg()[0]:.1f}")
    held = took <= WANTED_SECONDS and size <= WANTED_BYTES
    line = {"name": "phantom_rate", "figure": round(took, 1), "unit": "s"}
    print(json.dumps({**line, "wanted": WANTED_SECONDS, "bytes": size, "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
