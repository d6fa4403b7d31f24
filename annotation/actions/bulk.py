"""Asks for something to be done to many items at once, applies it, takes it back as one.

Each step is asked for here and carried out by `annotation.actions.bulk_work`: at once where the
items are few, else by a worker, in batches. The targets are the ledger of the work.
"""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.bulk_targets import add_items, add_videos, tally
from annotation.actions.trail import record
from annotation.domain.bulk import OF_VIDEOS, VALUE_LIMIT, WORDS_LIMIT, faults
from annotation.domain.edits import is_clean
from annotation.models import Benchmark, BulkAction, Item, Round, User
from annotation.models.bulk import BulkKind, BulkState
from annotation.models.round import RoundState
from annotation.permissions import Verb, require

AT_ONCE = 100  # targets; more are a worker's
MOST_PICKED = 500  # items picked one by one


class BadBulk(ValueError):
    """Nothing can be done like this; the message says why, in one sentence."""


@transaction.atomic
def ask_bulk(
    *,
    benchmark: Benchmark,
    kind: str,
    words: str,
    value: str = "",
    readers: list[int] | None = None,
    seen: int,
    picked: list[int] | None = None,
    query: str = "",
    wanted: dict[str, Any] | None = None,
    by: User,
) -> BulkAction:
    """Store what is to be done to the items `picked`, or to all that `wanted` (a checked
    FindForm, and its address `query`) lets through. Nothing is changed yet.

    Picked items are counted at once; what a search finds waits for `bulk_work.advance`.
    `seen` is the newest revision when the list was read; `value` and `readers` as in
    BulkAction. Raises PermissionDenied, BadBulk.
    """
    require(by, Verb.ADJUDICATE)
    check(kind, words, value)
    if kind == BulkKind.ASSIGN:
        check_round(benchmark, value, readers or [])
    made = BulkAction(
        benchmark=benchmark,
        by=by,
        kind=kind,
        words=words.strip(),
        value=value.strip(),
        readers=readers or [],
        seen=seen,
    )
    if picked is None:
        made.query, made.wanted = query, wanted or {}
        made.save()
        return made
    items = Item.objects.filter(benchmark=benchmark, pk__in=picked, current__isnull=False)
    ids = sorted(items.values_list("pk", flat=True)) if len(picked) <= MOST_PICKED else []
    if not ids:
        raise BadBulk(f"Select 1 to {MOST_PICKED} items, or all that match.")
    made.save()
    (add_videos if kind == OF_VIDEOS else add_items)(made, ids)
    made.state, made.tally = BulkState.READY, tally(made)
    made.save(update_fields=["state", "tally"])
    return made


def check(kind: str, words: str, value: str) -> None:
    if kind not in BulkKind.values:
        raise BadBulk("Choose what to do.")
    if not is_clean(words, WORDS_LIMIT) or not is_clean(value, VALUE_LIMIT):
        raise BadBulk("A text is too long, or holds signs that cannot be stored.")
    for fault in faults(kind, words, value):
        raise BadBulk(fault)


def check_round(benchmark: Benchmark, value: str, readers: list[int]) -> None:
    rounds = Round.objects.filter(benchmark=benchmark).exclude(state=RoundState.CLOSED)
    if not (value.isascii() and value.isdecimal()) or not rounds.filter(pk=int(value)).exists():
        raise BadBulk("Say which round; a closed one takes no items.")
    if not readers or User.objects.filter(pk__in=readers).count() < len(set(readers)):
        raise BadBulk("Say which readers are given them.")


@transaction.atomic
def apply_bulk(*, bulk_id: int, by: User) -> BulkAction:
    """Have a counted action applied. Raises PermissionDenied, BulkAction.DoesNotExist where it
    is nobody's or another's, BadBulk where it is not waiting for that."""
    require(by, Verb.ADJUDICATE)
    found = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id, by=by)
    if found.state != BulkState.READY:
        raise BadBulk("This was applied already, or is not counted yet.")
    found.state = BulkState.RUNNING
    found.save(update_fields=["state"])
    note("bulk_apply", found, by)
    return found


@transaction.atomic
def undo_bulk(*, bulk_id: int, by: User) -> BulkAction:
    """Have an applied action taken back as one: items touched since are left as they are.

    Any adjudicator may. Raises PermissionDenied, BulkAction.DoesNotExist, BadBulk.
    """
    require(by, Verb.ADJUDICATE)
    found = BulkAction.objects.select_for_update(of=("self",)).get(pk=bulk_id)
    if found.state not in (BulkState.DONE, BulkState.FAILED):
        raise BadBulk("Only what was applied can be taken back, and once.")
    found.state, found.undone_by = BulkState.UNDOING, by
    found.save(update_fields=["state", "undone_by"])
    note("bulk_undo", found, by)
    return found


def note(verb: str, bulk: BulkAction, by: User) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="bulk",
        target_id=bulk.pk,
        benchmark_id=bulk.benchmark_id,
        after={"kind": bulk.kind, "value": bulk.value, "query": bulk.query, "tally": bulk.tally},
        reason=bulk.words,
    )


def settle_bulk(bulk: BulkAction, state: str, *, error: str = "") -> None:
    """Write how a step ended, with the tally as it is then."""
    bulk.state, bulk.tally, bulk.error = state, tally(bulk), error[:500]
    bulk.finished_at, bulk.held_until = timezone.now(), None
    bulk.save(update_fields=["state", "tally", "error", "finished_at", "held_until"])
