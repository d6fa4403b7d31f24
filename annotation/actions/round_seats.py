"""Places of a round's items: taken one by one, given back exactly.

`RoundItem.room` is only ever changed here and where a round's number of votes is. Taking is a
conditional update, so that of many readers at once exactly as many get an item as it has room.
"""

from collections.abc import Iterable
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from annotation.models import Round, RoundItem, Turn
from annotation.models.turn import TurnState

LEASE = timedelta(minutes=10)
AT_ONCE = 500  # turns that ran out and are given back by one claim


def take_room(round_item_id: int) -> bool:
    """Take one place of an item; False where there is none left."""
    free = RoundItem.objects.filter(pk=round_item_id, room__gt=0)
    return free.update(room=F("room") - 1) == 1


def refill(round_: Round, round_item_ids: Iterable[int]) -> None:
    """Write the room of items anew from who is on them. Locks them, in order.

    Counted after the lock, in a statement of its own: a reader who took a place meanwhile is
    seen.
    """
    ids = sorted(set(round_item_ids))
    rows = list(RoundItem.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
    seated = Turn.objects.filter(round_item__in=ids, is_seated=True)
    taken: dict[int, int] = dict.fromkeys(ids, 0)
    for pk in seated.values_list("round_item_id", flat=True):
        taken[pk] += 1
    for row in rows:
        row.room = 0 if row.is_training else max(0, round_.votes_wanted - taken[row.pk])
    RoundItem.objects.bulk_update(rows, ["room"])


def give_back_expired(round_: Round) -> None:
    """End the turns whose lease has run out, by the clock of the database.

    What was drawn from the pool goes back into it; what was given by name, training and second
    looks wait for their reader; what had been skipped before is skipped again. Turns that
    somebody else is ending right now are left to them.
    """
    over = Turn.objects.filter(round=round_, state=TurnState.HELD, lease_until__lt=Now())
    turns = list(
        over.select_related("round_item")
        .select_for_update(skip_locked=True, of=("self",))
        .order_by("pk")[:AT_ONCE]
    )
    if not turns:
        return
    skipped = [turn.pk for turn in turns if turn.skipped_at]
    pool = [turn for turn in turns if turn.pk not in set(skipped) and is_from_pool(turn)]
    waiting = {turn.pk for turn in turns} - {turn.pk for turn in pool} - set(skipped)
    freed = [turn.round_item_id for turn in turns if turn.is_seated and not turn.is_named]
    Turn.objects.filter(pk__in=[turn.pk for turn in pool]).delete()
    Turn.objects.filter(pk__in=waiting).update(state=TurnState.WAITING, lease_until=None)
    put_aside = Turn.objects.filter(pk__in=skipped)
    put_aside.update(state=TurnState.SKIPPED, lease_until=None, is_seated=F("is_named"))
    if freed:
        refill(round_, freed)


def is_from_pool(turn: Turn) -> bool:
    """Say whether a turn ends without a trace: nobody gave it to its reader by name."""
    return not (turn.is_named or turn.repeat or turn.round_item.is_training)
