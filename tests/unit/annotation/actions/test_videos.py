from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.reviews import cast_vote
from annotation.actions.videos import change_roi, override_roi
from annotation.domain.edits import BadEdit
from annotation.domain.roi import Roi
from annotation.models import Item, ItemVersion, Revision, Video
from tests import factories

pytestmark = pytest.mark.django_db
BOX = Roi(0.25, 0.125, 0.5, 0.75)
OTHER = Roi(0.1, 0.1, 0.5, 0.5)


@pytest.fixture
def video() -> Video:
    """A video with two kept items."""
    vid = factories.video(factories.benchmark())
    factories.kept(factories.mcq_item(vid))
    factories.kept(factories.free_item(vid))
    return vid


def box_of(row: Video | ItemVersion) -> tuple[float, ...]:
    return (row.roi_x, row.roi_y, row.roi_w, row.roi_h)


def change(video: Video, by: Any, **changes: Any) -> Video:
    wanted = {"base_version": 1, "roi": BOX, "reason": "header cut"} | changes
    return change_roi(video_id=video.pk, by=by, **wanted)


def test_a_new_box_makes_versions_of_the_items_and_opens_them(video, reviewer):
    before = [factories.current(item) for item in video.items.all()]

    changed = change(video, reviewer)

    assert (changed.version, box_of(changed)) == (2, BOX.fractions)
    for item, old in zip(video.items.all(), before, strict=True):
        new = factories.current(item)
        assert (new.number, box_of(new), new.author) == (2, BOX.fractions, reviewer)
        assert new.text_digest == old.text_digest
        assert new.clip_digest != old.clip_digest
        assert (item.state, item.keep, item.keep_source) == ("todo", None, "")


def test_a_cosmetic_change_leaves_votes_and_decisions(video, reviewer):
    item = video.items.first()
    vote = {"version_number": 1, "verdict": "keep", "by": reviewer}
    cast_vote(review_id="0" * 31 + "1", item_id=item.pk, **vote)

    change(video, reviewer, cosmetic=True)

    assert all(row.keep for row in video.items.all())
    assert factories.current(item).votes_since == 1


def test_an_item_with_a_box_of_its_own_keeps_it(video, reviewer):
    own, follows = video.items.all()
    override_roi(item_id=own.pk, base_version=1, roi=OTHER, reason="", by=reviewer)

    change(video, reviewer)

    assert box_of(factories.current(own)) == OTHER.fractions
    assert factories.current(own).number == 2
    assert box_of(factories.current(follows)) == BOX.fractions


def test_the_trail_holds_both_boxes_for_the_video_and_each_item(video, reviewer):
    change(video, reviewer)

    row = Revision.objects.get(target_kind="video", target_id=video.pk)
    assert (row.verb, row.actor, row.reason) == ("change_roi", reviewer.pseudonym, "header cut")
    assert row.before == {"x": 0.0, "y": 0.0, "w": 1.0, "h": 1.0, "version": 1}
    assert row.after["x"] == 0.25
    assert row.after["items"] == 2
    items = Revision.objects.filter(target_kind="item", verb="edit_roi")
    assert items.count() == 2
    assert all(row.before["keep"] and row.before["keep_source"] == "import" for row in items)


def test_votes_after_a_new_box_do_not_bring_back_the_imported_decision(video, reviewer):
    item = video.items.first()
    change(video, reviewer)
    vote = {"version_number": 2, "by": reviewer, "item_id": item.pk}
    cast_vote(review_id="0" * 31 + "1", verdict="unsure", **vote)

    item.refresh_from_db()

    assert (item.state, item.keep) == ("unsure", None)


def test_a_stale_change_is_told_with_all_three_boxes(video, reviewer, reviewer_2):
    change(video, reviewer)

    with pytest.raises(StaleVersion) as caught:
        change(video, reviewer_2, roi=OTHER)

    assert caught.value.base is not None
    assert caught.value.base["w"] == 1.0
    assert caught.value.current["version"] == 2
    assert caught.value.current["w"] == BOX.w
    assert caught.value.yours["w"] == OTHER.w
    video.refresh_from_db()
    assert (video.version, box_of(video)) == (2, BOX.fractions)


def test_saving_the_same_box_again_makes_no_second_version(video, reviewer):
    change(video, reviewer)

    again = change(video, reviewer)  # the answer to the first was lost on its way

    assert again.version == 2
    assert ItemVersion.objects.filter(item__video=video, number=3).count() == 0
    assert Revision.objects.filter(verb="change_roi").count() == 1


def test_an_item_goes_back_to_the_box_of_its_video(video, reviewer):
    item = video.items.first()
    override_roi(item_id=item.pk, base_version=1, roi=OTHER, reason="", by=reviewer)
    change(video, reviewer)

    version = override_roi(item_id=item.pk, base_version=2, roi=None, reason="", by=reviewer)

    assert not version.roi_is_override
    assert box_of(version) == BOX.fractions
    assert version.number == 3


def test_a_stale_override_is_refused(video, reviewer):
    item = video.items.first()
    change(video, reviewer)

    with pytest.raises(StaleVersion) as caught:
        override_roi(item_id=item.pk, base_version=1, roi=OTHER, reason="", by=reviewer)

    assert caught.value.current["version"] == 2
    assert factories.current(item).number == 2


def test_who_may_not_edit_changes_nothing(video, outsider):
    with pytest.raises(PermissionDenied):
        change(video, outsider)
    with pytest.raises(PermissionDenied):
        override_roi(
            item_id=video.items.first().pk, base_version=1, roi=BOX, reason="", by=outsider
        )

    assert not Revision.objects.exists()


@pytest.mark.parametrize("reason", ["x" * 501, "nul \x00", "lone \ud800"])
def test_a_hostile_reason_is_refused(video, reviewer, reason):
    with pytest.raises(BadEdit):
        change(video, reviewer, reason=reason)

    assert Item.objects.get(pk=video.items.first().pk).current.number == 1


def test_the_number_of_queries_does_not_grow_with_the_items(
    reviewer, django_assert_max_num_queries
):
    vid = factories.video(factories.benchmark())
    for _ in range(40):
        factories.mcq_item(vid)

    with django_assert_max_num_queries(13):
        change(vid, reviewer)
