"""Which items a round has, and with which of them its readers train."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.db import transaction
from django.db.models import Max, QuerySet

from annotation.actions.round_locks import BadRound, lock_round, require_draft
from annotation.actions.trail import record
from annotation.domain.edits import is_clean
from annotation.domain.round_order import shuffled
from annotation.models import Item, Round, RoundItem, User
from annotation.models.review import Verdict
from annotation.models.round import RoundOrder
from annotation.queries.narrow import IN_ORDER

BATCH = 2_000
MOST_ITEMS = 300_000
MOST_TRAINING = 100
TEXT_LIMIT = 4_000


@transaction.atomic
def choose_items(*, round_id: int, items: QuerySet[Item], by: User) -> Round:
    """Make `items` of the round's benchmark the items of a draft, in the order of its seed.

    Training items stay what they are. Raises PermissionDenied, Round.DoesNotExist, and BadRound
    where the round is no draft, no item was chosen or more than MOST_ITEMS were.
    """
    round_ = lock_round(round_id, by=by)
    require_draft(round_, "items are chosen")
    training = round_.items.filter(is_training=True).values("item_id")
    chosen = items.filter(benchmark=round_.benchmark, current__isnull=False)
    ordered = chosen.exclude(pk__in=training).order_by(*IN_ORDER)
    ids: Sequence[int] = list(ordered.values_list("pk", flat=True)[: MOST_ITEMS + 1])
    if not 0 < len(ids) <= MOST_ITEMS:
        raise BadRound({"items": f"choose from 1 to {MOST_ITEMS:,} items"})
    round_.items.filter(is_training=False).delete()
    put_in(round_, ids, first=0)
    round_.size = len(ids)
    round_.save(update_fields=["size"])
    note_items(round_, "choose_items", {"items": len(ids)}, by)
    return round_


def put_in(round_: Round, ids: Sequence[int], *, first: int, assignment: int | None = None) -> None:
    """Store items of a round at the positions from `first`; in batches."""
    if round_.order == RoundOrder.SHUFFLED:
        ids = shuffled(ids, seed=round_.seed + first)
    rows: Iterator[RoundItem] = (
        RoundItem(
            round=round_,
            item_id=pk,
            position=first + place,
            room=round_.votes_wanted,
            assignment=assignment,
        )
        for place, pk in enumerate(ids)
    )
    while batch := list(islice(rows, BATCH)):
        RoundItem.objects.bulk_create(batch)


def next_position(round_: Round) -> int:
    """Return the first position after the round's items."""
    last = round_.items.filter(is_training=False).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


@transaction.atomic
def set_training(
    *,
    round_id: int,
    item_id: int,
    expected_verdict: str,
    expected_answer: str = "",
    feedback: str = "",
    by: User,
) -> RoundItem:
    """Let the readers of a draft train with an item first; what is expected is told after.

    An item of the round becomes a training item; one that is it already is written anew.
    Raises PermissionDenied, Round.DoesNotExist, Item.DoesNotExist, BadRound.
    """
    round_ = lock_round(round_id, by=by)
    require_draft(round_, "training items are chosen")
    item = Item.objects.get(pk=item_id, benchmark=round_.benchmark, current__isnull=False)
    check_training(expected_verdict, expected_answer, feedback)
    there = round_.items.filter(item=item).first()
    if not (there and there.is_training) and round_.training_size >= MOST_TRAINING:
        raise BadRound({"item": f"a round has at most {MOST_TRAINING} training items"})
    position = round_.training_size
    if there:
        position = there.position if there.is_training else position
        there.delete()
    made = RoundItem.objects.create(
        round=round_,
        item=item,
        position=position,
        is_training=True,
        expected_verdict=expected_verdict,
        expected_answer=expected_answer,
        feedback=feedback,
    )
    count_items(round_)
    note_items(round_, "set_training", {"item": item.pk, "expected": expected_verdict}, by)
    return made


def check_training(verdict: str, answer: str, feedback: str) -> None:
    errors = {}
    if verdict not in (Verdict.KEEP, Verdict.DROP, Verdict.UNSURE):
        errors["expected_verdict"] = "must be keep, drop or unsure"
    for name, value in (("expected_answer", answer), ("feedback", feedback)):
        if not is_clean(value, TEXT_LIMIT):
            errors[name] = f"must be text of at most {TEXT_LIMIT} characters"
    if errors:
        raise BadRound(errors)


@transaction.atomic
def remove_training(*, round_id: int, item_id: int, by: User) -> None:
    """Take a training item out of a draft. Taking it out twice changes nothing.

    Raises PermissionDenied, Round.DoesNotExist, BadRound.
    """
    round_ = lock_round(round_id, by=by)
    require_draft(round_, "training items are chosen")
    gone, _ = round_.items.filter(item=item_id, is_training=True).delete()
    if gone:
        count_items(round_)
        note_items(round_, "remove_training", {"item": item_id}, by)


def count_items(round_: Round) -> None:
    """Write how many items of either sort the round has."""
    round_.size = round_.items.filter(is_training=False).count()
    round_.training_size = round_.items.filter(is_training=True).count()
    round_.save(update_fields=["size", "training_size"])


def note_items(round_: Round, verb: str, after: dict[str, object], by: User) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="round",
        target_id=round_.pk,
        benchmark_id=round_.benchmark_id,
        after=after,
    )


def batches(ids: Iterable[int], size: int = BATCH) -> Iterator[list[int]]:
    """Yield the ids in order, `size` at a time."""
    rest = iter(ids)
    while batch := list(islice(rest, size)):
        yield batch
