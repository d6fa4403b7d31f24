"""The clip of an item as a model gets it, for readers: the very file, with its facts."""

import hashlib
from typing import Any

import pytest

from annotation import media, roi_api
from annotation.actions.quarantine import quarantine_video
from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.media_purge import purge
from annotation.models import Item
from annotation.tasks import cut_preview
from tests import factories

pytestmark = pytest.mark.django_db
BOX = {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}


@pytest.fixture
def item(filmed_video: Any) -> Item:
    return factories.mcq_item(filmed_video, window=(1.0, 2.0))


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    monkeypatch.setattr(cut_preview, "delay", lambda *values: calls.append(values))
    return calls


@pytest.fixture
def ask(client_for: Any, reviewer: Any, item: Item) -> Any:
    def send(body: Any = None, *, by: Any = reviewer, pk: int | None = None) -> Any:
        path = f"/api/v1/items/{pk or item.pk}/preview/"
        return client_for(by).post(path, body or {}, content_type="application/json")

    return send


@pytest.fixture
def cut(ask: Any, woken: list[Any]) -> Any:
    """Return a function that asks, has the worker cut, and asks again."""

    def make(body: Any = None) -> Any:
        assert ask(body).status_code == 202
        cut_preview(*woken[-1])
        return ask(body).json()

    return make


def content(client: Any, url: str, **headers: str) -> tuple[int, bytes]:
    answer = client.get(url, headers=headers)
    return answer.status_code, b"".join(answer.streaming_content)


def test_the_saved_box_gives_the_very_clip_that_a_model_gets(cut, item, client_for, reviewer):
    found = cut()

    clip = media.clip(factories.current(item))
    facts = found["clip"]
    assert found["state"] == "done"
    assert facts["sha256"] == clip.sha256
    assert (facts["width"], facts["height"]) == (clip.width, clip.height)
    assert (facts["fps"], facts["frames"], facts["duration"]) == (15, 15, 1.0)
    assert facts["crop"] == list(clip.crop)
    status, body = content(client_for(reviewer), found["url"])
    assert status == 200
    assert hashlib.sha256(body).hexdigest() == clip.sha256
    assert len(body) == facts["bytes"]
    assert content(client_for(reviewer), found["url"], Range="bytes=0-9") == (206, body[:10])


def test_a_box_that_is_not_saved_is_tried_and_stays_unsaved(cut, item, ask, woken):
    found = cut({"roi": BOX})

    size = {"width": 640, "height": 360}
    source = item.video.source
    source.refresh_from_db()
    size = {"width": source.width, "height": source.height}
    wanted = Roi(**BOX).cut(**size)
    assert found["clip"]["crop"] == [wanted.x, wanted.y, wanted.w, wanted.h]
    version = factories.current(item)
    assert (version.number, version.roi_w, version.roi_h) == (1, 0.5, 1.0)
    assert woken == [(item.pk, [0.25, 0.25, 0.5, 0.5])]


def test_a_saved_change_is_another_clip(cut, ask, item, reviewer):
    first = cut()
    roi = Roi(0.5, 0.0, 0.5, 1.0)
    change_roi(video_id=item.video_id, base_version=1, roi=roi, reason="", by=reviewer)

    assert cut()["clip"]["sha256"] != first["clip"]["sha256"]


def test_many_askers_wake_one_worker(ask, woken):
    assert [ask().status_code for _ in range(3)] == [202] * 3
    assert len(woken) == 1


def test_a_clip_that_was_purged_is_cut_again(cut, ask, woken):
    cut()
    purge(everything=True)

    assert ask().status_code == 202
    assert len(woken) == 2


def test_what_cannot_be_cut_says_why(ask, woken, store):
    (store / "sources" / "known.mp4").unlink()
    ask()
    cut_preview(*woken[0])

    failed = ask().json()

    assert failed["state"] == "failed"
    assert "not in the store" in failed["reason"]
    assert failed["advice"]


def test_no_broker_is_said_at_once(ask, monkeypatch):
    def refuse(*values: Any) -> None:
        raise roi_api.OperationalError("no broker")

    monkeypatch.setattr(cut_preview, "delay", refuse)
    assert ask().status_code == 503
    monkeypatch.setattr(cut_preview, "delay", lambda *values: None)
    assert ask().status_code == 202


@pytest.mark.django_db(transaction=True)
def test_what_is_in_quarantine_is_not_cut_and_not_served(
    cut, ask, item, reviewer, client_for, store
):
    url = cut()["url"]

    quarantine_video(video_id=item.video_id, by=reviewer)

    assert ask().status_code == 403
    assert client_for(reviewer).get(url).status_code in (403, 404)
    cut_preview(item.pk, None)
    left = [path for kind in ("asked", "clips") for path in (store / kind).rglob("*")]
    assert not [path for path in left if path.is_file()]


def test_a_clip_that_another_machine_still_keeps_is_refused(cut, item, client_for, reviewer):
    url = cut()["url"]
    item.video.quarantined_at = "2026-01-01T00:00:00Z"
    item.video.save()  # told elsewhere: the files here are still there

    assert client_for(reviewer).get(url).status_code == 403


def test_a_preview_of_another_video_is_not_found(cut, item, client_for, reviewer, outsider):
    url = cut()["url"]
    other = factories.video(item.benchmark, of=item.video.source, start=5.0, end=8.0)

    client = client_for(reviewer)
    assert client.get(url.replace(f"/{item.video_id}/", f"/{other.pk}/")).status_code == 404
    assert client.get(url.replace(".mp4", ".json")).status_code == 404
    unknown = f"/media/previews/{item.video_id}/{'0' * 16}-{'0' * 64}.mp4"
    assert client.get(unknown).status_code == 404
    assert client.get(f"/media/previews/{item.video_id}/../x.mp4").status_code == 404
    assert client_for(outsider).get(url).status_code == 403


@pytest.mark.parametrize(
    "body",
    [
        {"roi": BOX | {"x": 0.6}},
        {"roi": BOX | {"w": 0}},
        {"roi": BOX | {"x": "left"}},
        {"roi": {"x": 0}},
        {"roi": [0, 0, 1, 1]},
        {"box": BOX},
        '{"roi": {"x": NaN, "y": 0, "w": 1, "h": 1}}',
        '{"roi": {"x": 0, "y": 0, "w": 1e999, "h": 1}}',
        "[]",
        '{"roi": ',
    ],
)
def test_a_hostile_body_is_400_and_wakes_nobody(ask, woken, body):
    assert ask(body).status_code == 400
    assert woken == []


def test_who_may_ask(ask, client, item, outsider):
    assert ask(by=outsider).status_code == 403
    assert ask(pk=999_999).status_code == 404
    path = f"/api/v1/items/{item.pk}/preview/"
    assert client.post(path, {}, content_type="application/json").status_code == 401
