"""What the database refuses for good: the run pauses and says why, instead of asking on and on."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError

from evaluation.domain.database_faults import Fault
from evaluation.engine import trouble
from evaluation.engine.stopping import pause_for

log = logging.getLogger(__name__)
LONGEST = 160  # characters of what the database said, so that the advice fits behind it


def fault_of(error: Error) -> Fault:
    """Return what the driver said."""
    cause = error.__cause__
    return Fault(
        message=f"{error}",
        state=getattr(cause, "sqlstate", None) or "",
        sqlite=getattr(cause, "sqlite_errorname", None) or "",
        of_connection=isinstance(error, OperationalError | InterfaceError),
    )


def stop_for(run_id: int, error: Error) -> None:
    """Pause a run that the database refuses to go on with. Where it cannot be paused either, the
    log and the run's page say so, and the next sweep tries again."""
    fault = fault_of(error)
    said = (fault.message.strip().splitlines() or [type(error).__name__])[0][:LONGEST].rstrip(".")
    reason = f"The database refuses: {said}. {fault.advice}"
    log.error("run %s: %s", run_id, reason)
    paused = False
    try:
        paused = pause_for(run_id, reason)
    except Error as second:
        log.error("run %s: it cannot be paused either: %s", run_id, second)
    if not paused:
        trouble.tell(run_id, said, life=max(trouble.LIFE, 2 * settings.SWEEP_SECONDS))


@contextmanager
def stopping_for(run_id: int) -> Iterator[None]:
    """End what is done for a run where the database refuses it for good, and pause the run.

    Raises faults that pass by themselves.
    """
    try:
        yield
    except Error as error:
        if fault_of(error).passes:
            raise
        stop_for(run_id, error)
