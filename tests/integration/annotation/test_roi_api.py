"""The API of boxes and reports over HTTP."""

from typing import Any

import pytest

from annotation.models import Revision, Video
from tests import factories

pytestmark = pytest.mark.django_db
BOX = {"x": 0.25, "y": 0.125, "w": 0.5, "h": 0.75}


@pytest.fixture
def video() -> Video:
    vid = factories.video(factories.benchmark())
    factories.mcq_item(vid)
    return vid


@pytest.fixture
def post(client_for: Any, reviewer: Any, video: Video) -> Any:
    def send(body: Any, *, by: Any = reviewer, part: str = "roi", pk: int | None = None) -> Any:
        client = client_for(by)
        path = f"/api/v1/videos/{pk or video.pk}/{part}/"
        return client.post(path, body, content_type="application/json")

    return send


def test_a_box_is_saved_as_a_version(post, video):
    answer = post({"base_version": 1, "roi": BOX, "reason": "header"})

    assert (answer.status_code, answer.json()["version"]) == (201, 2)
    video.refresh_from_db()
    assert video.roi_w == 0.5


def test_a_box_without_its_base_is_428(post, video):
    assert post({"roi": BOX}).status_code == 428
    assert post([]).status_code == 428
    video.refresh_from_db()
    assert video.version == 1


def test_a_stale_box_is_409_with_base_current_and_yours(post):
    post({"base_version": 1, "roi": BOX})

    answer = post({"base_version": 1, "roi": BOX | {"x": 0.3}})

    assert answer.status_code == 409
    body = answer.json()
    assert body["base"]["w"] == 1.0
    assert body["current"] == BOX | {"version": 2}
    assert body["yours"]["x"] == 0.3


def test_a_box_for_one_item_only(post, video):
    item = video.items.get()

    answer = post({"base_version": 1, "roi": BOX, "item": item.pk})

    body = answer.json()
    assert (body["version"], body["item"], body["warnings"]) == (2, item.pk, [])
    assert factories.current(item).roi_is_override
    back = post({"base_version": 2, "roi": None, "item": item.pk})
    assert back.status_code == 201
    assert not factories.current(item).roi_is_override


def test_an_item_of_another_video_is_not_found(post):
    other = factories.mcq_item(factories.video(factories.benchmark()))

    assert post({"base_version": 1, "roi": BOX, "item": other.pk}).status_code == 404
    assert factories.current(other).number == 1


@pytest.mark.parametrize(
    "body",
    [
        {"base_version": 1, "roi": None},
        {"base_version": 1, "roi": BOX | {"x": 0.6}},
        {"base_version": 1, "roi": BOX | {"w": 0}},
        {"base_version": 1, "roi": BOX | {"x": -0.1}},
        {"base_version": 1, "roi": BOX | {"x": "left"}},
        {"base_version": 1, "roi": {"x": 0, "y": 0, "w": 1}},
        {"base_version": 1, "roi": BOX | {"z": 1}},
        {"base_version": 1, "roi": [0, 0, 1, 1]},
        {"base_version": "one", "roi": BOX},
        {"base_version": 2**63, "roi": BOX},
        {"base_version": 1, "roi": BOX, "item": 0},
        {"base_version": 1, "roi": BOX, "reason": "x" * 501},
        {"base_version": 1, "roi": BOX, "reason": "nul \x00"},
        {"base_version": 1, "roi": BOX, "cosmetic": "perhaps"},
        '{"base_version": 1, "roi": {"x": NaN, "y": 0, "w": 1, "h": 1}}',
        '{"base_version": 1, "roi": {"x": 0, "y": 0, "w": 1e999, "h": 1}}',
        '{"base_version": 1, "roi": ',
    ],
)
def test_a_hostile_body_is_400_and_changes_nothing(post, video, body):
    assert post(body).status_code == 400
    video.refresh_from_db()
    assert video.version == 1
    assert not Revision.objects.exists()


def test_who_may_do_it(post, client, video, outsider):
    assert post({"base_version": 1, "roi": BOX}, by=outsider).status_code == 403
    assert post({"state": "removed"}, by=outsider, part="report").status_code == 403
    path = f"/api/v1/videos/{video.pk}/roi/"
    answer = client.post(path, {"base_version": 1, "roi": BOX}, content_type="application/json")
    assert answer.status_code == 401


def test_a_video_that_is_none_is_404(post):
    assert post({"base_version": 1, "roi": BOX}, pk=999_999).status_code == 404
    assert post({"state": "ok"}, part="report", pk=999_999).status_code == 404


def test_a_report_is_kept_with_its_trail(post, video, reviewer):
    assert post({"state": "embedding_off"}, part="report").status_code == 200

    video.source.refresh_from_db()
    assert video.source.state == "embedding_off"
    row = Revision.objects.get(verb="source_finding")
    assert (row.actor, row.after) == (reviewer.pseudonym, {"state": "embedding_off"})


@pytest.mark.parametrize("body", [{}, {"state": "gone"}, {"state": None}, {"state": "ok", "x": 1}])
def test_an_unknown_report_is_400(post, body):
    assert post(body, part="report").status_code == 400
