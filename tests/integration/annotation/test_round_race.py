"""Many readers at one round, on real connections: nobody too many, nobody twice, none lost."""

import uuid
from collections import Counter

import pytest

from annotation.actions.reviews import cast_vote
from annotation.actions.round_claims import claim_next
from annotation.models import Review, RoundItem, Turn
from tests import factories
from tests.at_once import at_once

pytestmark = pytest.mark.django_db(transaction=True)
READERS, ITEMS = 4, 12


@pytest.fixture
def bench():
    return factories.benchmark()


@pytest.mark.parametrize(("votes_wanted", "order"), [(1, "by_video"), (2, "shuffled")])
def test_each_item_gets_exactly_the_votes_wanted(bench, votes_wanted, order):
    vid = factories.video(bench)
    items = [factories.mcq_item(vid) for _ in range(ITEMS)]
    readers = [factories.account() for _ in range(READERS)]
    round_ = factories.review_round(bench, items, readers, votes_wanted=votes_wanted, order=order)

    def work(reader):
        def judge_all():
            while turn := claim_next(round_id=round_.pk, by=reader):
                cast_vote(
                    review_id=uuid.uuid4(),
                    item_id=turn.round_item.item_id,
                    version_number=1,
                    verdict="keep",
                    by=reader,
                )

        return judge_all

    # Two tabs for each reader: they must not get two different items at once.
    at_once([work(reader) for reader in readers for _ in range(2)])
    seats = Counter(Turn.objects.filter(is_seated=True).values_list("round_item_id", flat=True))
    assert set(seats.values()) == {votes_wanted}
    assert len(seats) == ITEMS
    assert not RoundItem.objects.filter(room__gt=0).exists()
    assert not Turn.objects.exclude(state="done").exists()
    voted = Review.objects.values_list("item_id", "reviewer_id").distinct().count()
    assert voted == ITEMS * votes_wanted
    assert sum(row.done for row in round_.readers.all()) == ITEMS * votes_wanted


def test_many_claims_without_votes_never_share_the_last_place(bench):
    vid = factories.video(bench)
    items = [factories.mcq_item(vid) for _ in range(3)]
    readers = [factories.account() for _ in range(8)]
    round_ = factories.review_round(bench, items, readers, votes_wanted=2)
    got = []

    def claim(reader):
        return lambda: got.append(claim_next(round_id=round_.pk, by=reader))

    at_once([claim(reader) for reader in readers])
    held = Counter(turn.round_item_id for turn in got if turn)
    assert sum(held.values()) == 6
    assert max(held.values()) == 2
    assert got.count(None) == 2
