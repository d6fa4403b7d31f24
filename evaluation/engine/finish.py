"""Settles runs: the last item done, a cancelled run come to rest, the entry computed."""

import logging

from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from evaluation.actions.entries import EntryRefused, publish_entry
from evaluation.engine import places, reading, refusals
from evaluation.engine.plan import load_plan
from evaluation.leaderboard import compute_entry
from evaluation.models import Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Origin, RunState, WorkState
from evaluation.panels import refresh_rejudged
from evaluation.readers import readers_done

log = logging.getLogger(__name__)


def settle(run_id: int) -> bool:
    """Settle the run if nothing of it is left to do; say whether this call settled it.

    Replies that a dead worker left unread are read first. The entry is computed after the
    commit; a crash in between is made good by the next sweep.
    """
    run = Run.objects.get(pk=run_id)
    if run.state not in (RunState.RUNNING, RunState.CANCELLING):
        return False
    _read_left_overs(run)
    if not _close(run_id):
        return False
    finish_entry(Run.objects.get(pk=run_id))
    return True


def finish_entry(run: Run) -> None:
    """Compute the entry of a run that is done, and publish it where its starter asked so.

    A run that judges another again has none; what rests on its verdicts is computed anew.
    """
    if run.state != RunState.DONE or run.origin == Origin.ATTACK:
        return
    if run.rejudges_id:
        refresh_rejudged()
    else:
        _enter(run)


@transaction.atomic
def _enter(run: Run) -> None:
    """Compute, publish and pool, all of it or nothing: a worker that dies halfway leaves the run
    without an entry, and the sweep finds it."""
    entry = compute_entry(run)
    if run.publish_when_done and entry.published_at is None:
        try:
            publish_entry(entry=entry, by=run.started_by or SYSTEM)
        except EntryRefused as error:
            log.warning("run %s: not published: %s", run.pk, error)
    if run.origin == Origin.READERS:
        readers_done(run)


def compute_missing_entries() -> None:
    """Compute the entries of runs whose worker died between the last commit and the entry."""
    left_out = Run.objects.filter(
        state=RunState.DONE,
        origin__in=(Origin.ENGINE, Origin.SUBMISSION, Origin.READERS),
        entries__isnull=True,
        work_items__isnull=False,
    ).distinct()
    for run in left_out[:20]:
        with refusals.stopping_for(run.pk):
            finish_entry(run)


def _read_left_overs(run: Run) -> None:
    if places.live(run.pk):
        return  # the pump reads them itself
    plan = load_plan(run.pk)
    while unread := reading.unread_of(plan):
        with transaction.atomic():
            Run.objects.select_for_update().get(pk=run.pk)
            reading.read(plan, unread)


@transaction.atomic
def _close(run_id: int) -> bool:
    run = Run.objects.select_for_update().get(pk=run_id)
    items = WorkItem.objects.filter(run=run_id)
    if items.filter(state=WorkState.CLAIMED).exists():
        return False
    if Prediction.objects.filter(run=run_id, outcome=Outcome.PENDING).exists():
        return False
    if reading.unread_judgements(run).exists():
        return False  # a pump that lives reads them in its next turn
    if run.state == RunState.CANCELLING:
        state, reason = RunState.CANCELLED, run.state_reason
    elif run.state != RunState.RUNNING or items.filter(state=WorkState.WAITING).exists():
        return False
    elif _brought_something(run) or not items.exists():
        state, reason = RunState.DONE, _summary(run_id)
    else:
        state, reason = RunState.FAILED, _summary(run_id)
    before = run.state
    run.state, run.state_reason, run.finished_at = state, reason[:300], timezone.now()
    run.save(update_fields=["state", "state_reason", "finished_at"])
    record(
        by=SYSTEM,
        verb="settle_run",
        target_kind="run",
        target_id=run_id,
        benchmark_id=run.benchmark_id,
        before={"state": before},
        after={"state": state},
        reason=reason,
    )
    return True


def _brought_something(run: Run) -> bool:
    return (run.verdicts if run.rejudges_id else run.predictions).exists()


def _summary(run_id: int) -> str:
    left = WorkItem.objects.filter(
        run=run_id, state__in=[WorkState.FAILED, WorkState.UNKNOWN]
    ).count()
    if not left:
        return "Every item is answered."
    return f"{left} steps failed; they are listed, have no score and can be retried."
