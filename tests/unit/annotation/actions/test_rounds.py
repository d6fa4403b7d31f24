"""Making, filling, opening and closing rounds; giving items by name."""

import math
import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.actions.round_assignment import assign_items, withdraw_items
from annotation.actions.round_claims import claim_next
from annotation.actions.round_items import choose_items, remove_training, set_training
from annotation.actions.round_locks import BadRound
from annotation.actions.round_readers import add_readers, remove_reader
from annotation.actions.rounds import close_round, edit_round, make_round, open_round
from annotation.models import Item, Review, Revision, Round, Turn
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def items():
    vid = factories.video(factories.benchmark())
    return [factories.mcq_item(vid) for _ in range(6)]


@pytest.fixture
def draft(items, adjudicator):
    return make_round(benchmark=items[0].benchmark, settings={"name": "First"}, by=adjudicator)


def all_of(bench):
    return Item.objects.filter(benchmark=bench)


def voted(item, reader, verdict="keep"):
    return Review.objects.create(
        item=item, item_version=item.current, reviewer=reader, verdict=verdict
    )


def test_a_round_is_made_filled_and_opened_with_its_trail(draft, items, reviewer, adjudicator):
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    add_readers(round_id=draft.pk, reader_ids=[reviewer.pk], by=adjudicator)
    opened = open_round(round_id=draft.pk, by=adjudicator)
    assert (opened.state, opened.size) == ("open", 6)
    assert sorted(opened.items.values_list("position", flat=True)) == list(range(6))
    assert set(opened.items.values_list("room", flat=True)) == {1}
    closed = close_round(round_id=draft.pk, by=adjudicator)
    assert closed.state == "closed"
    verbs = Revision.objects.filter(target_kind="round").values_list("verb", flat=True)
    assert list(verbs) == [
        "close_round",
        "open_round",
        "add_readers",
        "choose_items",
        "make_round",
    ]


def test_the_same_seed_draws_the_same_order_and_another_seed_another(items, adjudicator):
    orders = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        made = make_round(
            benchmark=items[0].benchmark, settings={"name": name, "seed": seed}, by=adjudicator
        )
        choose_items(round_id=made.pk, items=all_of(made.benchmark), by=adjudicator)
        orders.append(list(made.items.order_by("position").values_list("item_id", flat=True)))
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize(
    "wrong",
    [
        {"votes_wanted": 0},
        {"votes_wanted": 4},
        {"repeat_share": 0.6},
        {"repeat_share": math.nan},
        {"mode": "guess"},
        {"order": "random"},
        {"seed": -1},
        {"name": "  "},
        {"name": "a\x00b"},
        {"instructions": "x" * 4001},
        {"state": "open"},
        {"name": "First"},
    ],
)
def test_settings_out_of_bounds_are_refused(draft, adjudicator, wrong):
    with pytest.raises(BadRound):
        make_round(benchmark=draft.benchmark, settings={"name": "New"} | wrong, by=adjudicator)
    assert Round.objects.count() == 1


def test_whoever_may_not_adjudicate_leads_no_round(draft, reviewer):
    with pytest.raises(PermissionDenied):
        open_round(round_id=draft.pk, by=reviewer)
    with pytest.raises(PermissionDenied):
        assign_items(round_id=draft.pk, item_ids=[1], reader_ids=[reviewer.pk], by=reviewer)


def test_an_empty_round_is_not_opened(draft, reviewer, adjudicator):
    with pytest.raises(BadRound, match="items"):
        open_round(round_id=draft.pk, by=adjudicator)
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    with pytest.raises(BadRound, match="readers"):
        open_round(round_id=draft.pk, by=adjudicator)


def test_accounts_that_may_not_review_are_no_readers(draft, outsider, adjudicator):
    for ids in ([outsider.pk], [outsider.pk + 1000]):
        with pytest.raises(BadRound):
            add_readers(round_id=draft.pk, reader_ids=ids, by=adjudicator)


def test_more_votes_wanted_make_room_and_fewer_take_it(draft, reviewer, adjudicator):
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    add_readers(round_id=draft.pk, reader_ids=[reviewer.pk], by=adjudicator)
    open_round(round_id=draft.pk, by=adjudicator)
    edit_round(round_id=draft.pk, changes={"votes_wanted": 3}, by=adjudicator)
    assert set(draft.items.values_list("room", flat=True)) == {3}
    edit_round(round_id=draft.pk, changes={"votes_wanted": 2}, by=adjudicator)
    assert set(draft.items.values_list("room", flat=True)) == {2}
    with pytest.raises(BadRound, match="draft"):
        edit_round(round_id=draft.pk, changes={"seed": 5}, by=adjudicator)


