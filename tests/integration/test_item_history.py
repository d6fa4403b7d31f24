"""The history of an item: compared, blamed, and brought back."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.restore import restore_version
from annotation.actions.reviews import cast_vote
from annotation.actions.videos import override_roi
from annotation.domain.edits import BadEdit
from annotation.domain.roi import Roi
from annotation.models import ItemVersion, Revision
from annotation.queries.item_history import item_history
from annotation.queries.workspace import find_item
from tests import factories


@pytest.fixture
def item(db):
    return factories.mcq_item(factories.video(factories.benchmark()))


def edited(item, by, base=1, reason="clearer", **changes):
    return edit_item(item_id=item.pk, base_version=base, changes=changes, reason=reason, by=by)


def page(client, item, query=""):
    return client.get(f"/b/{item.benchmark.slug}/review/{item.pk}/history/{query}")


def fresh(item):
    return find_item(item.benchmark.slug, item.pk)


def test_words_fields_and_who(client_for, reviewer, reviewer_2, item):
    edited(item, reviewer, stem="What does the <b>operator</b> do next?")
    edited(item, reviewer_2, base=2, start=6.0, reason="late")
    context = item_history(reviewer, fresh(item), old=1, new=3)
    differ = {field.label: field for field in context["fields"] if field.differs}
    assert set(differ) == {"stem", "window start"}
    assert "<b>" in "".join(piece.text for piece in differ["stem"].pieces)
    blamed = {one.label: (one.number, one.author) for one in context["blame"]}
    assert blamed["stem"] == (2, "reviewer")
    assert blamed["window start"] == (3, "reviewer-2")
    assert blamed["options"] == (1, "import")
    html = page(client_for(reviewer), item, "?old=1&new=3").content.decode()
    assert "<ins>&lt;</ins>" in html or "&lt;b" in html
    assert "<b>operator" not in html and "late" in html


@pytest.mark.parametrize(
    "query", ["?old=9999999999999", "?old=-1&new=x", "?new=77", "?old=%00", "?old=٣"]
)
def test_numbers_that_name_nothing(client_for, reviewer, item, query):
    answer = page(client_for(reviewer), item, query)
    assert answer.status_code == 200 and b"v1 to v1" in answer.content


def test_others_decisions_open_after_the_own_vote(client_for, reviewer, reviewer_2, item):
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer_2
    )
    before = page(client_for(reviewer), item).content.decode()
    assert "Open after your vote." in before and "Kept" not in before
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer
    )
    after = page(client_for(reviewer), item).content.decode()
    assert "Kept" in after and "by votes" in after and "reviewer-2" not in after


def test_an_old_version_comes_back_as_a_new_one(client_for, reviewer, item):
    factories.kept(item)
    edited(item, reviewer, stem="Another stem?", options=["A.", "B."], key_index=1)
    url = f"/b/{item.benchmark.slug}/review/{item.pk}/history/restore/"
    client = client_for(reviewer)
    answer = client.post(url, {"number": 1, "base_version": 2, "reason": "It was right."})
    assert answer.status_code == 302
    now = factories.current(item)
    first = item.versions.get(number=1)
    assert now.number == 3 and now.author == reviewer and now.reason == "It was right."
    assert (now.digest, now.options, now.key_index) == (first.digest, first.options, 0)
    item.refresh_from_db()
    assert item.state == "todo" and item.keep is None
    told = Revision.objects.filter(target_id=item.pk, verb="edit_item").first()
    assert told.after["version"] == 3 and told.before["stem"] == "Another stem?"
    client.post(url, {"number": 1, "base_version": 3})
    assert item.versions.count() == 3  # nothing would change
    assert client.post(url, {"number": 44, "base_version": 3}).status_code == 404


def test_a_restore_never_overwrites_what_was_not_seen(client_for, reviewer, reviewer_2, item):
    edited(item, reviewer, stem="Second?")
    edited(item, reviewer_2, base=2, stem="Third?")
    with pytest.raises(StaleVersion):
        restore_version(item_id=item.pk, number=1, base_version=2, reason="", by=reviewer)
    url = f"/b/{item.benchmark.slug}/review/{item.pk}/history/restore/"
    answer = client_for(reviewer).post(url, {"number": 1, "base_version": 2}, follow=True)
    assert b"Somebody saved another version" in answer.content
    assert factories.current(item).stem == "Third?"


def test_the_own_box_comes_back_too(reviewer, item):
    override_roi(
        item_id=item.pk, base_version=1, roi=Roi(0.1, 0.1, 0.5, 0.5), reason="", by=reviewer
    )
    override_roi(item_id=item.pk, base_version=2, roi=None, reason="", by=reviewer)
    now = restore_version(item_id=item.pk, number=2, base_version=3, reason="", by=reviewer)
    assert now.roi_is_override and (now.roi_x, now.roi_w) == (0.1, 0.5)


def test_what_does_not_fit_any_more_is_refused(reviewer, outsider, item):
    edited(item, reviewer, start=1.0, end=2.0)
    video = item.video
    video.end = video.start + 5
    video.save()
    with pytest.raises(BadEdit):
        restore_version(item_id=item.pk, number=1, base_version=2, reason="", by=reviewer)
    with pytest.raises(BadEdit):
        restore_version(item_id=item.pk, number=1, base_version=2, reason="\x00", by=reviewer)
    with pytest.raises(PermissionDenied):
        restore_version(item_id=item.pk, number=1, base_version=2, reason="", by=outsider)
    with pytest.raises(ItemVersion.DoesNotExist):
        restore_version(item_id=item.pk, number=8, base_version=2, reason="", by=reviewer)


def test_the_number_of_queries_does_not_grow(
    client_for, reviewer, item, django_assert_max_num_queries
):
    client = client_for(reviewer)
    for number in range(1, 40):
        edited(item, reviewer, base=number, stem=f"Stem {number}?")
    with django_assert_max_num_queries(14):
        page(client, item)
