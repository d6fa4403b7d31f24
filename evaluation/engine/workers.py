"""Which workers are alive, which are silent, and which runs stand still."""

import logging
import os
import socket
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import Error, connections
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now

from evaluation.engine.clock import from_now
from evaluation.models import BatchJob, PumpLease, Run, WorkerBeat
from evaluation.models.batch import BatchState
from evaluation.models.run import RunState
from sonovqa.celery import app

log = logging.getLogger(__name__)
BEAT = 15.0  # seconds between two signs of life
DEAD_AFTER = 60.0  # seconds without one
SILENT_AFTER = 300.0  # seconds in which a living worker took up no canary
FORGOTTEN_AFTER = 86_400.0
STUCK_AFTER = 600.0  # seconds in which a run neither began nor ended a call
QUEUES = ("celery", "runs")
CANARY_TASK = "evaluation.canary"
CANARY_LIFE = 120  # seconds
_stopped = threading.Event()


def begin_beating(name: str, queue: str) -> threading.Thread:
    """Give signs of life from this process until `stop_beating`."""
    _stopped.clear()
    thread = threading.Thread(target=_beat_on, args=(name, queue), name="beat", daemon=True)
    thread.start()
    return thread


def stop_beating(name: str) -> None:
    """Say that this worker has ended by itself."""
    _stopped.set()
    WorkerBeat.objects.filter(name=name).delete()


def _beat_on(name: str, queue: str) -> None:
    while True:
        try:
            beat(name, queue)
        except Error as error:
            log.warning("no sign of life written: %s", error)
        connections.close_all()
        if _stopped.wait(BEAT):
            return


def beat(name: str, queue: str) -> None:
    """Write down that the worker `name` lives."""
    process = f"{socket.gethostname()}:{os.getpid()}"[:120]
    fields = {"process": process, "queue": queue[:32], "beat_at": Now()}
    if not WorkerBeat.objects.filter(name=name[:200], process=process).update(**fields):
        WorkerBeat.objects.update_or_create(
            name=name[:200], defaults=fields | {"started_at": Now(), "canary_at": None}
        )


def note_canary(name: str) -> None:
    """Write down that the worker `name` took up a task just now."""
    WorkerBeat.objects.filter(name=name[:200]).update(canary_at=Now())


def send_canaries() -> int:
    """Send each queue as many canaries as it has living workers; return how many. Forget
    workers of days ago."""
    WorkerBeat.objects.filter(beat_at__lt=from_now(-FORGOTTEN_AFTER)).delete()
    alive = _alive().values_list("queue", flat=True)
    count = 0
    for queue in QUEUES:
        for _ in range(max(1, list(alive).count(queue))):
            app.send_task(CANARY_TASK, queue=queue, expires=CANARY_LIFE, retry=False)
            count += 1
    return count


@dataclass(frozen=True)
class Crew:
    """The names of the workers that are alive, of those among them that take up nothing, and
    of those that have given no sign of life for a minute."""

    alive: list[str]
    silent: list[str]
    dead: list[str]


def crew() -> Crew:
    """Return how the workers fare. Three queries."""
    pumping = PumpLease.objects.filter(lease_until__gt=Now()).values("worker")
    heard = Coalesce("canary_at", "started_at")
    quiet = _alive().annotate(heard=heard).filter(heard__lt=from_now(-SILENT_AFTER))
    silent = quiet.exclude(process__in=pumping)
    alive = list(_alive().values_list("name", flat=True))
    dead = WorkerBeat.objects.exclude(name__in=alive).values_list("name", flat=True)
    return Crew(alive, list(silent.values_list("name", flat=True)), list(dead))


def _alive() -> QuerySet[WorkerBeat]:
    return WorkerBeat.objects.filter(beat_at__gt=from_now(-DEAD_AFTER))


def stuck_runs() -> list[tuple[int, datetime]]:
    """Return the runs under way in which nothing has happened for too long, and since when.

    A run that waits for a call within the provider's deadline, or for a batch job, is not stuck.
    """
    calls = Max("work_items__calls__started_at"), Max("work_items__calls__settled_at")
    began = Coalesce("started_at", "created_at")
    runs = (
        Run.objects.filter(state__in=[RunState.QUEUED, RunState.RUNNING, RunState.CANCELLING])
        .annotate(
            last=Greatest(Coalesce(calls[0], began), Coalesce(calls[1], began), began),
            patience=F("contestant__provider__timeout_seconds"),
            now=Now(),
        )
        .filter(Q(last__lt=from_now(-STUCK_AFTER)))
        .exclude(pk__in=BatchJob.objects.exclude(state=BatchState.ENDED).values("run"))
        .values_list("pk", "last", "patience", "now")
    )
    return [
        (pk, last)
        for pk, last, patience, now in runs
        if now - last > timedelta(seconds=STUCK_AFTER + patience)
    ]


def sound_alarms() -> None:
    """Log what somebody has to look at: silent workers and runs that stand still."""
    for name in crew().silent:
        log.error("the worker %s gives signs of life and takes up no work: restart it", name)
    for pk, since in stuck_runs():
        log.error("run %s stands still since %s", pk, since.isoformat(timespec="seconds"))
