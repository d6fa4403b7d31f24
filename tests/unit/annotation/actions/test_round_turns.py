"""Turns: claims, leases, skips, second looks, training, and what a vote does to them."""

import uuid
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from annotation.actions import round_votes
from annotation.actions.items import edit_item
from annotation.actions.reviews import BadVote, cast_vote, undo_vote
from annotation.actions.round_claims import claim_next, hold_item, let_go
from annotation.actions.rounds import close_round
from annotation.models import Item, Review, Turn
from annotation.queries.standing import has_voted
from annotation.queries.votes import votes_seen_by
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def items():
    vid = factories.video(factories.benchmark())
    return [factories.mcq_item(vid) for _ in range(8)]


def vote(item_id, by, verdict="keep", **more):
    number = Item.objects.get(pk=item_id).current.number
    return cast_vote(
        review_id=uuid.uuid4(),
        item_id=item_id,
        version_number=number,
        verdict=verdict,
        by=by,
        **more,
    )


def expire(turn):
    Turn.objects.filter(pk=turn.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def work_off(round_, reader, verdict="keep"):
    met = []
    while turn := claim_next(round_id=round_.pk, by=reader):
        met.append((turn.round_item.item_id, turn.repeat))
        vote(turn.round_item.item_id, reader, verdict)
    return met


def test_a_claim_gives_the_held_item_until_it_is_voted_on(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items, [reviewer])
    first = claim_next(round_id=round_.pk, by=reviewer)
    assert claim_next(round_id=round_.pk, by=reviewer) == first
    vote(first.round_item.item_id, reviewer)
    assert claim_next(round_id=round_.pk, by=reviewer) != first


def test_readers_meet_the_items_in_orders_of_their_own(items, reviewer, reviewer_2):
    round_ = factories.review_round(
        items[0].benchmark, items, [reviewer, reviewer_2], votes_wanted=2
    )
    orders = [work_off(round_, reader) for reader in (reviewer, reviewer_2)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_who_reads_not_in_the_round_claims_nothing(items, reviewer, reviewer_2, outsider):
    round_ = factories.review_round(items[0].benchmark, items, [reviewer])
    for account in (reviewer_2, outsider):
        with pytest.raises(PermissionDenied):
            claim_next(round_id=round_.pk, by=account)


def test_a_lease_that_ran_out_gives_the_item_to_somebody_else(items, reviewer, reviewer_2):
    round_ = factories.review_round(items[0].benchmark, items[:1], [reviewer, reviewer_2])
    held = claim_next(round_id=round_.pk, by=reviewer)
    assert claim_next(round_id=round_.pk, by=reviewer_2) is None
    expire(held)
    assert claim_next(round_id=round_.pk, by=reviewer_2).round_item == held.round_item
    assert hold_item(item_id=items[0].pk, by=reviewer) is None


def test_a_late_vote_is_stored_and_fills_no_place(items, reviewer, reviewer_2):
    round_ = factories.review_round(items[0].benchmark, items[:1], [reviewer, reviewer_2])
    expire(claim_next(round_id=round_.pk, by=reviewer))
    claim_next(round_id=round_.pk, by=reviewer_2)
    late = vote(items[0].pk, reviewer)
    assert late.purpose == "vote"
    assert not Turn.objects.get(reader=reviewer).is_seated
    vote(items[0].pk, reviewer_2)
    assert Turn.objects.get(reader=reviewer_2).is_seated


def test_who_leaves_lets_the_item_go_after_a_moment(items, reviewer):
    factories.review_round(items[0].benchmark, items, [reviewer])
    before = hold_item(item_id=items[3].pk, by=reviewer).lease_until
    let_go(item_id=items[3].pk, by=reviewer)
    turn = Turn.objects.get()
    assert turn.state == "held"
    assert turn.lease_until < before - timedelta(minutes=5)
    assert hold_item(item_id=items[3].pk, by=reviewer).lease_until >= before


def test_a_skipped_item_comes_after_the_rest_then_waits_to_be_asked_for(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items[:3], [reviewer])
    first = claim_next(round_id=round_.pk, by=reviewer).round_item.item_id
    vote(first, reviewer, "skip", skip_reason="field", comment="not cardiac")
    turn = Turn.objects.get()
    assert (turn.state, turn.skip_reason, turn.skip_note) == ("skipped", "field", "not cardiac")
    assert turn.round_item.room == 1
    for _ in range(2):
        item_id = claim_next(round_id=round_.pk, by=reviewer).round_item.item_id
        assert item_id != first
        vote(item_id, reviewer)
    assert claim_next(round_id=round_.pk, by=reviewer).round_item.item_id == first
    vote(first, reviewer, "skip", skip_reason="later")
    assert claim_next(round_id=round_.pk, by=reviewer) is None
    again = claim_next(round_id=round_.pk, skipped=True, by=reviewer)
    assert again.round_item.item_id == first


def test_a_skip_reason_belongs_to_a_skip(items, reviewer):
    with pytest.raises(BadVote):
        vote(items[0].pk, reviewer, "keep", skip_reason="field")
    with pytest.raises(BadVote):
        vote(items[0].pk, reviewer, "skip", skip_reason="no such reason")


def test_a_skipped_item_that_others_have_done_does_not_come_back(items, reviewer, reviewer_2):
    round_ = factories.review_round(items[0].benchmark, items[:1], [reviewer, reviewer_2])
    claim_next(round_id=round_.pk, by=reviewer)
    vote(items[0].pk, reviewer, "skip")
    work_off(round_, reviewer_2)
    assert claim_next(round_id=round_.pk, skipped=True, by=reviewer) is None


def test_training_comes_first_and_settles_nothing(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items[:2], [reviewer], training_size=1)
    round_.items.create(
        item=items[5], position=0, is_training=True, expected_verdict="drop", feedback="Look."
    )
    turn = claim_next(round_id=round_.pk, by=reviewer)
    assert turn.round_item.item_id == items[5].pk
    review = vote(items[5].pk, reviewer)
    assert review.purpose == "training"
    assert not has_voted(reviewer, items[5].pk)
    assert Item.objects.get(pk=items[5].pk).state == "todo"
    assert claim_next(round_id=round_.pk, by=reviewer).round_item.item_id != items[5].pk


def test_second_looks_are_blind_come_later_and_never_stand(items, reviewer, monkeypatch):
    monkeypatch.setattr(round_votes, "comes_back", lambda *_, **__: True)
    round_ = factories.review_round(items[0].benchmark, items, [reviewer], repeat_share=0.5)
    met, seen_hidden = [], False
    while turn := claim_next(round_id=round_.pk, by=reviewer):
        item = turn.round_item.item
        met.append((item.pk, turn.repeat))
        if turn.repeat:
            assert not has_voted(reviewer, item.pk)
            assert votes_seen_by(reviewer, item).own is None
            seen_hidden = True
        review = vote(
            item.pk, reviewer, "drop" if turn.repeat else "keep", reasons=[1] * turn.repeat
        )
        assert review.purpose == ("repeat" if turn.repeat else "vote")
    assert seen_hidden
    assert len(met) == 2 * len(items)
    for item_id, repeat in met:
        if repeat:
            assert met.index((item_id, 1)) - met.index((item_id, 0)) > 3
            assert has_voted(reviewer, item_id)
            assert Item.objects.get(pk=item_id).keep is True
            assert votes_seen_by(reviewer, Item.objects.get(pk=item_id)).own.verdict == "keep"
    assert round_.readers.get().done == len(items)
    assert round_.readers.get().repeats_done == len(met) - len(items)
    close_round(round_id=round_.pk, by=factories.account(role="adjudicator"))
    assert vote(met[0][0], reviewer, "drop", reasons=[1]).purpose == "vote"


def test_a_vote_taken_back_gives_the_turn_back(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items, [reviewer])
    item_id = claim_next(round_id=round_.pk, by=reviewer).round_item.item_id
    first = vote(item_id, reviewer)
    second = vote(item_id, reviewer, "unsure")
    undo_vote(review_id=second.pk, by=reviewer)
    turn = Turn.objects.get()
    assert (turn.state, turn.review) == ("done", first)
    undo_vote(review_id=first.pk, by=reviewer)
    turn.refresh_from_db()
    assert (turn.state, turn.is_seated) == ("held", True)
    assert round_.readers.get().done == 0
    assert claim_next(round_id=round_.pk, by=reviewer) == turn


def test_an_edited_item_comes_back_to_who_had_judged_it(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items[:2], [reviewer])
    done = work_off(round_, reviewer)
    edit_item(
        item_id=done[0][0], base_version=1, changes={"stem": "New?"}, reason="clearer", by=reviewer
    )
    assert round_.readers.get().done == 1
    assert work_off(round_, reviewer) == [done[0]]
    assert round_.readers.get().done == 2
    assert Review.objects.count() == 3


def test_a_vote_on_an_item_opened_by_its_address_counts(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items, [reviewer])
    vote(items[4].pk, reviewer)
    assert round_.items.get(item=items[4]).room == 0
    assert round_.readers.get().done == 1


def test_a_closed_round_gives_nothing(items, reviewer):
    round_ = factories.review_round(items[0].benchmark, items, [reviewer], state="closed")
    assert claim_next(round_id=round_.pk, by=reviewer) is None
    assert hold_item(item_id=items[0].pk, by=reviewer) is None
    vote(items[0].pk, reviewer)
    assert not Turn.objects.exists()
