"""The ROI: a box in fractions of the full frame, top-left origin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from annotation.domain import clips

PROPS = ("x_prop", "y_prop", "w_prop", "h_prop")
SMALLEST_SHARE = 0.01  # of the frame's width or height; below that nothing can be seen
SLACK = 1.5e-6  # files give six decimals, so x + w may pass 1 by two roundings


@dataclass(frozen=True)
class Roi:
    """A box; `x`, `y` its top-left corner, `w`, `h` its size, all fractions of the frame.

    Raises ValueError, naming the field, where the box is not inside the frame or where a
    side is under SMALLEST_SHARE.
    """

    x: float
    y: float
    w: float
    h: float

    def __post_init__(self) -> None:
        for name in ("x", "y", "w", "h"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ValueError(f"{name} must be a number")
            if not math.isfinite(value) or not 0 <= value <= 1:
                raise ValueError(f"{name} must be from 0 to 1")
            object.__setattr__(self, name, float(value))
        for corner, side in (("x", "w"), ("y", "h")):
            if getattr(self, side) < SMALLEST_SHARE:
                raise ValueError(f"{side} must be at least {SMALLEST_SHARE}")
            if getattr(self, corner) + getattr(self, side) > 1 + SLACK:
                raise ValueError(f"{corner} + {side} must not pass 1")

    @classmethod
    def from_props(cls, props: Mapping[str, object]) -> Self:
        """Return the box of a file's `x_prop`, `y_prop`, `w_prop`, `h_prop`."""
        missing = [name for name in PROPS if name not in props]
        if missing:
            raise ValueError(f"{', '.join(missing)} missing")
        return cls(*(props[name] for name in PROPS))  # type: ignore[arg-type]

    @classmethod
    def from_pixels(cls, x: int, y: int, w: int, h: int, *, width: int, height: int) -> Self:
        """Return the box of whole pixels of a frame of `width` x `height`."""
        return cls(x / width, y / height, w / width, h / height)

    @property
    def fractions(self) -> tuple[float, float, float, float]:
        return (self.x, self.y, self.w, self.h)

    @property
    def area(self) -> float:
        """Share of the frame."""
        return self.w * self.h

    def props(self) -> dict[str, float]:
        """Return the box as files spell it."""
        return dict(zip(PROPS, self.fractions, strict=True))

    def to_pixels(self, *, width: int, height: int) -> tuple[int, int, int, int]:
        """Return x, y, w, h in the nearest whole pixels: what an editor draws."""
        left, right = round(self.x * width), round((self.x + self.w) * width)
        top, bottom = round(self.y * height), round((self.y + self.h) * height)
        return (left, top, right - left, bottom - top)

    def cut(self, *, width: int, height: int) -> clips.Box:
        """Return the box in even pixels: what a clip is cut to."""
        return clips.pixel_box(self.fractions, width=width, height=height)

    def iou(self, other: "Roi") -> float:
        """Return the intersection over the union of two boxes, 0 to 1."""
        across = min(self.x + self.w, other.x + other.w) - max(self.x, other.x)
        down = min(self.y + self.h, other.y + other.h) - max(self.y, other.y)
        shared = max(0.0, across) * max(0.0, down)
        return min(1.0, shared / (self.area + other.area - shared))