def test_earlier_votes_count_where_the_round_opens(draft, items, reviewer, adjudicator):
    voted(items[0], reviewer)
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    add_readers(round_id=draft.pk, reader_ids=[reviewer.pk], by=adjudicator)
    open_round(round_id=draft.pk, by=adjudicator)
    assert draft.readers.get().done == 1
    assert draft.items.get(item=items[0]).room == 0
    assert Turn.objects.get().state == "done"


def test_training_items_are_no_ordinary_ones(draft, items, adjudicator):
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    set_training(round_id=draft.pk, item_id=items[1].pk, expected_verdict="drop", by=adjudicator)
    draft.refresh_from_db()
    assert (draft.size, draft.training_size) == (5, 1)
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    assert draft.items.get(item=items[1]).is_training
    with pytest.raises(BadRound):
        set_training(
            round_id=draft.pk, item_id=items[2].pk, expected_verdict="skip", by=adjudicator
        )
    remove_training(round_id=draft.pk, item_id=items[1].pk, by=adjudicator)
    draft.refresh_from_db()
    assert (draft.size, draft.training_size) == (5, 0)


def test_items_given_by_name_are_spread_and_taken_back(
    draft, items, reviewer, reviewer_2, adjudicator
):
    ids = [item.pk for item in items[:4]]
    given = assign_items(
        round_id=draft.pk, item_ids=ids, reader_ids=[reviewer.pk, reviewer_2.pk], by=adjudicator
    )
    assert given.after == {"turns": 4, "new": 4, "full": 0, "items": 4}
    assert reviewer.turns.count() == reviewer_2.turns.count() == 2
    assert not draft.items.filter(room__gt=0).exists()
    assert not draft.readers.filter(from_pool=True).exists()
    again = assign_items(round_id=draft.pk, item_ids=ids, reader_ids=[reviewer.pk], by=adjudicator)
    assert again.after["full"] == 4
    assert withdraw_items(revision_id=given.pk, by=adjudicator) == 4
    draft.refresh_from_db()
    assert (draft.size, draft.items.count()) == (0, 0)
    assert withdraw_items(revision_id=given.pk, by=adjudicator) == 0


def test_items_of_another_benchmark_are_not_given(draft, reviewer, adjudicator):
    other = factories.mcq_item(factories.video(factories.benchmark()))
    with pytest.raises(BadRound):
        assign_items(
            round_id=draft.pk, item_ids=[other.pk], reader_ids=[reviewer.pk], by=adjudicator
        )
    assert not Turn.objects.exists()


def test_a_reader_who_leaves_gives_back_what_they_had_not_done(draft, items, reviewer, adjudicator):
    assign_items(
        round_id=draft.pk, item_ids=[items[0].pk], reader_ids=[reviewer.pk], by=adjudicator
    )
    remove_reader(round_id=draft.pk, reader_id=reviewer.pk, by=adjudicator)
    assert draft.items.get().room == 1
    with pytest.raises(BadRound):
        remove_reader(round_id=draft.pk, reader_id=reviewer.pk, by=adjudicator)


def test_a_round_that_is_opened_again_catches_up(draft, items, reviewer, adjudicator):
    """While it was closed one vote was taken back, one voided by an edit, one cast."""
    choose_items(round_id=draft.pk, items=all_of(draft.benchmark), by=adjudicator)
    add_readers(round_id=draft.pk, reader_ids=[reviewer.pk], by=adjudicator)
    open_round(round_id=draft.pk, by=adjudicator)
    ids = {}
    for item in items[:3]:
        ids[item.pk] = uuid.uuid4()
        cast(ids[item.pk], item, reviewer)
    held = claim_next(round_id=draft.pk, by=reviewer).round_item.item
    close_round(round_id=draft.pk, by=adjudicator)
    undo_vote(review_id=ids[items[0].pk], by=reviewer)
    changes = {"stem": "Asked otherwise?"}
    edit_item(
        item_id=items[1].pk, base_version=1, changes=changes, reason="clearer", by=adjudicator
    )
    cast(uuid.uuid4(), held, reviewer)

    open_round(round_id=draft.pk, by=adjudicator)
    states = dict(Turn.objects.filter(round=draft).values_list("round_item__item", "state"))
    expected = {items[0].pk: "waiting", items[1].pk: "waiting", items[2].pk: "done"}
    assert states == expected | {held.pk: "done"}
    assert draft.readers.get().done == 2
    asked = {claim_next(round_id=draft.pk, by=reviewer).round_item.item_id}
    open_round(round_id=draft.pk, by=adjudicator)  # an open round stays as it is
    assert asked <= {item.pk for item in items} - {items[2].pk, held.pk}


def cast(review_id, item, reader):
    item.refresh_from_db()
    cast_vote(
        review_id=review_id,
        item_id=item.pk,
        version_number=factories.current(item).number,
        verdict="keep",
        by=reader,
    )
