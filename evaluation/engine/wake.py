"""Messages to the workers. They only wake: lose them all and the next sweep sends new ones."""

import logging

from django.db import transaction
from kombu.exceptions import OperationalError

from evaluation.engine.places import wanted
from evaluation.models import Run
from sonovqa.celery import app

log = logging.getLogger(__name__)
PUMP_TASK = "evaluation.pump"
BATCH_TASK = "evaluation.batches"
MESSAGE_LIFE = 30  # seconds; a sweep sends another one


def wake_pumps(run: Run, *, missing: int | None = None) -> None:
    """Ask for as many pumps as the run lacks, when the present transaction has committed."""
    count = wanted(run.contestant.provider.max_in_flight) if missing is None else missing
    transaction.on_commit(lambda: _send(run.pk, count))


def wake_batches(run_id: int) -> None:
    """Ask that a run's batch jobs be looked after, when the transaction has committed."""
    transaction.on_commit(lambda: _send(run_id, 1, BATCH_TASK))


def _send(run_id: int, count: int, task: str = PUMP_TASK) -> None:
    for _ in range(count):
        try:
            app.send_task(task, args=[run_id], expires=MESSAGE_LIFE, retry=False)
        except (OperationalError, OSError) as error:
            log.warning("run %s: no broker (%s); the next sweep wakes it", run_id, error)
            return
