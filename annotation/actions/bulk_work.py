"""Carries out what was asked of many items: target by target, in batches, each once.

A worker holds an action for a while and renews that with every batch; where it dies, the next
one goes on behind the last target that was written.
"""

from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.actions.bulk import settle_bulk
from annotation.actions.bulk_rounds import assign, withdraw
from annotation.actions.bulk_steps import apply_to, take_back_from
from annotation.actions.bulk_targets import add_items, add_videos, moved_since, tally
from annotation.actions.round_locks import BadRound
from annotation.domain.bulk import OF_VIDEOS
from annotation.models import BulkAction, BulkTarget, User
from annotation.models.bulk import BulkKind, BulkState, Outcome
from annotation.queries.find_filters import found_items

BATCH, COUNTED = 50, 2000
HOLD = timedelta(minutes=1)  # renewed with each batch: so soon another goes on after a crash
LONGEST = 900.0  # seconds of one task; the next sweep goes on
KEPT = timedelta(days=7)  # of what was counted and never applied
AT_WORK = (BulkState.PREPARING, BulkState.RUNNING, BulkState.UNDOING)
NOBODY = "The account that asked for this is gone."


class Lost(Exception):
    """Another worker holds the action now."""


def waiting() -> QuerySet[BulkAction]:
    """Return the actions at which no living worker is."""
    free = Q(held_until__isnull=True) | Q(held_until__lte=timezone.now())
    return BulkAction.objects.filter(free, state__in=AT_WORK).order_by("pk")


def advance_waiting() -> None:
    """Go on with actions whose message to a worker was lost, and forget old counts."""
    for pk in waiting().values_list("pk", flat=True):
        advance(pk)
    old = BulkAction.objects.filter(state=BulkState.READY, made_at__lt=timezone.now() - KEPT)
    old.delete()


def advance(bulk_id: int) -> None:
    """Carry out the step that an action waits for; nothing where another worker has it."""
    until = timezone.now() + HOLD
    if not waiting().filter(pk=bulk_id).update(held_until=until):
        return
    bulk = BulkAction.objects.select_related("benchmark", "by", "undone_by").get(pk=bulk_id)
    step = {BulkState.PREPARING: count, BulkState.RUNNING: apply, BulkState.UNDOING: undo}
    try:
        step[BulkState(bulk.state)](bulk)
    except Lost:
        return
    except (PermissionDenied, BadRound) as error:
        settle_bulk(bulk, BulkState.FAILED, error=str(error))


def renew(bulk: BulkAction) -> None:
    """Hold an action longer. Raises Lost where another worker has taken it."""
    before, bulk.held_until = bulk.held_until, timezone.now() + HOLD
    mine = BulkAction.objects.filter(pk=bulk.pk, held_until=before)
    if not mine.update(held_until=bulk.held_until):
        raise Lost


def actor(user: User | None) -> User:
    if user is None:
        raise PermissionDenied(NOBODY)
    return user


def count(bulk: BulkAction) -> None:
    """Write the targets that a search finds."""
    found = found_items(actor(bulk.by), bulk.benchmark, bulk.wanted)
    ids = sorted(found.values_list("pk", flat=True))
    of_videos = bulk.kind == OF_VIDEOS
    moved = moved_since(bulk, "video" if of_videos else "item")
    add = add_videos if of_videos else add_items
    for start in range(0, len(ids), COUNTED):
        with transaction.atomic():
            renew(bulk)
            add(bulk, ids[start : start + COUNTED], moved=moved)
    settle_bulk(bulk, BulkState.READY)


def apply(bulk: BulkAction) -> None:
    by = actor(bulk.by)
    if bulk.kind == BulkKind.ASSIGN:
        assign(bulk, by=by)
    elif work(bulk, Outcome.WAITING, lambda target: apply_to(bulk, target, by=by)):
        settle_bulk(bulk, BulkState.DONE)


def undo(bulk: BulkAction) -> None:
    by = actor(bulk.undone_by)
    if bulk.kind == BulkKind.ASSIGN:
        withdraw(bulk, by=by)
    elif work(bulk, Outcome.DONE, lambda target: take_back_from(bulk, target, by=by)):
        settle_bulk(bulk, BulkState.UNDONE)


def work(bulk: BulkAction, outcome: str, act: Callable[[BulkTarget], None]) -> bool:
    """Do one thing to all targets of an outcome; False where the time is up before that."""
    began = monotonic()
    while True:
        with transaction.atomic():
            renew(bulk)
            targets = bulk.targets.filter(outcome=outcome).order_by("pk")
            batch = list(targets.select_related("item")[:BATCH])
            for target in batch:
                act(target)
            BulkTarget.objects.bulk_update(batch, ["outcome", "revision_id", "note"])
        if len(batch) < BATCH:
            return True
        bulk.tally = tally(bulk)
        BulkAction.objects.filter(pk=bulk.pk).update(tally=bulk.tally)
        if monotonic() - began > LONGEST:
            BulkAction.objects.filter(pk=bulk.pk).update(held_until=None)
            return False
