"""Claims: gives a reader the next item of a round, keeps it for them, lets it go.

Locks are always taken in this order: item, the reader's row in the round, turn, round item.
"""

from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Least, Now

from annotation.actions.round_seats import LEASE, give_back_expired, take_room
from annotation.domain.round_order import BLOCK, rank
from annotation.models import RoundItem, RoundReader, Turn, User
from annotation.models.round import RoundOrder, RoundState
from annotation.models.turn import TurnState
from annotation.permissions import Verb, require
from annotation.queries.rounds import free_for, open_places

GRACE = timedelta(seconds=20)  # a page that is loaded again has its item still
BY_VIDEO_AT_ONCE = 8


def lock_reader(round_id: int, user: User) -> RoundReader:
    """Return a reader's row in a round, with the round; others of theirs wait.

    Raises PermissionDenied where `user` does not read in the round.
    """
    rows = RoundReader.objects.select_related("round").filter(round=round_id, reader=user)
    found = rows.select_for_update(of=("self",)).first()
    if found is None:
        raise PermissionDenied("You are no reader of this round.")
    return found


@transaction.atomic
def claim_next(*, round_id: int, skipped: bool = False, by: User) -> Turn | None:
    """Give `by` the next item of a round and return the turn; None where there is none.

    What the reader holds already comes first, then training, then second looks that are due,
    then what was given by name, then the pool, then what the reader skipped once, the oldest
    first. With `skipped` the reader asks for what they skipped, however often.
    Never are more readers on an item than the round wants votes, whoever claims at once.
    A claim leaves no revision: it is no change of an item, and ends by itself.

    Raises PermissionDenied where `by` may not review or reads not in this round.
    """
    require(by, Verb.REVIEW)
    reader = lock_reader(round_id, by)
    if reader.round.state != RoundState.OPEN:
        return None
    give_back_expired(reader.round)
    own = Turn.objects.filter(round=reader.round, reader=by)
    held = own.filter(state=TurnState.HELD).order_by("claimed_at").first()
    turn = held or (next_skipped(own) if skipped else next_fresh(reader, own))
    return hold(turn) if turn else None


def next_fresh(reader: RoundReader, own: QuerySet[Turn]) -> Turn | None:
    """Return the next turn of a reader who holds none."""
    turn = next_training(reader) or next_waiting(reader, own)
    if turn is None and reader.from_pool:
        turn = next_from_pool(reader)
    return turn or next_skipped(own.filter(skips=1))


def hold(turn: Turn) -> Turn:
    """Give a turn to its reader until the lease runs out, and return it as it is now."""
    Turn.objects.filter(pk=turn.pk).update(
        state=TurnState.HELD, claimed_at=Now(), lease_until=Now() + LEASE
    )
    return Turn.objects.select_related("round_item", "round").get(pk=turn.pk)


def new_turn(reader: RoundReader, round_item: RoundItem, **fields: object) -> Turn:
    """Store a first look of a reader at an item."""
    return Turn.objects.create(
        round=reader.round,
        round_item=round_item,
        reader_id=reader.reader_id,
        position=round_item.position,
        **fields,
    )


def next_training(reader: RoundReader) -> Turn | None:
    """Return the next training item: one that waits for this reader, or one never met."""
    if not reader.round.training_size:
        return None
    met = {
        turn.round_item_id: turn
        for turn in Turn.objects.filter(
            round=reader.round, reader=reader.reader_id, round_item__is_training=True
        )
    }
    for round_item in reader.round.items.filter(is_training=True).order_by("position"):
        if round_item.pk not in met:
            return new_turn(reader, round_item)
        if met[round_item.pk].state == TurnState.WAITING:
            return met[round_item.pk]
    return None


def next_waiting(reader: RoundReader, own: QuerySet[Turn]) -> Turn | None:
    """Return a second look that is due, else the next item given to this reader by name."""
    waiting = own.filter(state=TurnState.WAITING)
    votes = reader.done + reader.repeats_done
    due = waiting.filter(repeat__gt=0, due_after__lte=votes).order_by("due_after", "pk")
    return due.first() or waiting.filter(repeat=0).order_by("position").first()


