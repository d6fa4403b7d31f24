"""What the pages with a player need: a stand-in for YouTube, a file to play, a worker at once."""

import copy
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.domain.roi import Roi
from tests import factories
from tests.standins.youtube import Clip, YouTube

FILE_SECONDS = 20
YOUTUBE_ID = "dQ-_4567890"
FRAME = (640, 360)
BLOCK = (160, 90, 320, 180)  # x, y, w, h of the red block in the file's black frame
START = Roi.from_pixels(100, 60, 200, 120, width=FRAME[0], height=FRAME[1])


@pytest.fixture
def picture(page: Any) -> Callable[[str], None]:
    """Return a function that keeps the page as it is as a picture for docs/states.md, where
    SONOVQA_PICTURES names a folder for them."""
    folder = os.environ.get("SONOVQA_PICTURES")

    def keep(name: str) -> None:
        if folder:
            path = Path(folder) / f"{name}.jpg"
            page.screenshot(path=path, type="jpeg", quality=70, animations="disabled")

    return keep


@pytest.fixture
def youtube(settings: Any) -> Iterator[YouTube]:
    """A stand-in that the pages load their player from, allowed by their policy."""
    with YouTube() as standin:
        settings.YOUTUBE_SCRIPT_ORIGIN = standin.script_origin
        settings.YOUTUBE_FRAME_ORIGIN = standin.frame_origin
        policy = copy.deepcopy(settings.CONTENT_SECURITY_POLICY)
        directives = policy["DIRECTIVES"]
        directives["script-src"] = [*directives["script-src"][:-1], standin.script_origin]
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


@pytest.fixture
def item_with(youtube: YouTube, sign_in: Any, reviewer: Any) -> Callable[..., Any]:
    """Return a function that makes an item on a YouTube video that behaves as `Clip` says."""

    sign_in(reviewer)

    def make(
        window: tuple[float, float] = (5.0, 7.0), *, key: str = YOUTUBE_ID, **ways: Any
    ) -> Any:
        bench = factories.benchmark()
        vid = factories.video(bench, of=factories.source(bench, key=key), start=30.25, end=90.25)
        factories.event(vid)
        factories.mcq_item(vid, window=(40.0, 50.0))
        youtube.clips[key] = Clip(**ways)
        return factories.mcq_item(vid, window=window)

    return make


@pytest.fixture
def clip_item(stored_file: str, sign_in: Any, reviewer: Any) -> Any:
    """An MCQ with the window 2 to 4 s of a video that starts at second 5 of the file."""
    sign_in(reviewer)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key=stored_file, width=FRAME[0], height=FRAME[1])
    x, y, w, h = (BLOCK[0] / 640, BLOCK[1] / 360, BLOCK[2] / 640, BLOCK[3] / 360)
    vid = factories.video(bench, of=source, start=5.0, end=19.0, roi_x=x, roi_y=y, roi_w=w, roi_h=h)
    for start in (0.0, 6.0, 9.0):
        factories.event(vid, start=start, end=start + 2)
    factories.free_item(vid, window=(6.0, 8.0))
    return factories.mcq_item(vid, window=(2.0, 4.0))


@pytest.fixture
def roi_item(stored_file: str, sign_in: Any, reviewer: Any, worker_at_once: None) -> Any:
    """A kept MCQ of a video of 640 x 360, its box at 100, 60 of 200 x 120 pixels."""
    sign_in(reviewer)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key=stored_file, width=FRAME[0], height=FRAME[1])
    box = dict(zip(("roi_x", "roi_y", "roi_w", "roi_h"), START.fractions, strict=True))
    vid = factories.video(bench, of=source, start=2.0, end=18.0, **box)
    factories.kept(factories.free_item(vid, window=(6.0, 8.0)))
    return factories.kept(factories.mcq_item(vid, window=(2.0, 4.0)))
