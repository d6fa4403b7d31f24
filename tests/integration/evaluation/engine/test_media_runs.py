"""Runs that show the model something: clips and stills of a film in the store."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from evaluation.engine import stimulus, uploads
from evaluation.engine.pump import pump
from evaluation.models import Contestant, Prediction, Provider, UploadedClip
from sonovqa.adapters.asking import Upload
from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories
from tests.standins.known_film import FPS, SIZE
from tests.standins.model_script import Script

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("condition", "video_part", "kinds"),
    [
        ("video", "video_url", {"video_url": 4}),
        ("video", "input_video", {"input_video": 4}),
        ("video", "vllm", {"video_url": 4}),
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


def test_sources_take_turns_so_that_one_is_fetched_while_another_is_cut(
    queued: Any, filmed: Any
) -> None:
    for name in ("second.mp4", "third.mp4"):
        source = factories.source(filmed, kind="file", key=name)
        video = factories.video(filmed, of=source, start=0.0, end=4.0)
        for number in range(2):
            factories.kept(factories.mcq_item(video, window=(number, number + 1.0)))
    run = queued(benchmark=filmed, condition="video")
    due = run.work_items.filter(stage="clip").order_by("pk")
    keys = list(due.values_list("item_version__item__video__source__key", flat=True))
    assert [set(keys[:3]), set(keys[3:])] == [{"known.mp4", "second.mp4", "third.mp4"}] * 2


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


# The provider's file store.


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STANDIN_KEY", "key-of-the-stand-in")


def on_gemini(contestant: Any, server: Any, **parameters: Any) -> Contestant:
    Provider.objects.update(dialect="gemini", base_url=server.url, key_env="STANDIN_KEY")
    Contestant.objects.update(parameters={"clip_as": "file"} | parameters)
    return Contestant.objects.select_related("provider").get()


def test_clip_is_uploaded_once_for_all_calls_and_runs(
    queued: Any, server: Any, filmed: Any, contestant: Any
) -> None:
    model = on_gemini(contestant, server)
    for _ in range(2):
        run = queued(benchmark=filmed, contestant=model, judge=model, condition="video", repeats=3)
        assert pump(run.pk)
        run.refresh_from_db()
        assert run.state == "done"
    assert dict(server.counted.media) == {"file video/mp4": 12}
    assert sorted(server.counted.uploads.values()) == [1, 1]
    kept = dict(UploadedClip.objects.values_list("sha256", "uri"))
    assert kept.keys() == set(Prediction.objects.values_list("clip_sha256", flat=True))


def test_expired_and_lost_files_are_uploaded_again(
    queued: Any, server: Any, filmed: Any, contestant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.engine.replies.FIRST_PAUSE", 0.01)
    model = on_gemini(contestant, server)
    options = {"benchmark": filmed, "contestant": model, "judge": model, "condition": "video"}
    assert pump(queued(**options).pk)
    first, second = UploadedClip.objects.order_by("pk")
    UploadedClip.objects.filter(pk=first.pk).update(expires_at="2020-01-01T00:00:00+00:00")
    del server.counted.files[second.uri]

    run = queued(**options)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert not run.work_items.exclude(state="done").exists()
    assert sorted(server.counted.uploads.values()) == [2, 2]
    assert set(run.work_items.values_list("faults", flat=True)) == {0}


def test_one_worker_uploads_and_the_others_wait_for_it(contestant: Any) -> None:
    place = (contestant.provider_id, "ab" * 32)
    life = timedelta(minutes=1)
    assert uploads.claim(*place, "one", life) == ("", True)
    assert uploads.claim(*place, "two", life) == ("", False)
    made = Upload("https://files/1", datetime.now(UTC) + timedelta(hours=1))
    uploads.keep(*place, "two", made)
    assert uploads.claim(*place, "two", life) == ("", False), "only the holder may say where"
    uploads.keep(*place, "one", made)
    assert uploads.claim(*place, "two", life) == ("https://files/1", False)
    assert uploads.claim(*place, "two", timedelta(hours=2)) == ("", True)
    UploadedClip.objects.update(lease_until="2020-01-01T00:00:00+00:00")
    assert uploads.claim(*place, "three", life) == ("", True), "its holder died"


def test_clip_above_the_size_is_cut_smaller_level_by_level(
    queued: Any, server: Any, filmed: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (8, *reversed(SIZE), 3), np.uint8)
    film = settings.MEDIA_STORE / "sources" / "known.mp4"
    encode((noise[n % 8].tobytes() for n in range(4 * FPS)), film, size=SIZE, fps=FPS, crf=30)
    monkeypatch.setattr("evaluation.engine.stimulus.LEVELS", (720, 120, 60))
    Contestant.objects.update(parameters={"clip_megabytes": 0.15})
    model = Contestant.objects.select_related("provider").get()
    run = queued(benchmark=filmed, contestant=model, condition="full-frame")
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    for row in Prediction.objects.filter(run=run):
        clip = row.extra["clip"]
        assert clip["size"][1] in (120, 60)
        assert clip["bytes"] <= 150_000


def test_clip_that_fits_at_no_level_is_said_so(
    queued: Any, server: Any, filmed: Any, contestant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.engine.stimulus.LEVELS", (720,))
    Contestant.objects.update(parameters={"clip_megabytes": 0.001})
    model = Contestant.objects.select_related("provider").get()
    run = queued(benchmark=filmed, contestant=model, condition="video")
    assert pump(run.pk)
    failed = run.work_items.filter(stage="predict", state="failed")
    assert {one.error_class for one in failed} == {"clip"}
    assert all("720 pixels" in one.error_message for one in failed)
    assert server.counted.calls == 0


def test_clip_that_is_kept_is_taken_without_a_look_at_others(
    queued: Any, server: Any, filmed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pump(queued(benchmark=filmed, condition="video", judge=None).pk)

    def look(*_: object) -> None:
        raise AssertionError("looked for what else is to be cut")

    monkeypatch.setattr(stimulus, "_due_nearby", look)
    again = queued(benchmark=filmed, condition="video", judge=None)
    assert pump(again.pk)
    again.refresh_from_db()
    assert again.state == "done"
    assert again.work_items.filter(stage="clip", state="done").count() == 2
