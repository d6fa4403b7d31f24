"""What the pages with a player need: a stand-in for YouTube, a file to play, a worker at once."""

import copy
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.standins.youtube import YouTube

FILE_SECONDS = 20
FRAME = (640, 360)
BLOCK = (160, 90, 320, 180)  # x, y, w, h of the red block in the file's black frame


@pytest.fixture
def youtube(settings: Any) -> Iterator[YouTube]:
    """A stand-in that the pages load their player from, allowed by their policy."""
    with YouTube() as standin:
        settings.YOUTUBE_SCRIPT_ORIGIN = standin.script_origin
        settings.YOUTUBE_FRAME_ORIGIN = standin.frame_origin
        policy = copy.deepcopy(settings.CONTENT_SECURITY_POLICY)
        directives = policy["DIRECTIVES"]
        directives["script-src"] = [*directives["script-src"][:2], standin.script_origin]
        directives["frame-src"] = [standin.frame_origin, standin.script_origin]
        settings.CONTENT_SECURITY_POLICY = policy
        yield standin


@pytest.fixture(scope="session")
def picture_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MP4 of 20 s, 25 frames a second: a red block on black."""
    from sonovqa.adapters.ffmpeg_program import program

    target = tmp_path_factory.mktemp("picture") / "picture.mp4"
    width, height = FRAME
    x, y, w, h = BLOCK
    picture = f"color=c=black:s={width}x{height}:r=25:d={FILE_SECONDS}"
    block = f"drawbox=x={x}:y={y}:w={w}:h={h}:color=red:t=fill"
    command = [program(), "-v", "error", "-f", "lavfi", "-i", picture, "-vf", block]
    codec = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "25", "-movflags", "+faststart"]
    subprocess.run([*command, *codec, str(target)], check=True, timeout=60)
    return target


@pytest.fixture
def stored_file(picture_file: Path, settings: Any, tmp_path: Path) -> str:
    """The key of the file in a store of this test's own."""
    settings.MEDIA_STORE = tmp_path / "store"
    folder = settings.MEDIA_STORE / "sources"
    folder.mkdir(parents=True)
    (folder / "picture.mp4").hardlink_to(picture_file)
    return "picture.mp4"


@pytest.fixture
def worker_at_once() -> Iterator[None]:
    """Tasks run where they are sent: a still is there when the page asks again."""
    from sonovqa.celery import app

    before = app.conf.task_always_eager
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = before


@pytest.fixture
def run(page: Any, live_server: Any, settings: Any) -> Any:
    """Return a function that runs a script with the exports of one module as `m`."""
    page.goto(f"{live_server.url}/accounts/login/")

    def call(module: str, script: str, argument: Any = None) -> Any:
        path = f"{live_server.url}{settings.STATIC_URL}ui/{module}.js"
        return page.evaluate(
            f"async ([path, arg]) => {{ const m = await import(path); {script} }}",
            [path, argument],
        )

    return call
