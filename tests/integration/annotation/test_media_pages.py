"""Sources and stills over HTTP: ranges, permissions, one worker for many askers."""

import email.utils
import os
import time

import pytest
from django.urls import reverse

from annotation import asked, media, media_purge
from annotation.models import Source
from annotation.tasks import purge_media, take_still
from annotation.views import media as pages
from tests import factories


@pytest.fixture
def reader(client_for, reviewer):
    return client_for(reviewer)


@pytest.fixture
def address(filmed_video):
    return reverse("annotation:source_file", args=[filmed_video.source_id])


@pytest.fixture
def content(filmed_video, store):
    return (store / "sources" / "known.mp4").read_bytes()


def body(response) -> bytes:
    return b"".join(response.streaming_content)


def test_the_whole_file_is_streamed(reader, address, content):
    response = reader.get(address)
    assert response.status_code == 200
    assert response.streaming and body(response) == content
    assert response["Content-Type"] == "video/mp4"
    assert response["Content-Length"] == str(len(content))
    assert response["Accept-Ranges"] == "bytes"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == "inline"
    assert response["Cache-Control"].startswith("private")


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [("bytes=0-99", 0, 99), ("bytes=1000-", 1000, None), ("bytes=-50", -50, None)],
)
def test_a_part_is_served(reader, address, content, header, first, last):
    response = reader.get(address, headers={"Range": header})
    wanted = content[first : None if last is None else last + 1]
    assert response.status_code == 206
    assert body(response) == wanted
    begin = first if first >= 0 else len(content) + first
    assert response["Content-Range"] == f"bytes {begin}-{begin + len(wanted) - 1}/{len(content)}"
    assert response["Content-Length"] == str(len(wanted))


def test_a_part_outside_the_file_is_refused(reader, address, content):
    response = reader.get(address, headers={"Range": f"bytes={len(content)}-"})
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{len(content)}"


@pytest.mark.parametrize("header", ["bytes=9-2", "bytes=0-1,5-6", "nonsense"])
def test_a_range_that_is_none_gets_the_whole(reader, address, content, header):
    response = reader.get(address, headers={"Range": header})
    assert response.status_code == 200 and body(response) == content


def test_if_range_serves_the_part_only_of_the_same_version(reader, address, content):
    first = reader.get(address)
    tag, changed = first["ETag"], first["Last-Modified"]
    body(first)
    asked = {"Range": "bytes=0-9"}
    for condition, status in ((tag, 206), (changed, 206), ('"other"', 200)):
        response = reader.get(address, headers={**asked, "If-Range": condition})
        assert response.status_code == status, condition
        body(response)
    old = email.utils.formatdate(time.time() - 10**7, usegmt=True)
    response = reader.get(address, headers={**asked, "If-Range": old})
    assert response.status_code == 200 and body(response) == content


def test_an_unchanged_file_is_not_sent_again(reader, address):
    first = reader.get(address)
    body(first)
    response = reader.get(address, headers={"If-None-Match": first["ETag"]})
    assert response.status_code == 304 and not response.content


def test_head_says_what_get_would(reader, address, content):
    whole = reader.head(address)
    part = reader.head(address, headers={"Range": "bytes=0-9"})
    assert (whole.status_code, whole["Content-Length"]) == (200, str(len(content)))
    assert (part.status_code, part["Content-Length"]) == (206, "10")
    assert not whole.content and not part.content


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_nothing_can_be_written(reader, address, method):
    assert getattr(reader, method)(address).status_code == 405


def test_only_reviewers_get_media(client, client_for, outsider, address, filmed_video):
    still = reverse("annotation:still", args=[filmed_video.pk, 1000])
    for page in (address, still):
        assert client.get(page).status_code == 403
        assert client_for(outsider).get(page).status_code == 403


def test_what_has_no_file_is_not_found(reader, filmed_video, store):
    Source.objects.update(key="../../secret.mp4")
    page = reverse("annotation:source_file", args=[filmed_video.source_id])
    assert reader.get(page).status_code == 404
    assert reader.get(reverse("annotation:source_file", args=[987654])).status_code == 404
    youtube = factories.source(factories.benchmark())
    assert reader.get(reverse("annotation:source_file", args=[youtube.pk])).status_code == 404


# Stills.


@pytest.fixture
def woken(monkeypatch):
    """What a worker was told; nobody works."""
    told = []
    monkeypatch.setattr(pages.take_still, "delay", lambda *values: told.append(values))
    return told


def still_page(video, ms: int = 2000) -> str:
    return reverse("annotation:still", args=[video.pk, ms])


