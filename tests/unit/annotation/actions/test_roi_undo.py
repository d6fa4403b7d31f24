"""Taking a change of a box back: box, votes and decisions are as before it."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.returns import UndoRefused
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.actions.roi_undo import undo_change_roi, undo_override_roi
from annotation.actions.videos import change_roi, override_roi
from annotation.domain.roi import Roi
from annotation.models import Item, Revision, Video
from annotation.queries.standing import has_voted
from tests import factories

pytestmark = pytest.mark.django_db
WHOLE, NEW, OTHER = Roi(0, 0, 1, 1), Roi(0.25, 0.25, 0.5, 0.5), Roi(0.1, 0.1, 0.3, 0.3)


@pytest.fixture
def video() -> Video:
    vid = factories.video(factories.benchmark())
    factories.kept(factories.mcq_item(vid))
    factories.mcq_item(vid)
    return vid


def change(video: Video, roi: Roi, by, *, base: int = 1) -> Video:
    return change_roi(video_id=video.pk, base_version=base, roi=roi, reason="", by=by)


def vote(item: Item, by, verdict: str = "keep"):
    item.refresh_from_db()
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=item.current.number,
        verdict=verdict,
        reasons=(4,) if verdict == "drop" else (),
        by=by,
    )


def box(row) -> tuple[float, ...]:
    return (row.roi_x, row.roi_y, row.roi_w, row.roi_h)


def test_the_box_the_votes_and_the_decisions_come_back(video, reviewer):
    kept, voted = video.items.order_by("position")
    vote(voted, reviewer)
    changed = change(video, NEW, reviewer)
    assert not Item.objects.filter(keep=True).exists()

    back = undo_change_roi(video_id=video.pk, base_version=changed.version, by=reviewer)

    assert (back.version, box(back)) == (3, WHOLE.fractions)
    for item in (kept, voted):
        item.refresh_from_db()
        assert (item.current.number, box(item.current), item.keep) == (3, WHOLE.fractions, True)
    assert kept.keep_source == "import"
    assert has_voted(reviewer, voted.pk)
    row = Revision.objects.filter(target_kind="video", verb="change_roi").latest("pk")
    assert row.after["items"] == 2
    assert row.before["version"] == 2


def test_what_lay_under_votes_is_still_known_afterwards(video, reviewer):
    kept = video.items.get(keep=True)
    first = vote(kept, reviewer, "drop")
    undo_change_roi(
        video_id=video.pk, base_version=change(video, NEW, reviewer).version, by=reviewer
    )
    kept.refresh_from_db()
    assert (kept.keep, kept.keep_source) == (False, "votes")

    undo_vote(review_id=first.pk, by=reviewer)

    kept.refresh_from_db()
    assert (kept.keep, kept.keep_source) == (True, "import")


def test_a_vote_on_the_new_box_counts_on_the_old_one(video, reviewer, reviewer_2):
    item = video.items.last()
    changed = change(video, NEW, reviewer)
    vote(item, reviewer_2)

    undo_change_roi(video_id=video.pk, base_version=changed.version, by=reviewer)

    item.refresh_from_db()
    assert item.keep is True
    assert has_voted(reviewer_2, item.pk)


def test_an_item_that_was_edited_since_takes_the_box_and_stays_open(video, reviewer):
    kept = video.items.get(keep=True)
    changed = change(video, NEW, reviewer)
    edit_item(item_id=kept.pk, base_version=2, changes={"stem": "Anew?"}, reason="x", by=reviewer)

    undo_change_roi(video_id=video.pk, base_version=changed.version, by=reviewer)

    kept.refresh_from_db()
    assert (kept.current.stem, box(kept.current)) == ("Anew?", WHOLE.fractions)
    assert kept.keep is None


def test_an_override_is_removed_and_a_removed_one_comes_back(video, reviewer):
    kept = video.items.get(keep=True)
    own = override_roi(item_id=kept.pk, base_version=1, roi=OTHER, reason="", by=reviewer)

    none = undo_override_roi(item_id=kept.pk, base_version=own.number, by=reviewer)
    kept.refresh_from_db()
    assert (none.roi_is_override, box(none), kept.keep) == (False, WHOLE.fractions, True)

    again = override_roi(item_id=kept.pk, base_version=3, roi=OTHER, reason="", by=reviewer)
    gone = override_roi(
        item_id=kept.pk, base_version=again.number, roi=None, reason="", by=reviewer
    )
    back = undo_override_roi(item_id=kept.pk, base_version=gone.number, by=reviewer)
    assert (back.roi_is_override, box(back)) == (True, OTHER.fractions)


def test_an_item_with_its_own_box_is_left_alone(video, reviewer):
    kept = video.items.get(keep=True)
    override_roi(item_id=kept.pk, base_version=1, roi=OTHER, reason="", by=reviewer)

    undo_change_roi(
        video_id=video.pk, base_version=change(video, NEW, reviewer).version, by=reviewer
    )

    kept.refresh_from_db()
    assert (kept.current.number, box(kept.current)) == (2, OTHER.fractions)


def test_what_cannot_be_taken_back(video, reviewer, reviewer_2, outsider):
    kept = video.items.get(keep=True)
    with pytest.raises(UndoRefused):
        undo_change_roi(video_id=video.pk, base_version=1, by=reviewer)
    change(video, NEW, reviewer)
    with pytest.raises(UndoRefused):
        undo_change_roi(video_id=video.pk, base_version=2, by=reviewer_2)
    with pytest.raises(StaleVersion):
        undo_change_roi(video_id=video.pk, base_version=1, by=reviewer)
    with pytest.raises(PermissionDenied):
        undo_change_roi(video_id=video.pk, base_version=2, by=outsider)
    with pytest.raises(UndoRefused, match="box of the video"):
        undo_override_roi(item_id=kept.pk, base_version=2, by=reviewer)
    video.refresh_from_db()
    assert (video.version, box(video)) == (2, NEW.fractions)
