"""Puts title, probe pane, ultrasound pane and captions into frames."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from annotation.phantom import probe_pane
from annotation.phantom.bmode import Scanner
from annotation.phantom.colour_flow import ColourBox, colours
from annotation.phantom.geometry import LINEAR, Transducer, grid, screen
from annotation.phantom.lettering import Caliper, Lettering, font, letter
from annotation.phantom.probe_pane import ProbePane
from annotation.phantom.script import Script, controls_at, frozen_since
from annotation.phantom.tissue import Shape

WIDTH, HEIGHT, FPS = 854, 480, 15
PANE_TOP, PANE_WIDTH, PANE_HEIGHT = 76, 512, 360
MARGIN, GAP = 28, 16
Frame = NDArray[np.uint8]
BLACK = 5  # of the pane around the picture


@dataclass(frozen=True)
class Scene:
    """A script with the body, the probe and the marks that it is drawn with."""

    script: Script
    preset: str
    transducer: Transducer
    body: tuple[Shape, ...]
    seed: int
    calipers: tuple[Caliper, ...] = ()
    box: ColourBox | None = None
    mirrored: bool = False  # the ultrasound pane stands on the left
    tone: float = 0.85

    @property
    def panes(self) -> tuple[int, int]:
        """Return the left edges of the probe pane and the ultrasound pane, in pixels."""
        if self.mirrored:
            return MARGIN + PANE_WIDTH + GAP, MARGIN
        return MARGIN, MARGIN + probe_pane.WIDTH + GAP

    @property
    def roi(self) -> tuple[float, float, float, float]:
        """Return the ultrasound pane as fractions of the frame."""
        return (
            self.panes[1] / WIDTH,
            PANE_TOP / HEIGHT,
            PANE_WIDTH / WIDTH,
            PANE_HEIGHT / HEIGHT,
        )


def title_card(title: str, subtitle: str) -> Frame:
    """Return the card that stands before the first segment of a source."""
    image = Image.fromarray(_ground())
    draw = ImageDraw.Draw(image)
    draw.text((WIDTH / 2, 196), title, (232, 238, 242), font(34), anchor="mm")
    draw.text((WIDTH / 2, 240), subtitle, (150, 162, 174), font(16), anchor="mm")
    draw.text((WIDTH / 2, 300), "Synthetic teaching video", (96, 108, 120), font(13), anchor="mm")
    return np.asarray(image)


class Film:
    """Draws the frames of one scene, in order."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.scanner = Scanner(scene.transducer, scene.body)
        self.probe = ProbePane(scene.seed, flat=scene.transducer is LINEAR, tone=scene.tone)
        self._grounds: dict[str, Frame] = {}
        self._lettering: dict[tuple[float, ...], Lettering] = {}
        self._frozen: tuple[float, Frame] | None = None

    def frames(self) -> Iterator[Frame]:
        """Yield every frame, (HEIGHT, WIDTH, 3) bytes."""
        for number in range(round(self.scene.script.duration * FPS)):
            yield self.frame(number / FPS)

    def frame(self, seconds: float) -> Frame:
        """Return the frame at `seconds`; persistence needs them in ascending order."""
        controls = controls_at(self.scene.script, seconds)
        picture = self._ground_with_caption(seconds).copy()
        left, right = self.scene.panes
        rows = slice(PANE_TOP, PANE_TOP + PANE_HEIGHT)
        picture[rows, left : left + probe_pane.WIDTH] = self.probe.draw(controls)
        picture[rows, right : right + PANE_WIDTH] = self._pane(controls, seconds)
        return picture

    def _pane(self, controls: dict[str, float], seconds: float) -> Frame:
        since = frozen_since(self.scene.script, seconds)
        if since is None:
            self._frozen = None
            pane = self._scan(controls, seconds)
        else:
            if self._frozen is None or self._frozen[0] != since:
                self._frozen = (since, self._scan(controls, since))
            pane = self._frozen[1].copy()
        written = self._written(controls)
        flat = pane.reshape(-1, 3)
        below = flat[written.pixels].astype(np.float32)
        flat[written.pixels] = below + (written.rgb - below) * written.cover
        return pane

    def _scan(self, controls: dict[str, float], seconds: float) -> Frame:
        scene, depth = self.scene, round(controls["depth"], 1)
        view = screen(scene.transducer, depth, PANE_WIDTH, PANE_HEIGHT)
        picture = self.scanner.picture(controls, seconds)
        gray = np.full(PANE_HEIGHT * PANE_WIDTH, BLACK, np.uint8)
        gray[view.pixels] = (view.convert(picture.brightness) * np.float32(250)).astype(np.uint8)
        pane = np.empty((PANE_HEIGHT * PANE_WIDTH, 3), np.uint8)
        pane[:] = gray[:, None]
        if controls["doppler"] and scene.box:
            shown, colour = colours(
                picture.flow,
                scene.box,
                grid(scene.transducer, depth),
                view,
                scale=controls["scale"],
                mottle=self.scanner.speckle.mottle[int(seconds * FPS) % 7 * 90 :],
            )
            pane[view.pixels[shown]] = (colour * 255).astype(np.uint8)
        return pane.reshape(PANE_HEIGHT, PANE_WIDTH, 3)

    def _written(self, controls: dict[str, float]) -> Lettering:
        names = ("depth", "gain", "haze", "doppler", "scale", "freeze", "calipers")
        key = tuple(round(controls[name], 1) for name in names)
        if key not in self._lettering:
            scene = self.scene
            self._lettering[key] = letter(
                preset=scene.preset,
                transducer=scene.transducer,
                screen=screen(scene.transducer, key[0], PANE_WIDTH, PANE_HEIGHT),
                controls=controls | {"depth": key[0]},
                calipers=scene.calipers,
                box=scene.box,
            )
        return self._lettering[key]

    def _ground_with_caption(self, seconds: float) -> Frame:
        script = self.scene.script
        steps = [step for step in script.steps if step.start <= seconds < step.end]
        caption = steps[-1].caption if steps else ""
        if caption not in self._grounds:
            image = Image.fromarray(_ground())
            draw = ImageDraw.Draw(image)
            draw.text((MARGIN, 18), script.title, (228, 234, 238), font(24))
            draw.text((MARGIN, 50), script.subtitle, (146, 158, 170), font(13))
            draw.text((MARGIN, 446), caption, (170, 182, 192), font(14))
            draw.text((WIDTH - MARGIN, 448), "Synthetic", (88, 98, 108), font(11), anchor="ra")
            self._grounds[caption] = np.asarray(image)
        return self._grounds[caption]


def _ground() -> Frame:
    fall = np.linspace(0, 1, HEIGHT, dtype=np.float32)[:, None, None]
    colour = np.array([26, 33, 44], np.float32) * (1 - fall) + np.array([17, 22, 30]) * fall
    return np.broadcast_to(colour, (HEIGHT, WIDTH, 3)).astype(np.uint8)
