"""Synthetic streams and windows laid out like the published set, for `clip_rate.py`.

Every frame carries its number as a row of squares and a bright box at known edges, over moving
speckle, so that a clip says which frames and which pixels it shows.
"""

import io
import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from sonovqa.adapters.ffmpeg_program import program

FPS = 25
KEY_SECONDS = 2  # between key frames, as streams have them
BITS, BIT = 14, 12
ROW = 6  # pixels above the squares
MEDIAN, SPREAD = 9.0, 0.75  # seconds, log-normal; published: median 9.2, from 0.42 to 73.4
SHORTEST, LONGEST = 0.42, 73.0
GAP = 6.7  # seconds on average between windows of one kind: as in the published set, 1.4 windows
# then show each second they show at all, and the last one of a video ends after 145 s on average


@dataclass(frozen=True)
class Stage:
    """The picture: its size, and where the bright box lies (x, y, w, h), in pixels."""

    width: int
    height: int

    @property
    def box(self) -> tuple[int, int, int, int]:
        return (10, 40, self.width // 4 + 1, self.height // 5 + 1)

    @property
    def roi(self) -> tuple[float, float, float, float]:
        """A quarter of the picture, as in the published set on average."""
        return (0.011, 0.013, 0.56, 0.46)

    def draw(self, number: int, speckle: np.ndarray) -> bytes:
        shift = (number * 3) % self.width
        gray = np.roll(speckle, shift, axis=1).copy()
        gray[: ROW + BIT + 6] = 30
        for bit in range(BITS):
            if number >> bit & 1:
                gray[ROW : ROW + BIT, 8 + bit * BIT : 8 + (bit + 1) * BIT] = 220
        x, y, w, h = self.box
        gray[y : y + h, x : x + w] = 250
        return np.repeat(gray[:, :, None], 3, axis=2).tobytes()

    def read(self, jpeg: bytes) -> tuple[int, tuple[int, int]]:
        """Return the number of a frame of a clip, and where its box begins (x, y)."""
        gray = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L"), dtype=float)
        bright = gray[ROW + BIT + 4 :] > 170
        columns = np.nonzero(bright.mean(axis=0) > 0.3)[0]
        rows = np.nonzero(bright.mean(axis=1) > 0.3)[0]
        left, top = int(columns.min()), int(rows.min()) + ROW + BIT + 4
        dx, dy = self.box[0] - left, self.box[1] - top
        squares = gray[max(0, ROW + 3 - dy) : ROW + BIT - 3 - dy]
        number = 0
        for bit in range(BITS):
            first = 8 + bit * BIT + 3 - dx
            if squares[:, max(0, first) : first + BIT - 6].mean() > 125:
                number += 1 << bit
        return number, (left, top)


def make_film(target: Path, stage: Stage, seconds: float) -> None:
    """Write the film as H.264 with its tables first, as servers of streams do."""
    noise = np.random.default_rng(7)
    tile = noise.gamma(2.0, 18.0, (stage.height // 3 + 1, stage.width // 3 + 1))
    speckle = np.kron(tile, np.ones((3, 3)))[: stage.height, : stage.width].clip(0, 140)
    command = [
        *(program(), "-y", "-hide_banner", "-loglevel", "error", "-f", "rawvideo"),
        *("-pix_fmt", "rgb24", "-s", f"{stage.width}x{stage.height}", "-r", str(FPS), "-i", "-"),
        *("-c:v", "libx264", "-preset", "veryfast", "-crf", "28", "-pix_fmt", "yuv420p"),
        *("-g", str(KEY_SECONDS * FPS), "-movflags", "+faststart", str(target)),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        for number in range(int(seconds * FPS)):
            child.stdin.write(stage.draw(number, speckle.astype(np.uint8)))
        child.stdin.close()


def draw_windows(count: int, *, longest: float, seed: int) -> list[tuple[float, float]]:
    """Return `count` windows of one video: two kinds of items, each passing once through it."""
    draw = random.Random(seed)
    windows = []
    for kind in range(2):
        at = draw.uniform(0, 2)
        for _ in range((count + kind) // 2):
            length = min(LONGEST, max(SHORTEST, draw.lognormvariate(np.log(MEDIAN), SPREAD)))
            if at + length > longest:
                at = draw.uniform(0, longest / 2)
            length = min(length, longest - at)
            windows.append((round(at, 2), round(at + length, 2)))
            at += length + draw.expovariate(1 / GAP)
    return windows
