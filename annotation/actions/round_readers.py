"""Who reads in a round."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from annotation.actions.round_locks import BadRound, lock_round, require_not_closed
from annotation.actions.round_seats import refill
from annotation.actions.trail import record
from annotation.domain.round_order import BLOCK, start_of
from annotation.models import Review, Round, RoundItem, RoundReader, Turn, User
from annotation.models.round import RoundMode, RoundOrder, RoundState
from annotation.models.turn import TurnState
from annotation.permissions import Verb, has_permission
from annotation.queries.standing import fresh

BATCH = 500
MOST_READERS = 200


@transaction.atomic
def add_readers(
    *, round_id: int, reader_ids: Sequence[int], from_pool: bool = True, by: User
) -> list[RoundReader]:
    """Add accounts that may review to a round, and return their rows; who is in it stays.

    With `from_pool` a reader draws from what is free in the round, also one who was in it for
    named items alone. Raises PermissionDenied, Round.DoesNotExist, BadRound.
    """
    round_ = lock_round(round_id, by=by)
    require_not_closed(round_)
    accounts = list(User.objects.filter(pk__in=set(reader_ids)).order_by("pk"))
    if len(accounts) < len(set(reader_ids)) or not all(
        has_permission(account, Verb.REVIEW) for account in accounts
    ):
        raise BadRound({"readers": "an account is unknown or may not review"})
    there = {row.reader_id: row for row in round_.readers.all()}
    if len(there.keys() | {account.pk for account in accounts}) > MOST_READERS:
        raise BadRound({"readers": f"a round has at most {MOST_READERS} readers"})
    if from_pool:
        round_.readers.filter(reader__in=accounts, from_pool=False).update(from_pool=True)
    new = [account for account in accounts if account.pk not in there]
    first = (round_.readers.aggregate(last=Max("ordinal"))["last"] or 0) + bool(there)
    made = [
        RoundReader.objects.create(
            round=round_, reader=account, ordinal=first + place, from_pool=from_pool
        )
        for place, account in enumerate(new)
    ]
    if round_.state == RoundState.OPEN:
        for row in made:
            begin(row)
    if new:
        note_readers(round_, "add_readers", [account.pseudonym for account in new], by)
    return list(round_.readers.filter(reader__in=accounts))


@transaction.atomic
def remove_reader(*, round_id: int, reader_id: int, by: User) -> None:
    """Take a reader out of a round: what they held or were given goes back, votes stay.

    Raises PermissionDenied, Round.DoesNotExist, and BadRound where they are not in it.
    """
    round_ = lock_round(round_id, by=by)
    row = round_.readers.select_for_update(of=("self",)).filter(reader=reader_id).first()
    if row is None:
        raise BadRound({"readers": "no reader of this round"})
    open_turns = Turn.objects.filter(round=round_, reader=reader_id).exclude(state=TurnState.DONE)
    seated = open_turns.filter(is_seated=True).order_by("round_item_id")
    freed = list(seated.values_list("round_item_id", flat=True))
    open_turns.delete()
    for first in range(0, len(freed), BATCH):
        refill(round_, freed[first : first + BATCH])
    row.delete()
    note_readers(round_, "remove_reader", [User.objects.get(pk=reader_id).pseudonym], by)


def begin(reader: RoundReader) -> None:
    """Say where a reader of a round that is open begins, and count what they have judged."""
    round_ = reader.round
    start = start_of(reader.ordinal, size=round_.size, seed=round_.seed)
    if round_.order == RoundOrder.BY_VIDEO:
        start = start_of_video(round_, start)
    else:
        start = start // BLOCK * BLOCK
    reader.start = start
    reader.save(update_fields=["start"])
    if round_.mode == RoundMode.JUDGE and reader.from_pool:
        count_earlier_votes(reader)


def start_of_video(round_: Round, position: int) -> int:
    """Return the first position in the round of the video that the item at `position` is of."""
    here = round_.items.filter(is_training=False, position__lte=position)
    last = here.select_related("item").order_by("-position").first()
    if last is None:
        return 0
    same = round_.items.filter(is_training=False, item__video=last.item.video_id)
    return same.order_by("position").values_list("position", flat=True).first() or 0


def count_earlier_votes(reader: RoundReader) -> None:
    """Count a reader's standing votes on items of the round: they are not asked again."""
    votes = fresh().filter(reviewer=reader.reader_id, item__round_items__round=reader.round_id)
    latest = dict(votes.values_list("item_id", "pk"))
    met = Turn.objects.filter(round=reader.round_id, reader=reader.reader_id)
    places = RoundItem.objects.filter(
        round=reader.round_id, room__gt=0, is_training=False, item__in=votes.values("item_id")
    ).exclude(pk__in=met.values("round_item_id"))
    ids = list(places.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(ids), BATCH):
        batch = RoundItem.objects.select_for_update().filter(
            pk__in=ids[first : first + BATCH], room__gt=0
        )
        seat_votes(reader, list(batch.order_by("pk")), latest)


def seat_votes(reader: RoundReader, places: list[RoundItem], votes: Mapping[int, UUID]) -> None:
    """Store the votes as done turns on `places`, which are locked and have room."""
    reviews = Review.objects.in_bulk([votes[place.item_id] for place in places])
    Turn.objects.bulk_create(
        Turn(
            round_id=reader.round_id,
            round_item=place,
            reader_id=reader.reader_id,
            position=place.position,
            state=TurnState.DONE,
            is_seated=True,
            done_at=timezone.now(),
            review=reviews[votes[place.item_id]],
        )
        for place in places
    )
    RoundItem.objects.filter(pk__in=[place.pk for place in places]).update(room=F("room") - 1)
    reader.done += len(places)
    reader.save(update_fields=["done"])


def note_readers(round_: Round, verb: str, pseudonyms: list[str], by: User) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="round",
        target_id=round_.pk,
        benchmark_id=round_.benchmark_id,
        after={"readers": pseudonyms},
    )
