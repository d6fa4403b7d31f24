import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import StaleVersion
from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Item, Revision
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


def decision(item):
    return tuple(Item.objects.values_list("state", "keep", "keep_source").get(pk=item.pk))


def vote(item, by, verdict, version=1):
    cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=version,
        verdict=verdict,
        reasons=[2] if verdict == "drop" else [],
        by=by,
    )


def test_an_adjudicator_settles_a_disagreement_for_good(item, reviewer, reviewer_2, adjudicator):
    vote(item, reviewer, "keep")
    vote(item, reviewer_2, "drop")
    for _ in range(2):
        adjudicate(
            item_id=item.pk, version_number=1, keep=False, reason="not visible", by=adjudicator
        )
    assert decision(item) == ("dropped", False, "adjudicator")
    revision = Revision.objects.get(verb="adjudicate")
    assert (revision.before["state"], revision.reason) == ("disagreement", "not visible")
    vote(item, reviewer_2, "keep")
    assert decision(item) == ("dropped", False, "adjudicator")


def test_an_edit_opens_it_again(item, reviewer, adjudicator):
    adjudicate(item_id=item.pk, version_number=1, keep=True, by=adjudicator)
    edit_item(item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="new", by=reviewer)
    assert decision(item) == ("todo", None, "")
    vote(item, reviewer, "drop", version=2)
    assert decision(item) == ("dropped", False, "votes")


def test_the_decision_is_about_the_version_that_was_seen(item, reviewer, adjudicator):
    edit_item(item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="new", by=reviewer)
    with pytest.raises(StaleVersion):
        adjudicate(item_id=item.pk, version_number=1, keep=True, by=adjudicator)


def test_a_reviewer_may_not_adjudicate(item, reviewer):
    with pytest.raises(PermissionDenied):
        adjudicate(item_id=item.pk, version_number=1, keep=True, by=reviewer)
