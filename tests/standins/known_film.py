"""Frames that carry their number as a row of 8 bright or dark squares, and edges at known pixels.

The number stands in the top left; a white box lies at BOX (x, y, w, h).
"""

import io

import numpy as np
from PIL import Image

SIZE = (480, 270)
FPS = 25
SECONDS = 10
BIT = 16
BOX = (200, 120, 101, 77)


def frame(number: int) -> np.ndarray:
    width, height = SIZE
    picture = np.full((height, width, 3), 40, np.uint8)
    for bit in range(8):
        if number >> bit & 1:
            picture[0:BIT, bit * BIT : (bit + 1) * BIT] = 220
    x, y, w, h = BOX
    picture[y : y + h, x : x + w] = 250
    return picture


def read_number(jpeg: bytes) -> int:
    """Return the number that a frame carries (of a clip that shows the top left)."""
    gray = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L"), dtype=float)
    bits = [gray[4:12, bit * BIT + 4 : bit * BIT + 12].mean() > 130 for bit in range(8)]
    return sum(1 << bit for bit, is_set in enumerate(bits) if is_set)


def bright_box(jpeg: bytes) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) of the bright pixels below the row of squares."""
    gray = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L"), dtype=float)
    rows, columns = np.nonzero(gray > 145)
    return columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
