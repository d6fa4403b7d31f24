"""What a scanner writes around its picture: settings, scales, markers, calipers."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from annotation.phantom.colour_flow import PALETTE, ColourBox
from annotation.phantom.geometry import Screen, Transducer

INK = (176, 186, 194, 255)
FAINT = (120, 130, 138, 255)
YELLOW = (240, 214, 92, 255)
BLUE = (110, 190, 235, 255)


@lru_cache(maxsize=16)
def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the face that comes with Pillow, so that every machine writes alike."""
    return ImageFont.load_default(size=size)


@dataclass(frozen=True)
class Caliper:
    """A distance measured on the frozen picture: two points (across, down) in cm."""

    name: str
    ax: float
    az: float
    bx: float
    bz: float

    @property
    def centimetres(self) -> float:
        return float(np.hypot(self.ax - self.bx, self.az - self.bz))


@dataclass(frozen=True)
class Lettering:
    """RGB (0 to 255) and cover (0 to 1) of the written pixels, by flat index in the pane."""

    pixels: NDArray[np.intp]
    rgb: NDArray[np.floating]
    cover: NDArray[np.floating]


def letter(
    *,
    preset: str,
    transducer: Transducer,
    screen: Screen,
    controls: Mapping[str, float],
    calipers: tuple[Caliper, ...],
    box: ColourBox | None,
) -> Lettering:
    """Return the lettering for where the controls stand."""
    image = Image.new("RGBA", (screen.width, screen.height), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    _header(draw, screen, preset, transducer, controls)
    _gray_bar(image)
    _depth_scale(draw, screen, controls["depth"])
    _marker(draw, screen, transducer)
    if controls["doppler"] and box:
        _colour_box(draw, image, screen, transducer, box, controls["scale"])
    _calipers(draw, screen, calipers[: round(controls["calipers"])])
    if controls["freeze"]:
        draw.text((screen.width - 150, screen.height - 24), "FREEZE", BLUE, font(12))
    return _flattened(image)


def _flattened(image: Image.Image) -> Lettering:
    values = np.asarray(image, dtype=np.float32).reshape(-1, 4)
    pixels = np.flatnonzero(values[:, 3])
    return Lettering(pixels, values[pixels, :3], values[pixels, 3:] / 255)


def _header(
    draw: ImageDraw.ImageDraw,
    screen: Screen,
    preset: str,
    transducer: Transducer,
    controls: Mapping[str, float],
) -> None:
    words = [preset, transducer.label, f"{19 if controls['doppler'] else 34} Hz", "DR 58"]
    words.append(f"Gn {round(60 + controls['gain'] * 1.5)} %")
    words.append("HAR" if controls["haze"] < -60 else "FUND")
    draw.text((12, 10), "   ".join(words), INK, font(11))
    draw.text((screen.width - 84, 10), "MI 1.1  TIS 0.4", INK, font(11))


def _gray_bar(image: Image.Image) -> None:
    ramp = np.linspace(255, 0, 96).astype(np.uint8)
    bar = np.repeat(ramp[:, None], 7, axis=1)
    opaque = np.full_like(bar, 255)
    image.paste(Image.fromarray(np.stack([bar, bar, bar, opaque], axis=2)), (14, 44))


def _depth_scale(draw: ImageDraw.ImageDraw, screen: Screen, depth: float) -> None:
    x = screen.width - 36
    every = 1 if depth > 5 else 0.5
    for tick in np.arange(0, depth + 0.01, every):
        _, y = screen.place(0, float(tick))
        long = abs(tick % (5 * every)) < 0.01
        draw.line((x - (7 if long else 4), y, x, y), INK if long else FAINT, 1)
        if long and tick:
            draw.text((x + 4, y - 7), f"{tick:g}", INK, font(11))
    _, bottom = screen.place(0, depth)
    draw.text((x - 8, min(bottom + 5, screen.height - 18)), f"{depth:g} cm", FAINT, font(10))


def _marker(draw: ImageDraw.ImageDraw, screen: Screen, transducer: Transducer) -> None:
    across, down = transducer.locate(np.float32(-1.0), np.float32(0.0))  # type: ignore[arg-type]
    x, y = screen.place(float(across), float(down))
    draw.ellipse((x - 14, y - 6, x - 6, y + 2), outline=BLUE, width=2)


def _colour_box(
    draw: ImageDraw.ImageDraw,
    image: Image.Image,
    screen: Screen,
    transducer: Transducer,
    box: ColourBox,
    scale: float,
) -> None:
    beams = np.linspace(box.left, box.right, 24, dtype=np.float32)
    rim = [(b, box.near) for b in beams] + [(b, box.far) for b in beams[::-1]]
    points = []
    for beam, reach in [*rim, rim[0]]:
        across, down = transducer.locate(np.float32(beam), np.float32(reach))  # type: ignore[arg-type]
        points.append(screen.place(float(across), float(down)))
    draw.line(points, (236, 240, 244, 255), 2)
    bar = (PALETTE[::-3, :] * 255).astype(np.uint8)
    strip = np.repeat(bar[:, None, :], 7, axis=1)
    opaque = np.full((*strip.shape[:2], 1), 255, np.uint8)
    image.paste(Image.fromarray(np.concatenate([strip, opaque], axis=2)), (14, 168))
    draw.text((12, 152), f"+{scale:g}", INK, font(10))
    draw.text((12, 170 + len(bar)), f"-{scale:g} cm/s", INK, font(10))


def _calipers(draw: ImageDraw.ImageDraw, screen: Screen, calipers: tuple[Caliper, ...]) -> None:
    for place, caliper in enumerate(calipers):
        a, b = screen.place(caliper.ax, caliper.az), screen.place(caliper.bx, caliper.bz)
        dots = np.linspace(0, 1, max(4, int(np.hypot(a[0] - b[0], a[1] - b[1]) / 5)))
        for dot in dots:
            x, y = a[0] + (b[0] - a[0]) * dot, a[1] + (b[1] - a[1]) * dot
            draw.point((x, y), YELLOW)
        for x, y in (a, b):
            draw.line((x - 5, y, x + 5, y), YELLOW, 1)
            draw.line((x, y - 5, x, y + 5), YELLOW, 1)
        text = f"{caliper.name}  {caliper.centimetres:.2f} cm"
        draw.text((14, screen.height - 24 - 15 * place), text, YELLOW, font(12))
