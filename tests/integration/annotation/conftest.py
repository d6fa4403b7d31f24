"""A benchmark whose source is a film of known frames in the store."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories
from tests.standins.known_film import FPS, SECONDS, SIZE, frame


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("films") / "known.mp4"
    frames = (np.asarray(frame(number)).tobytes() for number in range(SECONDS * FPS))
    encode(frames, target, size=SIZE, fps=FPS, crf=12)
    return target


@pytest.fixture
def store(settings: Any, tmp_path: Path) -> Path:
    """An empty media store."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.SOURCES_FOLDER = None
    settings.YOUTUBE_COOKIES = None
    (settings.MEDIA_STORE / "sources").mkdir(parents=True)
    return settings.MEDIA_STORE


@pytest.fixture
def filmed_video(db: None, store: Path, film: Path) -> Any:
    """A video from second 1 to 9 of a file in the store, its ROI the right half."""
    (store / "sources" / "known.mp4").write_bytes(film.read_bytes())
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key="known.mp4")
    return factories.video(
        bench, of=source, start=1.0, end=9.0, roi_x=0.0, roi_y=0.0, roi_w=0.5, roi_h=1.0
    )
