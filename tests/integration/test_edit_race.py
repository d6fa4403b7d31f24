"""Many editors and voters at once, on real connections: nothing is lost, nothing doubled."""

import threading
import uuid

import pytest

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Item, ItemVersion, Review, Revision
from tests import factories
from tests.at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)
EDITORS, EDITS, ITEMS = 8, 125, 10


@pytest.fixture
def item():
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.mark.slow
def test_a_thousand_edits_at_once_lose_none(reviewer):
    """All go round the same items side by side: what an editor saw of one has changed since."""
    video = factories.video(factories.benchmark())
    items = [factories.mcq_item(video, stem=f"Item {number}?") for number in range(ITEMS)]
    conflicts = []
    together = threading.Barrier(EDITORS, timeout=60)

    def editor(name):
        def edit_all():
            seen = {item.pk: 1 for item in items}
            for number in range(EDITS):
                item_id = items[number % ITEMS].pk
                stem = f"editor {name}, edit {number}"
                together.wait()
                while True:
                    try:
                        version = edit_item(
                            item_id=item_id,
                            base_version=seen[item_id],
                            changes={"stem": stem},
                            reason="race",
                            by=reviewer,
                        )
                    except StaleVersion as conflict:
                        conflicts.append(name)
                        seen[item_id] = conflict.current["version"]
                    else:
                        seen[item_id] = version.number
                        break

        return edit_all

    at_once([editor(name) for name in range(EDITORS)])
    assert ItemVersion.objects.count() == ITEMS + EDITORS * EDITS
    assert ItemVersion.objects.values("stem").distinct().count() == ITEMS + EDITORS * EDITS
    for item in items:
        versions = ItemVersion.objects.filter(item=item).order_by("-number")
        assert versions[0].number == versions.count()
        assert Item.objects.get(pk=item.pk).current == versions[0]
    assert Revision.objects.filter(verb="edit_item").count() == EDITORS * EDITS
    assert len(conflicts) >= EDITS * (EDITORS - 1), "an edit was taken over one it had not seen"


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
