"""A suggested box over HTTP: asked for, looked for by a worker, kept, withheld."""

import time
from typing import Any

import numpy as np
import pytest

from annotation import asked, media, media_store, roi_api, roi_suggestions
from annotation.actions.quarantine import clear_quarantine, quarantine_video
from annotation.domain import roi_suggestion
from annotation.domain.roi import Roi
from annotation.models import Revision, Video
from annotation.tasks import suggest_roi
from sonovqa.adapters.ffmpeg_encode import encode
from tests import factories

pytestmark = pytest.mark.django_db
WIDTH, HEIGHT, FPS, SECONDS = 320, 180, 8, 5
PLACE = (130, 30, 140, 120)  # x, y, w, h of what moves like a scan


@pytest.fixture(scope="session")
def scan_film(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A film of a square of speckle, new in every frame, on black."""
    rng, (x, y, w, h) = np.random.default_rng(3), PLACE
    target = tmp_path_factory.mktemp("scan") / "scan.mp4"

    def frames() -> Any:
        for _ in range(FPS * SECONDS):
            frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
            frame[y : y + h, x : x + w] = rng.integers(30, 220, (h, w, 1))
            yield frame.tobytes()

    encode(frames(), target, size=(WIDTH, HEIGHT), fps=FPS, crf=30)
    return target


@pytest.fixture
def video(store: Any, scan_film: Any) -> Video:
    (store / "sources" / "scan.mp4").hardlink_to(scan_film)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key="scan.mp4", width=WIDTH, height=HEIGHT)
    return factories.video(bench, of=source, start=0.5, end=4.5)


@pytest.fixture
def seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that looks finds the scan of the film, without decoding it."""
    place = Roi.from_pixels(*PLACE, width=WIDTH, height=HEIGHT)
    found = roi_suggestion.Suggestion(place, 0.9, scan=place)
    monkeypatch.setattr(media, "bursts", lambda video, looked: None)
    monkeypatch.setattr(roi_suggestion, "suggest", lambda frames: found)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arguments with which a worker was woken."""
    calls: list[Any] = []
    monkeypatch.setattr(suggest_roi, "delay", lambda *values: calls.append(values))
    return calls


@pytest.fixture
def reader(client_for: Any, reviewer: Any) -> Any:
    return client_for(reviewer)


def address(video: Video) -> str:
    return f"/api/v1/videos/{video.pk}/roi/suggestion/"


def test_one_of_many_askers_wakes_a_worker_who_finds_the_scan(reader, video, woken):
    assert reader.get(address(video)).json() == {"state": "none"}
    assert woken == []

    answers = [reader.post(address(video)) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [202, 202, 202]
    assert answers[0].json() == {"state": "working", "done": 0, "total": 8}
    assert woken == [(video.pk,)]
    suggest_roi(*woken[0])
    found = reader.get(address(video)).json()
    assert found["state"] == "done"
    assert found["confidence"] >= 0.5
    true = Roi.from_pixels(*PLACE, width=WIDTH, height=HEIGHT)
    assert Roi(**found["roi"]).iou(true) > 0.8
    assert Roi(**found["scan"]).iou(true) > 0.8
    assert reader.post(address(video)).json() == found
    assert len(woken) == 1
    video.refresh_from_db()
    assert (video.version, video.roi_x, video.roi_w) == (1, 0.0, 1.0)  # nothing is applied
    assert not Revision.objects.filter(target_kind="video").exists()


def test_progress_is_told(reader, video, woken):
    reader.post(address(video))
    asked.note_progress(roi_suggestions.place(video), 3, 8)

    assert reader.get(address(video)).json() == {"state": "working", "done": 3, "total": 8}


def test_another_segment_is_looked_at_anew(video):
    other = factories.video(video.benchmark, of=video.source, start=1.0, end=4.5)

    assert roi_suggestions.place(other) != roi_suggestions.place(video)
    twin = factories.video(video.benchmark, of=video.source, start=0.5, end=4.5)
    assert roi_suggestions.place(twin) == roi_suggestions.place(video)


def test_a_failure_says_why_and_is_tried_again_later(reader, video, woken, store, monkeypatch):
    (store / "sources" / "scan.mp4").unlink()
    reader.post(address(video))
    suggest_roi(*woken[0])

    failed = reader.post(address(video)).json()

    assert failed["state"] == "failed"
    assert "not in the store" in failed["reason"]
    assert failed["advice"]
    later = time.time() + asked.FAILURE_LIFE + 1
    monkeypatch.setattr(asked.time, "time", lambda: later)
    assert reader.post(address(video)).status_code == 202
    assert len(woken) == 2


def test_no_broker_is_said_at_once_and_leaves_no_claim(reader, video, monkeypatch):
    def refuse(*values: Any) -> None:
        raise roi_api.OperationalError("no broker")

    monkeypatch.setattr(suggest_roi, "delay", refuse)

    answer = reader.post(address(video))

    assert answer.status_code == 503
    assert answer.json()["type"].endswith("no-worker")
    assert reader.get(address(video)).json() == {"state": "none"}


@pytest.mark.django_db(transaction=True)
def test_what_is_in_quarantine_gets_no_suggestion(
    reader, video, woken, seen_at_once, store, reviewer, adjudicator
):
    reader.post(address(video))
    suggest_roi(*woken[0])
    assert list((store / "asked").rglob("*.json"))

    quarantine_video(video_id=video.pk, by=reviewer)

    assert not list((store / "asked").rglob("*.json"))
    for answer in (reader.get(address(video)), reader.post(address(video))):
        assert answer.status_code == 403
        assert "quarantine" in answer.json()["detail"]
    suggest_roi(video.pk)  # a worker that was woken before
    assert not [path for path in (store / "asked").rglob("*") if path.is_file()]
    clear_quarantine(video_id=video.pk, reason="a phantom", by=adjudicator)
    assert reader.get(address(video)).json() == {"state": "none"}


@pytest.mark.django_db(transaction=True)
def test_a_report_that_comes_while_a_worker_looks_leaves_nothing(
    video, store, seen_at_once, reviewer, monkeypatch
):
    write = media_store.write_json

    def late(path: Any, value: Any) -> None:
        quarantine_video(video_id=video.pk, by=reviewer)
        write(path, value)

    monkeypatch.setattr(media_store, "write_json", late)

    suggest_roi(video.pk)

    assert not [path for path in (store / "asked").rglob("*") if path.is_file()]


def test_who_may_ask(client, client_for, outsider, reader, video):
    assert client.post(address(video)).status_code in (401, 403)
    assert client_for(outsider).get(address(video)).status_code == 403
    assert client_for(outsider).post(address(video)).status_code == 403
    assert reader.post("/api/v1/videos/999999/roi/suggestion/").status_code == 404


def test_a_saved_box_is_told_what_the_suggestion_has_against_it(reader, video, woken, seen_at_once):
    reader.post(address(video))
    suggest_roi(*woken[0])

    half = {"x": 0.0, "y": 0.0, "w": 0.6, "h": 1.0}
    saved = reader.post(
        f"/api/v1/videos/{video.pk}/roi/",
        {"base_version": 1, "roi": half},
        content_type="application/json",
    ).json()

    said = {one["code"]: one["text"] for one in saved["warnings"]}
    assert saved["version"] == 2
    assert {"cuts", "edge", "bigger"} <= set(said)
    assert "move the right edge out by" in said["cuts"]
