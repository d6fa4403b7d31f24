"""The source files of the demo: which scenes stand in which file, and when they begin."""

import hashlib
import inspect
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from annotation.phantom import (
    bmode,
    colour_flow,
    film,
    geometry,
    lettering,
    probe_pane,
    script,
    tissue,
)
from annotation.phantom.film import FPS, HEIGHT, WIDTH, Film, Scene, title_card
from annotation.phantom.scenes import (
    abdomen,
    aorta,
    aorta_flow,
    bladder,
    gallbladder,
    kidney,
    vein,
)
from sonovqa.adapters.ffmpeg_encode import encode

CARD = 2.0  # seconds of title card before each segment
QUALITY = 23
MODULES = (
    abdomen, aorta, aorta_flow, bladder, bmode, colour_flow, film, gallbladder, geometry, kidney,
    lettering, probe_pane, script, tissue, vein,
)  # fmt: skip


@dataclass(frozen=True)
class Reel:
    """One source file: a title card and a scene, once or several times over."""

    name: str
    scenes: tuple[Scene, ...]

    def starts(self) -> list[float]:
        """Return at which second of the file each scene begins."""
        starts, at = [], 0.0
        for scene in self.scenes:
            at += CARD
            starts.append(at)
            at += scene.script.duration
        return starts

    def frames(self) -> Iterator[bytes]:
        for scene in self.scenes:
            card = title_card(scene.script.title, scene.script.subtitle).tobytes()
            for _ in range(round(CARD * FPS)):
                yield card
            for frame in Film(scene).frames():
                yield frame.tobytes()


# The longest first, so that two processes end together.
REELS = (
    Reel("abdominal_aorta", (aorta.SCENE, aorta_flow.SCENE)),
    Reel("right_kidney", (kidney.SCENE,)),
    Reel("gallbladder", (gallbladder.SCENE,)),
    Reel("femoral_vein", (vein.SCENE,)),
    Reel("urinary_bladder", (bladder.SCENE,)),
)


def stamp() -> str:
    """Return a digest of the code that draws: another stamp means other pictures."""
    digest = hashlib.sha256(f"{FPS} {QUALITY} {CARD}".encode())
    for module in MODULES:
        digest.update(inspect.getsource(module).encode())
    return digest.hexdigest()


def are_made(folder: Path) -> bool:
    """Say whether every reel lies in `folder`, as this code draws it."""
    note = folder / "STAMP"
    present = all((folder / f"{reel.name}.mp4").is_file() for reel in REELS)
    return present and note.is_file() and note.read_text(encoding="utf-8") == stamp()


def make_reels(folder: Path) -> list[Path]:
    """Draw and encode every reel into `folder`; returns the files made.

    What is made already is left alone, and then the list is empty. Raises FfmpegError.
    """
    if are_made(folder):
        return []
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / "STAMP"
    note.unlink(missing_ok=True)
    targets = [folder / f"{reel.name}.mp4" for reel in REELS]
    processes = min(len(REELS), os.cpu_count() or 1)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        list(pool.map(make_reel, range(len(REELS)), targets))
    note.write_text(stamp(), encoding="utf-8")
    return targets


def make_reel(number: int, target: Path) -> None:
    """Draw and encode one reel; the file appears whole or not at all."""
    part = target.with_suffix(".part")
    try:
        encode(REELS[number].frames(), part, size=(WIDTH, HEIGHT), fps=FPS, crf=QUALITY)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
