"""The sweep: gives back work whose holder died, tops up pumps, settles what has ended.

Any number of sweeps may run at once; each change is a conditional update.
"""

import logging

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import batch_ledger, finish, intents, places, refusals, statements, wake
from evaluation.models import Run, WorkItem
from evaluation.models.run import CallState, RunState, WorkState
from evaluation.panels import refresh_rejudged
from sonovqa.adapters.errors import ErrorClass

log = logging.getLogger(__name__)
LOST_ALLOWED = 8  # an item in flight in so many dying workers is what kills them
ALIVE = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING)


def sweep() -> None:
    """Look after every run that is under way, then compute the entries, panels and audits that
    a crash left out."""
    for run_id in Run.objects.filter(state__in=ALIVE).values_list("pk", flat=True):
        with refusals.stopping_for(run_id):
            sweep_run(run_id)
    finish.compute_missing_entries()
    refresh_rejudged()


def sweep_run(run_id: int) -> None:
    """Look after one run."""
    reclaim(run_id)
    finish.settle(run_id)
    run = Run.objects.select_related("contestant__provider").get(pk=run_id)
    if run.parameters.get("batch") and batch_ledger.is_due(run_id, run.state):
        wake.wake_batches(run_id)
    if run.state not in (RunState.QUEUED, RunState.RUNNING):
        return
    missing = places.wanted(run.contestant.provider.max_in_flight) - places.live(run_id)
    if missing > 0:
        wake.wake_pumps(run, missing=missing)


@transaction.atomic
def reclaim(run_id: int) -> int:
    """Take back work items whose lease ran out by the database's clock; return how many.

    The call that was under way counts as lost, at the most that it may have cost. With the
    strict policy its item becomes unknown; else it waits again, unless it was lost too often.
    A worker that was only slow, or cut off from the database, still brings its reply.
    """
    strict = Run.objects.values_list("strict", flat=True).get(pk=run_id)
    run = statements.lock(run_id)
    expired = list(
        WorkItem.objects.filter(run=run_id, state=WorkState.CLAIMED, lease_until__lt=Now())
    )
    if not expired:
        return 0
    intents.lose(run, expired)
    for item in expired:
        if strict and item.stage != "clip":
            _put(
                item,
                WorkState.UNKNOWN,
                ErrorClass.LOST,
                "The worker died while the call was under way.",
            )
        elif item.calls.filter(state=CallState.LOST).count() >= LOST_ALLOWED:
            _put(
                item, WorkState.FAILED, ErrorClass.LOST, f"Lost with {LOST_ALLOWED} dying workers."
            )
        else:
            # The token stays: until somebody else claims the item, a late reply is still taken.
            WorkItem.objects.filter(pk=item.pk).update(state=WorkState.WAITING, lease_until=None)
    log.info("run %s: %s work items of dead workers taken back", run_id, len(expired))
    return len(expired)


def _put(item: WorkItem, state: str, error_class: str, message: str) -> None:
    """Close an item. The token stays, so that a strict run still takes a late result."""
    WorkItem.objects.filter(pk=item.pk).update(
        state=state,
        error_class=error_class,
        error_message=message,
        lease_until=None,
        finished_at=timezone.now(),
    )
