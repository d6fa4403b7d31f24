"""Gives items to named readers of a round, and takes them back."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F

from annotation.actions.round_items import batches, next_position, put_in
from annotation.actions.round_locks import BadRound, lock_round, require_not_closed
from annotation.actions.round_readers import add_readers
from annotation.actions.round_seats import refill
from annotation.actions.trail import record
from annotation.domain.round_order import rank
from annotation.models import Item, Revision, Round, RoundItem, RoundReader, Turn, User
from annotation.models.round import RoundOrder
from annotation.models.turn import TurnState
from annotation.permissions import Verb, require
from annotation.queries.standing import fresh

BATCH = 500
MOST_ASSIGNED = 100_000
VERB = "assign_items"


@transaction.atomic
def assign_items(
    *, round_id: int, item_ids: Sequence[int], reader_ids: Sequence[int], by: User
) -> Revision:
    """Give items to readers by name and return the revision; `withdraw_items` takes it back.

    Each item goes to as many of the readers as it still has room for, in turn, so that they
    get about equally many; who has had it already is passed over. Items that are not in the
    round yet are put at its end. Readers who are not in it are added, for named items alone.
    The revision's `after` counts `turns`, items `new` to the round, and items `full`, for which
    nobody had a place.

    Raises PermissionDenied, Round.DoesNotExist, and BadRound for a closed round, ids of other
    benchmarks, accounts that may not review, no readers, or more than MOST_ASSIGNED items.
    """
    round_ = lock_round(round_id, by=by)
    require_not_closed(round_)
    wanted = list(dict.fromkeys(item_ids))
    if not 0 < len(wanted) <= MOST_ASSIGNED or not reader_ids:
        raise BadRound({"items": f"give from 1 to {MOST_ASSIGNED:,} items to at least one reader"})
    require_of_benchmark(round_, wanted)
    add_readers(round_id=round_id, reader_ids=reader_ids, from_pool=False, by=by)
    revision = record(
        by=by,
        verb=VERB,
        target_kind="round",
        target_id=round_.pk,
        benchmark_id=round_.benchmark_id,
    )
    new = put_in_missing(round_, wanted, revision)
    rows = round_.readers.select_for_update(of=("self",)).filter(reader__in=reader_ids)
    readers = list(rows.order_by("pk"))
    counts = {"turns": 0, "new": new, "full": 0, "items": len(wanted)}
    for batch in batches(wanted, BATCH):
        give(round_, batch, readers, revision, counts)
    revision.after = counts
    revision.save(update_fields=["after"])
    return revision


def require_of_benchmark(round_: Round, ids: list[int]) -> None:
    found = 0
    for batch in batches(ids, BATCH):
        found += Item.objects.filter(
            pk__in=batch, benchmark=round_.benchmark_id, current__isnull=False
        ).count()
    if found < len(ids):
        raise BadRound({"items": f"{len(ids) - found} of them are not items of this benchmark"})


def put_in_missing(round_: Round, ids: list[int], revision: Revision) -> int:
    """Put items into the round that are not in it; return how many."""
    there: set[int] = set()
    for batch in batches(ids, BATCH):
        there.update(round_.items.filter(item__in=batch).values_list("item_id", flat=True))
    missing = [pk for pk in ids if pk not in there]
    if missing:
        put_in(round_, missing, first=next_position(round_), assignment=revision.pk)
        Round.objects.filter(pk=round_.pk).update(size=F("size") + len(missing))
    return len(missing)


def give(
    round_: Round,
    ids: list[int],
    readers: list[RoundReader],
    revision: Revision,
    counts: dict[str, int],
) -> None:
    """Give one batch of items; `counts` goes on over the batches."""
    rows = round_.items.select_for_update(of=("self",)).filter(item__in=ids, is_training=False)
    places = list(rows.order_by("pk"))
    met = had_already(places, ids, readers)
    turns: list[Turn] = []
    for place in places:
        first = counts["turns"] + len(turns)
        in_turn = [readers[(first + step) % len(readers)] for step in range(len(readers))]
        may = [one for one in in_turn if (place.item_id, one.reader_id) not in met]
        given = may[: place.room]
        turns += [named_turn(round_, place, reader, revision) for reader in given]
        counts["full"] += not given
        place.room -= len(given)
    Turn.objects.bulk_create(turns)
    RoundItem.objects.bulk_update(places, ["room"])
    counts["turns"] += len(turns)


def had_already(
    places: list[RoundItem], ids: list[int], readers: list[RoundReader]
) -> set[tuple[int, int]]:
    """Return items and readers of which the reader has met or judged the item."""
    who = [reader.reader_id for reader in readers]
    turns = Turn.objects.filter(round_item__in=places, reader__in=who)
    votes = fresh().filter(item__in=ids, reviewer__in=who).order_by()
    return {
        *turns.values_list("round_item__item_id", "reader_id"),
        *votes.values_list("item_id", "reviewer_id"),
    }


def named_turn(round_: Round, place: RoundItem, reader: RoundReader, revision: Revision) -> Turn:
    position = place.position
    if round_.order == RoundOrder.SHUFFLED:
        position = rank(place.position, seed=round_.seed, reader=reader.reader_id)
    return Turn(
        round=round_,
        round_item=place,
        reader_id=reader.reader_id,
        is_named=True,
        is_seated=True,
        position=position,
        assignment=revision.pk,
    )


@transaction.atomic
def withdraw_items(*, revision_id: int, by: User) -> int:
    """Take an assignment back and return how many turns that ends.

    What its readers hold or have voted on stays. Items that it brought into the round go out
    of it unless somebody is on them. Withdrawing twice changes nothing.

    Raises PermissionDenied, and Revision.DoesNotExist where there is no such assignment.
    """
    require(by, Verb.ADJUDICATE)
    given = Revision.objects.get(pk=revision_id, verb=VERB, target_kind="round")
    round_ = lock_round(given.target_id, by=by)
    list(round_.readers.select_for_update(of=("self",)).order_by("pk"))
    open_turns = Turn.objects.filter(
        assignment=given.pk, state__in=(TurnState.WAITING, TurnState.SKIPPED)
    )
    freed = list(open_turns.order_by("round_item_id").values_list("round_item_id", flat=True))
    open_turns.delete()
    for batch in batches(freed, BATCH):
        refill(round_, batch)
    brought = round_.items.filter(assignment=given.pk, turns__isnull=True)
    gone = brought.count()
    RoundItem.objects.filter(pk__in=brought.values("pk")).delete()
    if gone:
        Round.objects.filter(pk=round_.pk).update(size=F("size") - gone)
    if freed or gone:
        record(
            by=by,
            verb="withdraw_items",
            target_kind="round",
            target_id=round_.pk,
            benchmark_id=round_.benchmark_id,
            after={"revision": given.pk, "turns": len(freed), "items": gone},
        )
    return len(freed)
