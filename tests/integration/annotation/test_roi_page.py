"""The page of the ROI editor."""

import json
import re
import uuid
from typing import Any

import pytest

from annotation.actions.reviews import cast_vote
from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.models import Item
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item() -> Item:
    return factories.mcq_item(factories.video(factories.benchmark(), roi_x=0.25, roi_w=0.5))


def path_of(item: Item) -> str:
    return f"/b/{item.benchmark.slug}/review/{item.pk}/roi/"


def data_of(page: Any) -> dict[str, Any]:
    found = re.search(rb'id="roi-data"[^>]*>(.*?)</script>', page.content, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_starts_from_the_box_that_stands(client_for, reviewer, item):
    page = client_for(reviewer).get(path_of(item))

    data = data_of(page)
    assert data["roi"] == {"x": 0.25, "y": 0.0, "w": 0.5, "h": 1.0}
    assert data["video"]["version"] == 1
    assert data["labels"]["video"] == "Save as v2 for 1 item"
    assert b"youtube.com/iframe_api" not in page.content


def test_the_page_lists_who_changed_the_box(client_for, reviewer, item):
    change_roi(
        video_id=item.video_id,
        base_version=1,
        roi=Roi(0.1, 0.1, 0.5, 0.5),
        reason="<b>header</b>",
        by=reviewer,
    )

    page = client_for(reviewer).get(path_of(item)).content.decode()

    assert "Changes of the box (1)" in page
    assert "reviewer" in page
    assert "&lt;b&gt;header&lt;/b&gt;" in page


def test_it_tells_what_has_to_be_done_again(client_for, reviewer, reviewer_2, item):
    other = factories.mcq_item(item.video)
    page = client_for(reviewer).get(path_of(item)).content.decode()
    assert page.count("No vote and no decision is lost.") == 2

    for one, reader in ((item, reviewer), (other, reviewer), (other, reviewer_2)):
        cast_vote(
            review_id=uuid.uuid4(), item_id=one.pk, version_number=1, verdict="unsure", by=reader
        )
    factories.kept(other)
    page = client_for(reviewer).get(path_of(item)).content.decode()

    assert "3 votes, 2 of them yours, have to be given again" in page
    assert "1 keep or drop decision is open again." in page
    assert "1 vote, yours, has to be given again." in page

    roi = Roi(0.1, 0.1, 0.5, 0.5)
    change_roi(video_id=item.video_id, base_version=1, roi=roi, reason="", by=reviewer)
    page = client_for(reviewer).get(path_of(item)).content.decode()
    assert page.count("No vote and no decision is lost.") == 2


def test_who_may_see_it(client, client_for, outsider, item):
    assert client.get(path_of(item)).status_code == 302
    assert client_for(outsider).get(path_of(item)).status_code == 403


def test_an_item_of_another_benchmark_is_not_found(client_for, reviewer, item):
    other = factories.benchmark()

    page = client_for(reviewer).get(f"/b/{other.slug}/review/{item.pk}/roi/")

    assert page.status_code == 404


def test_the_number_of_queries_does_not_grow(
    client_for, reviewer, item, django_assert_max_num_queries
):
    for _ in range(30):
        factories.mcq_item(item.video)

    client = client_for(reviewer)
    with django_assert_max_num_queries(28):
        client.get(path_of(item))
