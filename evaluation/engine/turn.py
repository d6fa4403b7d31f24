"""One turn of the ledger: what came is stored, what was stored is read, new work is claimed,
all in one short transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction

from evaluation.engine import claims, places, reading, replies, statements
from evaluation.engine.clock import from_now
from evaluation.engine.places import Place
from evaluation.engine.plan import Plan
from evaluation.engine.versions import Versions
from evaluation.engine.work import Claimed, Result, Room, Unread
from evaluation.models import WorkItem
from evaluation.models.run import RunState, Stage, WorkState


@dataclass(frozen=True)
class Wanted:
    """What a pump brings to a turn, and asks of it."""

    results: Sequence[Result] = ()
    unread: Sequence[Unread] = ()
    room: Room = field(default_factory=Room)
    in_flight: int = 0
    beat: bool = False


@dataclass(frozen=True)
class Turned:
    """What a turn brought.

    `working`: the run still runs and the pump still holds its place. `open`: the run has work
    that is waiting or claimed. `broke`: why no money is left for what waits,
    "" where some is or may come back.
    """

    claimed: Sequence[Claimed]
    unread: Sequence[Unread]
    working: bool
    open: bool
    broke: str


def turn(plan: Plan, place: Place, versions: Versions, wanted: Wanted) -> Turned:
    """Do one turn. Its results count as stored when it returns."""
    with transaction.atomic():
        run = statements.lock(plan.run_id)
        working = run.state == RunState.RUNNING
        if wanted.beat:
            working = _beat(place, wanted.in_flight) and working
        unread = replies.store(plan, run, wanted.results, token=place.token)
        reading.read(plan, wanted.unread)
        found = claims.Claims()
        if working and wanted.room:
            lease = settings.ENGINE_LEASE_SECONDS
            found = claims.claim(plan, run, versions, wanted.room, token=place.token, lease=lease)
        idle = not found.claimed and bool(wanted.room)
        return Turned(
            claimed=found.claimed,
            unread=unread,
            working=working,
            open=not idle or _is_open(plan),
            broke=found.why if idle and found.unaffordable and run.reserved <= 0 else "",
        )


def _beat(place: Place, in_flight: int) -> bool:
    WorkItem.objects.filter(run=place.run_id, token=place.token, state=WorkState.CLAIMED).update(
        lease_until=from_now(settings.ENGINE_LEASE_SECONDS)
    )
    return places.keep(place, in_flight=in_flight)


def _is_open(plan: Plan) -> bool:
    left = WorkItem.objects.filter(
        run=plan.run_id, state__in=[WorkState.WAITING, WorkState.CLAIMED]
    )
    if plan.in_batch:  # what is in a job, or goes into one, is nothing for a pump
        left = left.exclude(stage=Stage.PREDICT)
    return left.exists()
