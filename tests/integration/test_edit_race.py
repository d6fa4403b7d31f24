"""Many editors and voters at once, on real connections: nothing is lost, nothing doubled."""

import uuid

import pytest

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Item, ItemVersion, Review, Revision
from tests import factories
from tests.at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)
EDITORS, EDITS = 8, 125


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.mark.slow
def test_a_thousand_edits_at_once_lose_none(item, reviewer):
    def editor(name):
        def edit_all():
            base = 1
            for number in range(EDITS):
                stem = f"editor {name}, edit {number}"
                while True:
                    try:
                        version = edit_item(
                            item_id=item.pk,
                            base_version=base,
                            changes={"stem": stem},
                            reason="race",
                            by=reviewer,
                        )
                    except StaleVersion as conflict:
                        base = conflict.current["version"]
                    else:
                        base = version.number
                        break

        return edit_all

    at_once([editor(name) for name in range(EDITORS)])
    versions = ItemVersion.objects.filter(item=item)
    assert versions.count() == 1 + EDITORS * EDITS
    assert versions.values("stem").distinct().count() == 1 + EDITORS * EDITS
    newest = versions.order_by("-number").first()
    assert newest.number == 1 + EDITORS * EDITS
    assert Item.objects.get(pk=item.pk).current == newest
    assert Revision.objects.filter(verb="edit_item").count() == EDITORS * EDITS


def test_the_same_vote_sent_many_times_at_once_is_one_vote(item, reviewer):
    vote_id = uuid.uuid4()

    def send():
        cast_vote(review_id=vote_id, item_id=item.pk, version_number=1, verdict="keep", by=reviewer)

    at_once([send] * 8)
    assert Review.objects.count() == 1
    assert Revision.objects.filter(verb="cast_vote").count() == 1


def test_votes_of_many_readers_at_once_all_count(item):
    readers = [factories.account(f"reader-{number}") for number in range(8)]

    def vote_of(reader, verdict):
        return lambda: cast_vote(
            review_id=uuid.uuid4(),
            item_id=item.pk,
            version_number=1,
            verdict=verdict,
            reasons=[3] if verdict == "drop" else [],
            by=reader,
        )

    at_once([vote_of(reader, "keep" if n else "drop") for n, reader in enumerate(readers)])
    assert Review.objects.count() == 8
    assert Item.objects.get(pk=item.pk).state == "disagreement"
