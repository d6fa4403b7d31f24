import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.actions.videos import override_roi
from annotation.domain.edits import BadEdit
from annotation.domain.roi import Roi
from annotation.models import Item, Revision
from annotation.queries.standing import has_voted, own_votes
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


def edit(item, by, base_version=1, reason="because", cosmetic=False, **changes):
    return edit_item(
        item_id=item.pk,
        base_version=base_version,
        changes=changes,
        reason=reason,
        cosmetic=cosmetic,
        by=by,
    )


def test_an_edit_makes_a_version_with_author_and_reason(item, reviewer):
    version = edit(item, reviewer, stem="What is the next step?")
    assert (version.number, version.author, version.reason) == (2, reviewer, "because")
    item.refresh_from_db()
    assert item.current == version and item.text == "What is the next step?"
    revision = Revision.objects.get(verb="edit_item")
    assert revision.before["stem"] == "What does the operator do next?"
    assert revision.after == {"version": 2, "stem": "What is the next step?"}


def test_every_field_can_be_edited(item, reviewer):
    version = edit(
        item,
        reviewer,
        options=["One.", "Two.", "Three."],
        key_index=2,
        question_type="Type3_ProcedureContextPlanning",
        start=1.0,
        end=2.5,
    )
    assert version.options == ["One.", "Two.", "Three."] and version.key_index == 2
    assert sorted(version.shown_order) == [0, 1, 2]
    assert (version.start, version.end) == (1.0, 2.5)


def test_an_edit_reopens_the_decision_and_a_cosmetic_one_does_not(item, reviewer):
    factories.kept(item)
    edit(item, reviewer, stem="What comes next?", cosmetic=True, reason="")
    item.refresh_from_db()
    assert (item.state, item.keep, item.keep_source) == ("kept", True, "import")
    edit(item, reviewer, base_version=2, stem="Why is that done?")
    item.refresh_from_db()
    assert (item.state, item.keep, item.keep_source) == ("todo", None, "")


def test_votes_outlive_a_cosmetic_edit_only(item, reviewer):
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=1, verdict="keep", by=reviewer
    )
    edit(item, reviewer, stem="What comes next?", cosmetic=True)
    assert has_voted(reviewer, item.pk)
    edit(item, reviewer, base_version=2, stem="Why?")
    assert not has_voted(reviewer, item.pk)
    assert own_votes(reviewer, item.benchmark_id, among=[item.pk])[item.pk].state == "stale"


def test_a_stale_edit_shows_base_current_and_yours(item, reviewer, reviewer_2):
    edit(item, reviewer, start=6.0)
    with pytest.raises(StaleVersion) as caught:
        edit(item, reviewer_2, end=14.0)
    conflict = caught.value
    assert (conflict.base["start"], conflict.current["start"]) == (5.0, 6.0)
    assert conflict.yours == {"end": 14.0}
    assert not conflict.mergeable
    assert conflict.conflicts == ["window"]


def test_edits_of_different_fields_are_offered_merged_never_merged(item, reviewer, reviewer_2):
    edit(item, reviewer, start=6.0)
    with pytest.raises(StaleVersion) as caught:
        edit(item, reviewer_2, stem="Why?")
    assert caught.value.mergeable
    assert item.versions.count() == 2


def test_an_edit_whose_answer_was_lost_can_be_sent_again(item, reviewer):
    first = edit(item, reviewer, stem="Why?")
    assert edit(item, reviewer, stem="Why?") == first
    assert item.versions.count() == 2


def test_an_edit_that_changes_nothing_makes_no_version(item, reviewer):
    assert edit(item, reviewer, start=5.0).number == 1
    assert not Revision.objects.exists()


def test_a_reason_is_needed_unless_cosmetic(item, reviewer):
    with pytest.raises(BadEdit):
        edit(item, reviewer, stem="Why?", reason=" ")


@pytest.mark.parametrize("field", ["ground_truth", "number", "item_id", "keep"])
def test_other_fields_cannot_be_edited(item, reviewer, field):
    with pytest.raises(BadEdit):
        edit(item, reviewer, **{field: "x"})


def test_an_outsider_may_not_edit(item, outsider):
    with pytest.raises(PermissionDenied):
        edit(item, outsider, stem="Why?")


def test_of_an_unknown_item(reviewer):
    with pytest.raises(Item.DoesNotExist):
        edit_item(item_id=0, base_version=1, changes={}, reason="x", by=reviewer)


@pytest.fixture
def free():
    return factories.free_item(factories.video(factories.benchmark()))


def test_accepted_variants_leave_what_the_model_is_asked_as_it_was(free, reviewer):
    before = free.current
    version = edit(free, reviewer, accepted_variants=["To move the gas away."])
    assert version.accepted_variants == ["To move the gas away."]
    assert version.text_digest == before.text_digest, "a reply to it stays valid"
    assert version.clip_digest == before.clip_digest
    assert version.digest != before.digest, "a release of it is another one"
    without = edit(free, reviewer, base_version=2, accepted_variants=[])
    assert without.digest == before.digest


def test_an_own_box_is_given_and_taken_away_in_an_edit(item, reviewer):
    box = {"x": 0.25, "y": 0.25, "w": 0.5, "h": 0.5}
    version = edit(item, reviewer, roi=box, stem="And now?")
    assert version.roi_is_override and (version.roi_x, version.roi_w) == (0.25, 0.5)
    assert version.clip_digest != item.current.clip_digest
    assert Revision.objects.get(after__version=2).after["roi"] == box
    back = edit(item, reviewer, base_version=2, roi=None)
    assert not back.roi_is_override and back.clip_digest == item.current.clip_digest
    with pytest.raises(BadEdit):
        edit(item, reviewer, base_version=3, roi={**box, "w": 0.9})


def test_a_box_and_a_wording_can_both_be_kept(item, reviewer, reviewer_2):
    edit(item, reviewer, stem="Why?")
    box = Roi(0.25, 0.25, 0.5, 0.5)
    with pytest.raises(StaleVersion) as caught:
        override_roi(item_id=item.pk, base_version=1, roi=box, reason="", by=reviewer_2)
    assert caught.value.mergeable and caught.value.current["stem"] == "Why?"
    override_roi(item_id=item.pk, base_version=2, roi=box, reason="", by=reviewer_2)
    with pytest.raises(StaleVersion) as caught:
        override_roi(item_id=item.pk, base_version=2, roi=None, reason="", by=reviewer)
    conflict = caught.value
    assert (conflict.mergeable, conflict.conflicts) == (False, ["roi"])
    assert (conflict.base["w"], conflict.current["w"], conflict.yours["w"]) == (1.0, 0.5, 1.0)
