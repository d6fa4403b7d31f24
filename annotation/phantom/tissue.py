"""The body: shapes in three dimensions that the imaging plane cuts."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from annotation.phantom.geometry import Array

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Look:
    """How a shape looks: levels in dB below white, lengths in cm.

    `echo` None leaves what lies below as it is. `loss` in dB per cm is what the beam loses
    inside (negative: it loses less than in tissue, so that what lies behind is brighter).
    `flow` in cm/s, toward the probe positive; `surge` the share that beats with the heart.
    """

    echo: float | None = None
    edge: float = 0.05
    wall: float | None = None
    wall_width: float = 0.06
    loss: float = 0.0
    flow: float = 0.0
    surge: float = 0.6


@dataclass(frozen=True)
class Plane:
    """Where the samples of the picture lie in the body, in cm; arrays of one shape. Planes
    with the same `pose` are the same but for the beat."""

    pose: tuple[float, ...]

    x: Array
    y: Array
    z: Array
    controls: Mapping[str, float]
    beat: float  # 0 to 1, how far the arteries are widened


@dataclass(frozen=True)
class Shape(ABC):
    """A shape with a look; `moves` says how far (x, y, z) it goes per unit of a control."""

    look: Look
    moves: Mapping[str, Vector] = field(default_factory=dict)
    pulse: float = 0.0  # share by which it widens with the heart

    def moved(self, plane: Plane, at: Vector) -> Vector:
        x, y, z = at
        for control, (dx, dy, dz) in self.moves.items():
            by = plane.controls[control]
            x, y, z = x + dx * by, y + dy * by, z + dz * by
        return x, y, z

    @abstractmethod
    def distance(self, plane: Plane) -> tuple[Array, Array]:
        """Return (signed distance in cm, negative inside; how far the surface faces the
        probe, 0 to 1)."""


@dataclass(frozen=True)
class Tube(Shape):
    """A vessel along the body: centre at y = 0, how it leans per cm, radii across and down."""

    at: Vector = (0.0, 0.0, 5.0)
    lean: tuple[float, float] = (0.0, 0.0)
    rx: float = 1.0
    rz: float = 1.0
    squeeze: float = 0.0  # share of rz that full pressure takes
    fork_at: float | None = None  # y beyond which the tube is two
    fork_lean: float = 0.45

    def distance(self, plane: Plane) -> tuple[Array, Array]:
        x, y, z = self.moved(plane, self.at)
        along = plane.y - np.float32(y)
        widened = 1 + self.pulse * plane.beat
        rx = self.rx * widened * (1 + 0.25 * self.squeeze * plane.controls["press"])
        rz = self.rz * widened * (1 - self.squeeze * plane.controls["press"])
        dx = plane.x - np.float32(x) - np.float32(self.lean[0]) * along
        if self.fork_at is not None:
            beyond = np.maximum(along - np.float32(self.fork_at), 0)
            dx = np.abs(dx) - beyond * np.float32(self.fork_lean)
            thin = 1 - 0.38 * np.minimum(beyond / np.float32(0.8), 1)
            rx, rz = rx * thin, rz * thin
        dz = plane.z - np.float32(z) - np.float32(self.lean[1]) * along
        return _ellipse(dx / rx, dz / rz, np.minimum(rx, rz))


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An organ, a cyst, a stone, a bone; `every` repeats it along the body (cm)."""

    at: Vector = (0.0, 0.0, 5.0)
    radii: Vector = (1.0, 1.0, 1.0)
    every: float = 0.0
    lean: float = 0.0  # z per cm of y
    squeeze: float = 0.0
    ripple: float = 0.0  # cm by which the surface is uneven

    def distance(self, plane: Plane) -> tuple[Array, Array]:
        x, y, z = self.moved(plane, self.at)
        rx, ry, rz = self.radii
        rz *= 1 - self.squeeze * plane.controls["press"]
        dx, dy, dz = plane.x - np.float32(x), plane.y - np.float32(y), plane.z - np.float32(z)
        if self.lean:
            dz = dz - np.float32(self.lean) * dy
        if self.every:
            dy = (dy + self.every / 2) % np.float32(self.every) - np.float32(self.every / 2)
        flat = np.hypot(dx / np.float32(rx), dy / np.float32(ry))
        far, facing = _ellipse(flat, dz / np.float32(rz), np.float32(min(self.radii)))
        if self.ripple:
            far = far + np.float32(self.ripple) * np.sin(dx * 5.1 + dy * 3.7) * np.cos(dx * 2.3)
        return far, facing


