"""Runs that show the model something: clips and stills of a film in the store."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.engine.pump import pump
from evaluation.models import Contestant, Prediction
from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories
from tests.standins.known_film import FPS, SIZE, frame
from tests.standins.model_script import Script

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def filmed(settings: Any, tmp_path: Path, transactional_db: None) -> Any:
    """A benchmark of one video in the store with two items."""
    settings.MEDIA_STORE = tmp_path / "media"
    settings.SOURCES_FOLDER = None
    sources = settings.MEDIA_STORE / "sources"
    sources.mkdir(parents=True)
    pictures = (np.asarray(frame(number)).tobytes() for number in range(4 * FPS))
    encode(pictures, sources / "known.mp4", size=SIZE, fps=FPS, crf=20)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key="known.mp4")
    video = factories.video(bench, of=source, start=0.0, end=4.0)
    factories.kept(factories.mcq_item(video, window=(0.5, 2.5)))
    factories.kept(factories.mcq_item(video, stem="And then?", window=(1.0, 3.0)))
    return bench


@pytest.mark.parametrize(
    ("condition", "video_part", "kinds"),
    [
        ("video", "video_url", {"video_url": 4}),
        ("video", "input_video", {"input_video": 4}),
        ("video", "frames", {"image_url": 12}),
        ("frames", "video_url", {"image_url": 12}),
    ],
)
def test_clips_are_cut_once_and_sent_as_the_server_takes_them(
    queued: Any, server: Any, filmed: Any, condition: str, video_part: str, kinds: dict
) -> None:
    Contestant.objects.update(parameters={"frames": 3, "video_part": video_part})
    contestant = Contestant.objects.select_related("provider").get()
    run = queued(benchmark=filmed, contestant=contestant, condition=condition, repeats=2)
    assert pump(run.pk)

    run.refresh_from_db()
    assert run.state == "done"
    assert dict(server.counted.media) == kinds
    assert run.work_items.filter(stage="clip", state="done").count() == 2
    hashes = set(Prediction.objects.values_list("item_version", "clip_sha256"))
    assert len(hashes) == 2
    assert all(len(found) == 64 for _, found in hashes)


def test_clip_that_cannot_be_had_is_its_own_state(
    queued: Any, server: Any, filmed: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.engine.replies.FIRST_PAUSE", 0.01)
    (settings.MEDIA_STORE / "sources" / "known.mp4").unlink()
    server.script(Script())
    run = queued(benchmark=filmed, condition="video")
    assert pump(run.pk)

    run.refresh_from_db()
    assert run.state == "failed", "nothing could be asked"
    failed = run.work_items.get(item_version__stem="And then?")
    assert (failed.stage, failed.state, failed.error_class) == ("clip", "failed", "clip")
    assert failed.error_message
    assert server.counted.calls == 0
    assert not Prediction.objects.exists()
