"""Draws the probe on the skin, held by a gloved hand, moving as the controls say."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

WIDTH, HEIGHT = 270, 360
FIGURE = (330, 230)  # pixels of hand and probe
FINE = 2  # the hand is drawn this many times finer
LIGHT = np.array([-0.45, -0.65, 0.62], dtype=np.float32)
PX_PER_CM = 10.0
SKIN_LINE = 236.0
TURNS = 12  # steps from transverse to long axis

GLOVE = (0.36, 0.47, 0.60)
SLEEVE = (0.09, 0.22, 0.26)
SHELL = (0.80, 0.82, 0.83)
RUBBER = (0.17, 0.18, 0.20)
Layer = NDArray[np.floating]
Point = tuple[float, float]


def scene(seed: int, tone: float) -> Layer:
    """Return the still background, RGB 0 to 255: wall, body, drape. `tone` is the skin's
    lightness from 0 to 1."""
    random = np.random.default_rng(seed)
    ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    wall = 34 + 16 * np.exp(-(((xs - 190) / 120) ** 2 + ((ys - 40) / 130) ** 2))
    picture = wall[..., None] * np.array([0.92, 1.02, 1.15], np.float32)
    skin = _skin_line(xs)
    below = ys - skin
    grain = gaussian_filter(random.standard_normal((HEIGHT, WIDTH)), 0.8)
    shade = np.clip(1.02 - below / 210 - 0.25 * np.exp(-((below / 5) ** 2)), 0.3, 1)
    base = np.array([212, 150, 118], np.float32) * (0.5 + 0.5 * tone)
    flesh = base * (shade + 0.035 * grain)[..., None]
    navel = np.exp(-(((xs - 58) / 11) ** 2 + ((ys - 268) / 5) ** 2))
    flesh = flesh * (1 - 0.6 * navel[..., None])
    picture = _over(picture, flesh, np.clip(below + 0.5, 0, 1))
    fold = 292 + 10 * np.sin(xs / 46) + 16 * np.exp(-(((xs - 200) / 70) ** 2)) * -1
    folds = gaussian_filter(random.standard_normal((HEIGHT, WIDTH)), (26, 10))
    cloth = (
        np.array([46, 82, 92], np.float32)
        * (1 + 0.22 * np.clip(folds / folds.std(), -1.6, 1.6))[..., None]
    )
    return np.clip(_over(picture, cloth, np.clip((ys - fold) / 2, 0, 1)), 0, 255)


def _skin_line(xs: Layer) -> Layer:
    return SKIN_LINE + 5 * np.cos((xs - 130) / 75).astype(np.float32) * -1


def _over(below: Layer, above: Layer, cover: Layer) -> Layer:
    mixed: Layer = (below + (above - below) * cover[..., None]).astype(np.float32)
    return mixed


class _Canvas:
    """Paints rounded, lit bodies on a transparent ground."""

    def __init__(self, width: int, height: int) -> None:
        self.rgb = np.zeros((height, width, 3), np.float32)
        self.cover = np.zeros((height, width), np.float32)

    def capsule(self, a: Point, b: Point, ra: float, rb: float, colour: tuple[float, ...]) -> None:
        """Paint a finger-like body from `a` to `b` with the radii at its ends."""
        reach = max(ra, rb) + 1
        part, xs, ys = self._part(
            (min(a[0], b[0]) - reach, min(a[1], b[1]) - reach),
            (max(a[0], b[0]) + reach, max(a[1], b[1]) + reach),
        )
        dx, dy = b[0] - a[0], b[1] - a[1]
        length = dx * dx + dy * dy or 1.0
        along = np.clip(((xs - a[0]) * dx + (ys - a[1]) * dy) / length, 0, 1)
        radius = ra + (rb - ra) * along
        ox, oy = xs - a[0] - along * dx, ys - a[1] - along * dy
        far = np.hypot(ox, oy)
        nx, ny = ox / radius, oy / radius
        nz = np.sqrt(np.clip(1 - nx * nx - ny * ny, 0, 1))
        inside = np.clip(radius - far + 0.5, 0, 1)
        self._light(part, (nx, ny, nz), inside, colour, far / radius)

    def block(
        self, corners: tuple[float, float, float, float], taper: float, colour: tuple[float, ...]
    ) -> None:
        """Paint an upright rounded body: left, top, right, bottom; `taper` narrows its top."""
        left, top, right, bottom = corners
        part, xs, ys = self._part((left - 2, top - 1), (right + 2, bottom + 1))
        middle, half = (left + right) / 2, (right - left) / 2
        down = np.clip((ys - top) / (bottom - top), 0, 1)
        width = half * (1 - taper * (1 - down))
        side = (xs - middle) / width
        corner = 6 * FINE
        qx = np.abs(xs - middle) - width + corner
        qy = np.abs(ys - (top + bottom) / 2) - (bottom - top) / 2 + corner
        far = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) + np.minimum(np.maximum(qx, qy), 0)
        nz = np.sqrt(np.clip(1 - side * side, 0, 1))
        inside = np.clip(corner - far + 0.5, 0, 1)
        self._light(part, (side, 0 * side, nz), inside, colour, np.abs(side))

    def _part(self, low: Point, high: Point) -> tuple[tuple[slice, slice], Layer, Layer]:
        """Return a rectangle of the canvas and the places (x, y) of its pixels."""
        height, width = self.cover.shape
        rows = slice(max(0, int(low[1])), min(height, int(high[1]) + 2))
        columns = slice(max(0, int(low[0])), min(width, int(high[0]) + 2))
        ys, xs = np.mgrid[rows, columns].astype(np.float32)
        return (rows, columns), xs, ys

    def _light(
        self,
        part: tuple[slice, slice],
        normal: tuple[Layer, Layer, Layer],
        inside: Layer,
        colour: tuple[float, ...],
        rim: Layer,
    ) -> None:
        lit = np.clip(sum(n * light for n, light in zip(normal, LIGHT, strict=True)), 0, 1)
        gloss = np.clip(lit - 0.86, 0, 1) * 1.1
        shade = (0.30 + 0.74 * lit) * (1 - 0.30 * np.clip(rim, 0, 1) ** 6)
        above = (np.array(colour, np.float32) * shade[..., None] + gloss[..., None]) * 255
        self.rgb[part] = _over(self.rgb[part], above, inside)
        self.cover[part] = np.maximum(self.cover[part], inside)

    def image(self) -> Image.Image:
        rgba = np.dstack([np.clip(self.rgb, 0, 255), self.cover * 255]).astype(np.uint8)
        return Image.fromarray(rgba)


@lru_cache(maxsize=64)
def hand(turn: int, flat: bool) -> Image.Image:
    """Return hand and probe, the face of the probe at the middle of the lower edge.

    `turn` from 0 (transverse: seen end on) to TURNS (long axis: seen from its broad side).
    """
    share = np.sin(np.pi / 2 * turn / TURNS)
    canvas = _Canvas(FIGURE[0] * FINE, FIGURE[1] * FINE)
    k = FINE
    cx = 90 * k
    half = (15 + (17 if flat else 21) * share) * k
    canvas.capsule((cx + 10 * k, 70 * k), (cx + 44 * k, -30 * k), 4 * k, 4 * k, RUBBER)
    canvas.capsule((186 * k, 92 * k), (380 * k, 40 * k), 34 * k, 66 * k, SLEEVE)
    canvas.capsule((134 * k, 118 * k), (176 * k, 96 * k), 30 * k, 27 * k, GLOVE)
    grip = (11 + 4 * share) * k
    canvas.block((cx - grip, 58 * k, cx + grip, 200 * k), 0.12, SHELL)
    canvas.block((cx - half, 172 * k, cx + half, 216 * k), 0.34, SHELL)
    canvas.block((cx - half, 208 * k, cx + half, 228 * k), -0.02 if flat else 0.0, RUBBER)
    marker_x = cx - (half - 7 * k) * share
    canvas.capsule((marker_x, 192 * k), (marker_x + 1, 195 * k), 3 * k, 3 * k, (0.3, 0.75, 1.0))
    for place, (reach, radius) in enumerate([(50, 10.5), (54, 11.0), (53, 10.5), (44, 9.5)]):
        y = (98 + 21 * place) * k
        canvas.capsule(
            ((134 - 2 * place) * k, y + 4 * k),
            ((134 - reach - 20) * k, y - 3 * k),
            (radius + 2) * k,
            radius * k,
            GLOVE,
        )
    canvas.capsule((142 * k, 100 * k), (104 * k, 78 * k), 14 * k, 11 * k, GLOVE)
    canvas.capsule((104 * k, 78 * k), (84 * k, 86 * k), 11 * k, 9 * k, GLOVE)
    return canvas.image().resize(FIGURE, Image.Resampling.LANCZOS)


class ProbePane:
    """Puts the hand where the controls say, on a still background."""

    def __init__(self, seed: int, *, flat: bool, tone: float) -> None:
        self.flat = flat
        self.scene = scene(seed, tone)
        self._drawn: dict[tuple[int, ...], NDArray[np.uint8]] = {}

    def draw(self, controls: Mapping[str, float]) -> NDArray[np.uint8]:
        """Return the pane, (HEIGHT, WIDTH, 3)."""
        pose = (
            round(controls["slide"] * PX_PER_CM),
            round(controls["shift"] * PX_PER_CM * 0.25),
            round(controls["press"] * 12),
            round(controls["rotate"] / 90 * TURNS),
            round(controls["tilt"] / 2) * 2,
        )
        if pose not in self._drawn:
            self._drawn[pose] = self._compose(*pose)
        return self._drawn[pose]

    def _compose(
        self, slide: int, shift: int, press: int, turn: int, tilt: int
    ) -> NDArray[np.uint8]:
        x, y = 122 - slide, round(SKIN_LINE) - 4 + shift + press
        picture = self._pressed(x, y, press)
        figure = hand(turn, self.flat)
        room = Image.new("RGBA", (WIDTH, HEIGHT), (0, 0, 0, 0))
        room.paste(figure, (x - 90, y - 228))
        if tilt:
            room = room.rotate(tilt, Image.Resampling.BICUBIC, center=(x, y))
        values = np.asarray(room, dtype=np.float32)
        mixed = _over(picture, values[..., :3], values[..., 3] / 255)
        return np.clip(mixed, 0, 255).astype(np.uint8)

    def _pressed(self, x: int, y: int, press: int) -> Layer:
        """Return the scene with the shadow under the probe and the dent that it makes."""
        ys, xs = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        near = np.exp(-(((xs - x) / (34 + press)) ** 2))
        source = np.clip(ys - near * press * np.clip((ys - y + 40) / 40, 0, 1), 0, HEIGHT - 1.001)
        row, column = source.astype(np.intp), xs.astype(np.intp)
        part = (source - row)[..., None]
        picture = self.scene[row, column] * (1 - part) + self.scene[row + 1, column] * part
        shadow = 0.45 * np.exp(-(((xs - x - 8) / 46) ** 2 + ((ys - y - 6) / 9) ** 2))
        darkened: Layer = picture * (1 - shadow[..., None])
        return darkened
