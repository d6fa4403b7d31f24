"""A film whose every frame says which one it is, and where every pixel is known."""

from pathlib import Path

import numpy as np
import pytest

from sonovqa.adapters.ffmpeg_encode import encode
from tests.standins.known_film import FPS, SECONDS, SIZE, frame


@pytest.fixture(scope="session")
def known_film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("films") / "known.mp4"
    frames = (np.asarray(frame(number)).tobytes() for number in range(SECONDS * FPS))
    encode(frames, target, size=SIZE, fps=FPS, crf=12)
    return target
