"""Makes the ultrasound picture: speckle, body, shadow and enhancement, gain, colour."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from annotation.phantom.geometry import BEAMS, Array, Grid, Transducer, grid
from annotation.phantom.tissue import Form, Plane, Shape, paint

RANGE = 58.0  # dB from black to white
AXIAL_PER_CM = 40
AXIAL, LATERAL = 1024, 1024  # samples of the speckle fields, which repeat
PER_BEAM = 2
SEED = 1907
CORRELATION = 0.16  # cm out of the plane after which the speckle is another
POSE = ("slide", "shift", "rotate", "tilt", "press", "roll", "inspire", "jet")
BEATS = 66 / 60  # per second


@dataclass(frozen=True)
class Speckle:
    """Two independent fields of scatterers as seen through the point spread of the beam,
    slow differences of tissue, and noise; all repeat at their edges."""

    first: NDArray[np.complex64]
    second: NDArray[np.complex64]
    mottle: Array
    noise: Array


@cache
def make_speckle() -> Speckle:
    """Return the speckle of every scene, the same each time; it takes half a second."""
    random = np.random.default_rng(SEED)

    def field(axial: float, lateral: float) -> Array:
        raw = random.standard_normal((AXIAL, LATERAL), dtype=np.float32)
        smooth = gaussian_filter(raw, (axial, lateral), mode="wrap")
        return (smooth / smooth.std()).astype(np.float32)

    def scatterers() -> NDArray[np.complex64]:
        real, imaginary = field(1.6, 2.7), field(1.6, 2.7)
        return ((real + 1j * imaginary) / np.sqrt(2)).astype(np.complex64)

    mottle = field(14, 22) + 0.7 * field(5, 13)
    noise = random.exponential(1.0, (AXIAL, LATERAL)).astype(np.float32)
    noise = gaussian_filter(noise, (0.8, 1.0), mode="wrap")
    return Speckle(scatterers(), scatterers(), mottle.astype(np.float32), noise)


@dataclass(frozen=True)
class Picture:
    """Brightness 0 to 1 and flow in cm/s on the grid of beams and samples."""

    brightness: Array
    flow: Array


class Scanner:
    """Draws one body with one probe; it keeps the last picture, as persistence does."""

    def __init__(self, transducer: Transducer, body: tuple[Shape, ...]) -> None:
        self.transducer = transducer
        self.body = body
        self.speckle = make_speckle()
        self._last: tuple[float, Array] | None = None
        self._forms: dict[int, Form] = {}
        self._ground: tuple[Plane, Array] | None = None

    def picture(self, controls: Mapping[str, float], seconds: float) -> Picture:
        """Return the picture at `seconds`, given where the controls stand."""
        depth = round(controls["depth"], 1)
        lines = grid(self.transducer, depth)
        plane, ground = self._cut(lines, controls, seconds)
        level, loss, flow = paint(self.body, plane, ground, self._forms)
        lost = np.cumsum(loss, axis=0, dtype=np.float32) * np.float32(lines.step)
        signal = self._echo(lines, plane, controls) * _power(level - lost)
        signal += self._noise(lines, seconds) + _haze(lines, controls["haze"])
        shown = 10 * np.log10(signal + np.float32(1e-9)) + np.float32(controls["gain"])
        brightness = np.clip(1 + shown / np.float32(RANGE), 0, 1)
        if self._last is not None and self._last[0] == depth:
            brightness = np.float32(0.7) * brightness + np.float32(0.3) * self._last[1]
        self._last = (depth, brightness)
        return Picture(brightness, flow * (lost < 8))

    def _cut(
        self, lines: Grid, controls: Mapping[str, float], seconds: float
    ) -> tuple[Plane, Array]:
        """Return the imaging plane and the plain tissue in it; both stay while nothing moves."""
        pose = (lines.step, *(controls[name] for name in POSE))
        if self._ground is None or self._ground[0].pose != pose:
            plane = cut_plane(lines, controls, pose)
            self._ground = plane, self._background(plane)
        plane, ground = self._ground
        return replace(plane, controls=controls, beat=heart_beat(seconds)), ground

    def _background(self, plane: Plane) -> Array:
        row = (plane.z * AXIAL_PER_CM).astype(np.int32) % AXIAL
        column = ((plane.x + plane.y) * 46).astype(np.int32) % LATERAL
        return np.float32(-24.5) + np.float32(2.4) * self.speckle.mottle[row, column]

    def _echo(self, lines: Grid, plane: Plane, controls: Mapping[str, float]) -> Array:
        """Return the power of the speckle: it moves with the tissue in the plane and
        changes with movement out of it."""
        turn = np.deg2rad(controls["rotate"])
        in_plane = controls["shift"] * np.cos(turn) + controls["slide"] * np.sin(turn)
        stretch = 1 + 0.12 * controls["press"]
        row = (lines.reach * (AXIAL_PER_CM * self.transducer.fineness * stretch)).astype(
            np.int32
        ) % AXIAL
        cm_per_beam = np.maximum(np.abs(lines.across[:, -1:] - lines.across[:, -2:-1]), 1e-3)
        per_beam = PER_BEAM * min(2.0, self.transducer.fineness)
        moved = (in_plane * per_beam / cm_per_beam).astype(np.int32)
        column = (np.arange(BEAMS) * per_beam).astype(np.int32)[None, :] + moved
        place = row * LATERAL + column % LATERAL
        out = (plane.y[0] * np.cos(turn) - plane.x[0] * np.sin(turn)) / CORRELATION
        mixed = self.speckle.first.ravel()[place] * np.cos(out).astype(np.float32)
        mixed += self.speckle.second.ravel()[place] * np.sin(out).astype(np.float32)
        return mixed.real * mixed.real + mixed.imag * mixed.imag

    def _noise(self, lines: Grid, seconds: float) -> Array:
        tick = int(seconds * 15)
        down, right = (tick * 389) % (AXIAL - 300), (tick * 211) % (LATERAL - BEAMS)
        samples, beams = lines.across.shape
        part = self.speckle.noise[down : down + samples, right : right + beams]
        return part * _power(np.float32(-60) + np.float32(0.45) * lines.reach)


def cut_plane(lines: Grid, controls: Mapping[str, float], pose: tuple[float, ...]) -> Plane:
    """Return where the samples lie in the body, for the pose of the probe."""
    turn, lean = np.deg2rad(controls["rotate"]), np.tan(np.deg2rad(controls["tilt"]))
    out = lines.down * np.float32(lean)
    x = lines.across * np.float32(np.cos(turn)) - out * np.float32(np.sin(turn))
    y = lines.across * np.float32(np.sin(turn)) + out * np.float32(np.cos(turn))
    z = lines.down * np.float32(1 + 0.12 * controls["press"])
    return Plane(
        pose=pose,
        x=x + np.float32(controls["shift"]),
        y=y + np.float32(controls["slide"]),
        z=z,
        controls=controls,
        beat=0.0,
    )


def heart_beat(seconds: float) -> float:
    """Return how far the arteries are widened, 0 to 1: a quick rise, a slow fall, a notch."""
    phase = seconds * BEATS % 1
    systole = np.exp(-(((phase - 0.16) / 0.085) ** 2))
    return float(min(1.0, systole + 0.35 * np.exp(-(((phase - 0.42) / 0.12) ** 2))))


def _power(decibels: Array | np.float32) -> Array:
    return np.exp(decibels * np.float32(0.2302585)).astype(np.float32)


def _haze(lines: Grid, level: float) -> Array:
    """Reverberation between probe and near layers: bands that fade with depth."""
    if level < -80:
        return np.float32(0) * lines.reach
    bands = np.float32(0.35) + np.cos(lines.reach * np.float32(2 * np.pi / 0.42)) ** 4
    return bands * _power(np.float32(level) - np.float32(5) * lines.reach)