@dataclass(frozen=True)
class Sheet(Shape):
    """A fascia, the diaphragm, the pleura: a thin bright layer."""

    depth: float = 1.0
    thickness: float = 0.05
    wave: float = 0.06
    pitch: float = 1.3

    def distance(self, plane: Plane) -> tuple[Array, Array]:
        wave = np.float32(self.wave) * np.sin(plane.x * self.pitch + plane.y * 0.7 + self.depth)
        far = np.abs(plane.z - np.float32(self.depth) - wave) - np.float32(self.thickness)
        return far, np.float32(1.0) + 0 * far


def _ellipse(a: Array, b: Array, scale: Array | np.float32) -> tuple[Array, Array]:
    length = np.sqrt(a * a + b * b) + np.float32(1e-6)
    return (length - 1) * scale, np.abs(b) / length


@dataclass(frozen=True)
class Form:
    """The part of the picture that a shape touches, and its distance and facing there."""

    pose: tuple[float, ...]
    part: tuple[slice, slice] | None
    far: Array
    facing: Array


def form(shape: Shape, plane: Plane, known: Form | None) -> Form:
    """Return the form of `shape` in `plane`; `known`, its last one, where nothing moved."""
    pose = (*plane.pose, plane.beat) if shape.pulse else plane.pose
    if known is not None and known.pose == pose:
        return known
    far, facing = shape.distance(plane)
    look = shape.look
    part = _touched(far, max(look.edge, 2.2 * look.wall_width if look.wall else 0.0))
    if part is None:
        return Form(pose, None, far, facing)
    return Form(pose, part, far[part], facing[part])


def paint(
    shapes: tuple[Shape, ...], plane: Plane, level: Array, forms: dict[int, Form]
) -> tuple[Array, Array, Array]:
    """Return (level in dB, loss in dB per cm, flow in cm/s) with all shapes painted on.

    `forms` keeps the forms from one picture to the next.
    """
    level, loss, flow = level.copy(), np.zeros_like(level), np.zeros_like(level)
    for number, shape in enumerate(shapes):
        look = shape.look
        found = forms[number] = form(shape, plane, forms.get(number))
        part = found.part
        if part is None:
            continue
        far, facing, here = found.far, found.facing, level[part]
        inside = np.clip(np.float32(0.5) - far / np.float32(look.edge), 0, 1)
        if look.echo is not None:
            here += (np.float32(look.echo) - here) * inside
            loss[part] += (np.float32(look.loss) - loss[part]) * inside
            flow[part] *= 1 - inside
        if look.wall is not None:
            rim, away = far / np.float32(look.wall_width), 1 - facing
            lit = np.float32(look.wall) - 9 * rim * rim - 13 * away * away
            np.maximum(here, lit, out=here)
        if look.flow:
            speed = np.float32(look.flow * (1 - look.surge + look.surge * 1.8 * plane.beat))
            flow[part] += speed * np.sqrt(np.clip(-far * np.float32(1.1), 0, 1)) * inside
    return level, loss, flow


def _touched(far: Array, reach: float) -> tuple[slice, slice] | None:
    """Return the part of the picture that lies within `reach` (cm) of a shape."""
    near = far < np.float32(reach)
    rows, columns = np.flatnonzero(near.any(axis=1)), np.flatnonzero(near.any(axis=0))
    if not rows.size:
        return None
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
