"""Colour Doppler: flow in a box as red (toward the probe) and blue (away), with aliasing."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.phantom.geometry import Array, Grid, Screen

WALL_FILTER = 0.09  # share of the scale below which no colour is shown


@dataclass(frozen=True)
class ColourBox:
    """Where colour is looked for: beams from -1 to 1, distances along the beam in cm."""

    left: float
    right: float
    near: float
    far: float

    def mask(self, lines: Grid) -> NDArray[np.bool_]:
        beams = (lines.lateral >= self.left) & (lines.lateral <= self.right)
        return beams & (lines.reach >= self.near) & (lines.reach <= self.far)


def _palette() -> NDArray[np.float32]:
    """Return RGB (0 to 1) for 256 steps from -1 to 1: cyan, blue, black, red, yellow."""
    stops = np.array([-1, -0.55, -0.02, 0.02, 0.55, 1])
    colours = np.array(
        [[0.55, 0.95, 1], [0.08, 0.28, 0.95], [0, 0, 0.25], [0.3, 0, 0], [0.92, 0.1, 0.06],
         [1, 0.88, 0.35]]
    )  # fmt: skip
    steps = np.linspace(-1, 1, 256)
    return np.stack([np.interp(steps, stops, colours[:, c]) for c in range(3)], axis=1).astype(
        np.float32
    )


PALETTE = _palette()


def colours(
    flow: Array, box: ColourBox, lines: Grid, screen: Screen, *, scale: float, mottle: Array
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return (which of the screen's pixels are coloured, their RGB 0 to 1).

    Speeds above `scale` (cm/s) wrap to the other end of the colours. `mottle` unsettles the
    measured speed a little, as a real estimate is.
    """
    samples, beams = flow.shape
    measured = flow * (1 + np.float32(0.09) * mottle[:samples, :beams]) * box.mask(lines)
    speed = screen.convert(measured) / np.float32(scale)
    shown: NDArray[np.bool_] = np.abs(speed) > WALL_FILTER
    wrapped = (speed[shown] + 1) % 2 - 1
    return shown, PALETTE[((wrapped + 1) * 127.5).astype(np.intp)]
