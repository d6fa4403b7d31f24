"""How the workers fare and which runs stand still, with what to do. Bounded queries."""

import logging
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models.functions import Now
from kombu import Connection
from kombu.exceptions import OperationalError

from evaluation.engine import workers
from evaluation.models import Provider, PumpLease, Run, WorkerBeat
from evaluation.models.run import RunState
from sonovqa.celery import app

log = logging.getLogger(__name__)
MOST = 200  # workers, places or runs that are shown
WAIT = 2.0  # seconds for the broker


@dataclass(frozen=True)
class WorkerLine:
    """One worker; `state` is alive, silent or dead, `holds` the places of runs that it works at."""

    beat: WorkerBeat
    state: str
    holds: list[PumpLease]


@dataclass(frozen=True)
class StuckLine:
    """A run that stands still since a moment, and what to do about it."""

    run: Run
    since: datetime
    advice: str


@dataclass(frozen=True)
class CrewPage:
    """`queues` maps each queue to its depth, None where the broker does not answer. `unknown`
    are places held by workers that give no sign of life."""

    workers: list[WorkerLine]
    unknown: list[PumpLease]
    queues: dict[str, int | None]
    stuck: list[StuckLine]
    resting: list[Provider] = field(default_factory=list)

    @property
    def takes_runs(self) -> bool:
        return any(one.state == "alive" and one.beat.queue == "runs" for one in self.workers)

    @property
    def broker_answers(self) -> bool:
        return None not in self.queues.values()


def crew_page() -> CrewPage:
    """Return how everything stands now. Eight queries, and one look at the broker."""
    now = workers.crew()
    silent, dead = set(now.silent), set(now.dead)
    held: dict[str, list[PumpLease]] = defaultdict(list)
    places = PumpLease.objects.filter(lease_until__gt=Now()).select_related("run__contestant")
    for place in places.order_by("run", "place")[:MOST]:
        held[place.worker].append(place)
    lines = []
    for beat in WorkerBeat.objects.order_by("queue", "name")[:MOST]:
        state = "dead" if beat.name in dead else "silent" if beat.name in silent else "alive"
        lines.append(WorkerLine(beat, state, held.pop(beat.process, [])))
    unknown = [place for places in held.values() for place in places]
    resting = list(Provider.objects.exclude(breaker={})[:MOST])
    page = CrewPage(lines, unknown, queue_depths(), [], resting)
    page.stuck.extend(_stuck(page))
    return page


def queue_depths() -> dict[str, int | None]:
    """Return how many tasks lie in each queue of the broker; None where it does not answer."""
    try:
        with app.connection_for_read(connect_timeout=WAIT) as connection:
            connection.ensure_connection(max_retries=1, timeout=WAIT)
            return {name: _depth(connection, name) for name in workers.QUEUES}
    except (OperationalError, OSError) as error:
        log.warning("the broker does not answer: %s", error)
    return dict.fromkeys(workers.QUEUES)


def _depth(connection: Connection, name: str) -> int:
    try:
        found = connection.default_channel.queue_declare(queue=name, passive=True)
    except connection.channel_errors:
        return 0  # an empty queue is none
    return int(found.message_count)


def _stuck(page: CrewPage) -> list[StuckLine]:
    since = dict(workers.stuck_runs()[:MOST])
    runs = Run.objects.filter(pk__in=since).select_related("contestant__provider")
    return [StuckLine(run, since[run.pk], advice(run, page)) for run in runs.order_by("pk")]


def advice(run: Run, page: CrewPage) -> str:
    """Return what to do about a run that stands still, in words."""
    if not page.takes_runs:
        return (
            "No living worker takes runs: start one with manage.py up, or as docs/running.md says."
        )
    if run.contestant.provider in page.resting:
        return "Its provider is left alone because it fails; it is tried again by itself."
    holders = [one for one in page.workers for place in one.holds if place.run_id == run.pk]
    if holders:
        names = ", ".join(sorted({one.beat.name for one in holders}))
        return f"Restart {names}: it holds the run and no call of it ends. Nothing is lost by that."
    if not page.broker_answers:
        return "The broker does not answer, so nobody is woken: start it. The sweep does the rest."
    if run.state == RunState.CANCELLING:
        return "Restart the workers: a call of it has not ended. What was answered is kept."
    return "Pause and resume it, which wakes the workers anew; then look into their log."
