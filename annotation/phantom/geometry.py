"""The shape of the picture: the grid of beams and samples, and its place on the screen."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

BEAMS = 160
SAMPLES = 248
Array = NDArray[np.floating]  # 32 bits wide where speed counts


@dataclass(frozen=True)
class Transducer:
    """A probe: curved with `radius` (cm) and `half_angle` (radians), or flat with
    `half_width` (cm) where `radius` is 0."""

    label: str
    radius: float = 0.0
    half_angle: float = 0.0
    half_width: float = 0.0
    fineness: float = 1.0  # how much finer its speckle is than the curved probe's

    def locate(self, lateral: Array, reach: Array) -> tuple[Array, Array]:
        """Return (across, down) in cm for a beam (-1 to 1) and a distance along it (cm)."""
        if not self.radius:
            across = lateral * self.half_width + 0 * reach
            return across.astype(np.float32), (reach + 0 * lateral).astype(np.float32)
        angle = lateral * self.half_angle
        far = self.radius + reach
        return (
            (far * np.sin(angle)).astype(np.float32),
            (far * np.cos(angle) - self.radius).astype(np.float32),
        )

    def find(self, across: Array, down: Array) -> tuple[Array, Array]:
        """Return (beam, distance along it): the inverse of `locate`."""
        if not self.radius:
            return across / self.half_width, down
        angle = np.arctan2(across, down + self.radius)
        return angle / self.half_angle, np.hypot(across, down + self.radius) - self.radius

    def width(self, depth: float) -> float:
        """Return how wide (cm) the picture is at `depth`."""
        if not self.radius:
            return 2 * self.half_width
        return 2 * float((self.radius + depth) * np.sin(self.half_angle))

    def rise(self) -> float:
        """Return how far (cm) the edges of the probe stand above its middle."""
        return float(self.radius * (1 - np.cos(self.half_angle))) if self.radius else 0.0


CONVEX = Transducer("C5-1", radius=4.2, half_angle=0.57)
LINEAR = Transducer("L12-3", half_width=2.5, fineness=2.2)


@dataclass(frozen=True)
class Grid:
    """Beams x samples in the body: `across` and `down` in cm, shape (SAMPLES, BEAMS)."""

    across: Array
    down: Array
    reach: Array  # (SAMPLES, 1), cm along the beam
    lateral: Array  # (1, BEAMS), -1 to 1
    step: float  # cm between samples


@lru_cache(maxsize=32)
def grid(transducer: Transducer, depth: float) -> Grid:
    reach = np.linspace(0, depth, SAMPLES, dtype=np.float32)[:, None]
    lateral = np.linspace(-1, 1, BEAMS, dtype=np.float32)[None, :]
    across, down = transducer.locate(lateral, reach)
    return Grid(across, down, reach, lateral, depth / (SAMPLES - 1))


@dataclass(frozen=True)
class Screen:
    """Turns a grid into pixels: `pixels` are flat indices into a (height, width) pane."""

    matrix: sparse.csr_matrix
    pixels: NDArray[np.intp]
    width: int
    height: int
    per_cm: float
    middle: float
    top: float

    def convert(self, values: Array) -> Array:
        """Return the values at `pixels`, interpolated between beams and samples."""
        found: Array = self.matrix @ values.ravel()
        return found

    def place(self, across: float, down: float) -> tuple[float, float]:
        """Return the pixel (x, y) of a point given in cm."""
        return self.middle + across * self.per_cm, self.top + down * self.per_cm


@lru_cache(maxsize=16)
def screen(transducer: Transducer, depth: float, width: int, height: int) -> Screen:
    """Return the screen for a pane of `width` x `height` pixels; the picture leaves margins
    for the header and the scales."""
    room_x, room_y, head = width - 116, height - 64, 40
    per_cm = min(room_y / (depth + transducer.rise()), room_x / transducer.width(depth))
    top = head + transducer.rise() * per_cm
    middle = width / 2 - 8
    ys, xs = np.mgrid[0:height, 0:width].astype(np.float32)
    beam, reach = transducer.find((xs - middle) / per_cm, (ys - top) / per_cm)
    inside = (np.abs(beam) < 1) & (reach >= 0) & (reach < depth)
    column = (beam[inside] + 1) / 2 * (BEAMS - 1)
    row = reach[inside] / depth * (SAMPLES - 1)
    matrix = _interpolation(row, column)
    return Screen(matrix, np.flatnonzero(inside), width, height, per_cm, middle, top)


def _interpolation(row: Array, column: Array) -> sparse.csr_matrix:
    r0 = np.clip(row.astype(np.intp), 0, SAMPLES - 2)
    c0 = np.clip(column.astype(np.intp), 0, BEAMS - 2)
    fr, fc = row - r0, column - c0
    first = r0 * BEAMS + c0
    columns = np.stack([first, first + 1, first + BEAMS, first + BEAMS + 1], axis=1)
    weights = np.stack([(1 - fr) * (1 - fc), (1 - fr) * fc, fr * (1 - fc), fr * fc], axis=1)
    ends = np.arange(0, 4 * row.size + 1, 4)
    return sparse.csr_matrix(
        (weights.astype(np.float32).ravel(), columns.ravel(), ends),
        shape=(row.size, SAMPLES * BEAMS),
    )
