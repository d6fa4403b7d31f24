"""State changes that the engine itself makes: a run begins to work, a run must wait."""

import logging

from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from evaluation.models import Run
from evaluation.models.run import RunState

log = logging.getLogger(__name__)


@transaction.atomic
def start_running(run_id: int) -> bool:
    """Move a queued run to running; False where it is not queued any more."""
    moved = Run.objects.filter(pk=run_id, state=RunState.QUEUED).update(
        state=RunState.RUNNING, state_reason=""
    )
    if moved:
        Run.objects.filter(pk=run_id, started_at__isnull=True).update(started_at=timezone.now())
        _record(run_id, "begin_run", RunState.QUEUED, RunState.RUNNING, "")
    return bool(moved)


@transaction.atomic
def pause_for(run_id: int, reason: str) -> bool:
    """Pause a run for a reason that a person has to look at; False where it does not run."""
    moved = Run.objects.filter(pk=run_id, state__in=[RunState.RUNNING, RunState.QUEUED]).update(
        state=RunState.PAUSED, state_reason=reason[:300]
    )
    if moved:
        log.warning("run %s pauses: %s", run_id, reason)
        _record(run_id, "pause_run", RunState.RUNNING, RunState.PAUSED, reason)
    return bool(moved)


def _record(run_id: int, verb: str, before: str, after: str, reason: str) -> None:
    record(
        by=SYSTEM,
        verb=verb,
        target_kind="run",
        target_id=run_id,
        benchmark_id=Run.objects.values_list("benchmark_id", flat=True).get(pk=run_id),
        before={"state": before},
        after={"state": after},
        reason=reason,
    )