def next_from_pool(reader: RoundReader) -> Turn | None:
    """Take a place of the next item that has room and that this reader has not met.

    Goes on until one is got or none is left: who loses one to somebody else tries the next.
    """
    free = free_for(reader)
    while (first := first_position(reader, free)) is not None:
        for round_item in candidates(reader, free, first):
            if take_room(round_item.pk):
                move_on(reader, first)
                return new_turn(reader, round_item, is_seated=True)
    return None


def move_on(reader: RoundReader, first: int) -> None:
    """Let the next claim begin where this one found something, not pass by all that is done.

    What comes back into the pool behind that place is found when the reader gets round the end.
    """
    is_by_video = reader.round.order == RoundOrder.BY_VIDEO
    start = first if is_by_video else first // BLOCK * BLOCK
    if start != reader.start:
        RoundReader.objects.filter(pk=reader.pk).update(start=start)


def first_position(reader: RoundReader, free: QuerySet[RoundItem]) -> int | None:
    """Return the first free position from where this reader is, round the end."""
    for side in ({"position__gte": reader.start}, {"position__lt": reader.start}):
        found = free.filter(**side).order_by("position").values_list("position", flat=True).first()
        if found is not None:
            return found
    return None


def candidates(reader: RoundReader, free: QuerySet[RoundItem], first: int) -> list[RoundItem]:
    """Return the free items around `first` in this reader's order."""
    if reader.round.order == RoundOrder.BY_VIDEO:
        return list(free.filter(position__gte=first).order_by("position")[:BY_VIDEO_AT_ONCE])
    block = first // BLOCK * BLOCK
    here = list(free.filter(position__gte=block, position__lt=block + BLOCK))
    seed = reader.round.seed
    here.sort(key=lambda one: rank(one.position, seed=seed, reader=reader.reader_id))
    return here


def next_skipped(own: QuerySet[Turn]) -> Turn | None:
    """Return the item skipped longest ago that can still be had."""
    needs_none = Q(is_seated=True) | Q(repeat__gt=0) | Q(round_item__is_training=True)
    there = own.filter(needs_none | Q(round_item__room__gt=0), state=TurnState.SKIPPED)
    for turn in there.select_related("round_item").order_by("skipped_at", "pk"):
        if take_seat(turn):
            return turn
    return None


def take_seat(turn: Turn) -> bool:
    """See to it that a turn fills a place, where it needs one; False where none is left."""
    if turn.is_seated or turn.repeat or turn.round_item.is_training:
        return True
    if not take_room(turn.round_item_id):
        return False
    turn.is_seated = True
    turn.save(update_fields=["is_seated"])
    return True


@transaction.atomic
def hold_item(*, item_id: int, by: User) -> Turn | None:
    """Keep an item that `by` has open for them, or keep it longer; None where it cannot be had.

    It is their turn where they hold it, where it waits for them, where they skipped it, and
    where it still has room. Raises PermissionDenied where `by` may not review.
    """
    require(by, Verb.REVIEW)
    place = open_places(by, item_id).first()
    if place is None:
        return None
    reader = lock_reader(place.round_id, by)
    give_back_expired(reader.round)
    turn = (
        Turn.objects.select_related("round_item")
        .filter(round_item=place, reader=by)
        .order_by("-repeat")
        .first()
    )
    if turn is None:
        if not (place.is_training or (reader.from_pool and take_room(place.pk))):
            return None
        return hold(new_turn(reader, place, is_seated=not place.is_training))
    if turn.state == TurnState.DONE or is_not_yet(turn) or not take_seat(turn):
        return None
    return hold(turn)


def is_not_yet(turn: Turn) -> bool:
    """Say whether a second look has not begun: its time is told by the queue alone."""
    return turn.repeat > 0 and turn.claimed_at is None


@transaction.atomic
def let_go(*, item_id: int, by: User) -> None:
    """End the turn of `by` at an item within GRACE: they have left its page.

    A vote that is still on its way finds its place free or taken; it is stored in any case.
    Raises PermissionDenied where `by` may not review.
    """
    require(by, Verb.REVIEW)
    held = Turn.objects.filter(
        reader=by,
        state=TurnState.HELD,
        round_item__item=item_id,
        round__state=RoundState.OPEN,
    )
    held.update(lease_until=Least(F("lease_until"), Now() + GRACE))