def test_a_still_is_pending_until_a_worker_has_taken_it(reader, filmed_video, woken):
    page = still_page(filmed_video)
    for _ in range(5):
        response = reader.get(page)
        assert (response.status_code, response.json()) == (202, {"state": "pending"})
        assert response["Cache-Control"] == "no-store"
    assert woken == [(filmed_video.pk, 2000)]
    take_still(*woken[0])
    response = reader.get(page)
    assert response.status_code == 200
    assert response["Content-Type"] == "image/jpeg"
    assert body(response)[:2] == b"\xff\xd8"
    assert response["Cache-Control"].startswith("private")
    assert len(woken) == 1


def test_a_still_that_cannot_be_had_says_why_and_what_to_do(reader, filmed_video, woken, store):
    (store / "sources" / "known.mp4").unlink()
    page = still_page(filmed_video)
    assert reader.get(page).status_code == 202
    take_still(*woken[0])
    for _ in range(3):
        response = reader.get(page)
        assert response.status_code == 404
        assert "known.mp4" in response.json()["reason"] and response.json()["advice"]
    assert len(woken) == 1


def test_a_failure_is_tried_again_after_a_while(reader, filmed_video, woken, store, monkeypatch):
    (store / "sources" / "known.mp4").rename(store / "sources" / "away")
    page = still_page(filmed_video)
    reader.get(page)
    take_still(*woken[0])
    assert reader.get(page).status_code == 404
    later = time.time() + asked.FAILURE_LIFE + 1
    monkeypatch.setattr(asked.time, "time", lambda: later)
    assert reader.get(page).status_code == 202
    assert len(woken) == 2


def test_a_lost_worker_is_replaced(reader, filmed_video, woken, monkeypatch):
    page = still_page(filmed_video)
    reader.get(page)
    later = time.time() + asked.PENDING_LIFE + 1
    monkeypatch.setattr(asked.time, "time", lambda: later)
    reader.get(page)
    assert len(woken) == 2


def test_no_broker_is_said_at_once(reader, filmed_video, monkeypatch):
    def refuse(*values):
        raise pages.OperationalError("no broker")

    monkeypatch.setattr(pages.take_still, "delay", refuse)
    response = reader.get(still_page(filmed_video))
    assert response.status_code == 503
    assert "worker" in response.json()["reason"]
    monkeypatch.setattr(pages.take_still, "delay", lambda *values: None)
    assert reader.get(still_page(filmed_video)).status_code == 202


def test_an_absurd_time_gives_the_last_frame(reader, filmed_video, woken):
    page = still_page(filmed_video, 10**15)
    assert reader.get(page).status_code == 202
    take_still(*woken[0])
    assert reader.get(page).status_code == 200


@pytest.mark.slow
def test_a_real_worker_takes_a_still(filmed_video, reader, broker, transactional_db):
    from celery.contrib.testing.worker import start_worker

    from sonovqa.celery import app

    page = still_page(filmed_video, 3000)
    with start_worker(app, pool="threads", perform_ping_check=False):
        deadline = time.monotonic() + 120
        while (response := reader.get(page)).status_code == 202:
            assert time.monotonic() < deadline, "no worker took the still"
            time.sleep(0.1)
    assert response.status_code == 200


# The life of what is cached.


def aged(path, days: float) -> None:
    at = time.time() - days * 86400
    os.utime(path, (at, at))


def test_what_was_not_used_for_long_is_purged_and_made_again(filmed_video, settings):
    path = media.still(filmed_video, 1.0)
    fresh = media.still(filmed_video, 2.0)
    aged(path, settings.MEDIA_DAYS + 1)
    purge_media()
    assert not path.exists() and fresh.exists()
    assert media.still(filmed_video, 1.0).exists()


def test_the_least_used_goes_first_when_the_store_is_full(filmed_video, settings, monkeypatch):
    paths = [media.still(filmed_video, float(at)) for at in range(4)]
    for days, path in zip((3, 1, 2, 4), paths, strict=True):
        aged(path, days)
    size = sum(path.stat().st_size for path in paths)
    settings.MEDIA_GIGABYTES = size * 0.6 / 1e9
    done = media_purge.purge()
    assert [path.exists() for path in paths] == [False, True, True, False]
    assert done.files == 2 and done.left < size * 0.6


def test_what_is_in_use_stays_however_full_the_store(filmed_video, settings):
    path = media.still(filmed_video, 1.0)
    settings.MEDIA_GIGABYTES = 0
    media_purge.purge()
    assert path.exists()


def test_purging_never_touches_a_source(filmed_video, store):
    media.still(filmed_video, 1.0)
    assert media_purge.purge(everything=True, dry_run=True).files == 1
    assert media_purge.purge(everything=True).files == 1
    assert (store / "sources" / "known.mp4").exists()
    assert not list((store / "stills").rglob("*.jpg"))
