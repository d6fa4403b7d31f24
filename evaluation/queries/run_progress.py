"""How far a run is: counts, speed, time left, money. Bounded queries."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Avg, Count, F, Max, Min, Q, Sum
from django.utils import timezone

from annotation.models import Revision
from evaluation.domain.time_left import WINDOW, Latency, Moment, is_whole, seconds_left
from evaluation.engine import places
from evaluation.models import Call, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Stage, WorkState

ENOUGH = 20  # calls in the window, below which the whole run's speed is taken
SILENT = (Outcome.ABSTAINED, Outcome.REFUSED)
OPEN = (WorkState.WAITING, WorkState.CLAIMED)


@dataclass(frozen=True)
class Counts:
    """Answers wanted (items × repeats) by where they stand; they add up to `total`."""

    total: int
    done: int
    failed: int
    retrying: int
    in_flight: int
    waiting: int

    @property
    def settled(self) -> int:
        return self.done + self.failed

    @property
    def percent(self) -> float:
        return 100 * self.settled / self.total if self.total else 0.0


@dataclass(frozen=True)
class Progress:
    """`speed` is calls and `items_speed` answers a second, `next_retry` the seconds until the next
    try of what failed (None where nothing waits for one), `seconds_left` None where nothing can
    be said yet; money in US dollars; `projected` is the likely cost when all is done."""

    counts: Counts
    speed: float
    items_speed: float
    next_retry: float | None
    seconds_left: float | None
    tokens_in: int
    tokens_out: int
    spent: Decimal
    reserved: Decimal
    budget: Decimal | None
    projected: Decimal | None
    pumps: int
    last_at: datetime | None


def progress(run: Run) -> Progress:
    """Return how far `run` is. Eight queries."""
    now = timezone.now()
    went_on = _went_on(run)
    rows = _steps(run, max(now - timedelta(seconds=WINDOW), went_on or now))
    counts = _counts(run, rows)
    settled = _settled(run, went_on)
    speed = _speed(run, rows, settled["lately"], settled["last"], went_on, now)
    left = _calls_left(run, rows, counts)
    retries = _retries(run, counts, now)
    moment = _moment(rows, left, settled, retries.last if retries else None, now)
    active = run.state in ("running", "queued", "cancelling")
    share = settled["calls"] / (settled["calls"] + left) if settled["calls"] else 0
    return Progress(
        counts=counts,
        speed=speed,
        items_speed=_items_speed(run, rows, counts, settled["last"], went_on, now),
        next_retry=retries.first if retries else None,
        seconds_left=seconds_left(moment) if active else None,
        tokens_in=settled["tokens_in"] or 0,
        tokens_out=settled["tokens_out"] or 0,
        spent=run.spent,
        reserved=run.reserved,
        budget=run.budget,
        projected=Decimal(float(run.spent) / share).quantize(Decimal("0.01")) if share else None,
        pumps=places.live(run.pk) if active else 0,
        last_at=settled["last"],
    )


def _settled(run: Run, went_on: datetime | None) -> dict[str, Any]:
    """Return what the calls of the run come to; `lately`, since it last went on. One query."""
    since = Q(settled_at__gte=went_on) if went_on else Q()
    begun = Q(started_at__gte=went_on) if went_on else Q()
    return Call.objects.filter(work_item__run=run).aggregate(
        tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), last=Max("settled_at"),
        calls=Count("pk", filter=Q(settled_at__isnull=False)),
        lately=Count("pk", filter=Q(settled_at__isnull=False) & since),
        ended=Count("pk", filter=Q(settled_at__isnull=False, error_class="") & since),
        first_begun=Min("started_at", filter=begun), last_begun=Max("started_at"),
        mean=Avg("latency"), mean_square=Avg(F("latency") * F("latency")),
    )  # fmt: skip


@dataclass(frozen=True)
class Steps:
    """Work items of one stage and state; `again` of them were tried before."""

    count: int = 0
    again: int = 0
    recent: int = 0


Table = dict[tuple[str, str], Steps]


def _moment(
    rows: Table, left: int, settled: dict[str, Any], retry_in: float | None, now: datetime
) -> Moment:
    """Return how the run stands; where little ended in the last minute, since it went on."""
    began, recent = settled["first_begun"], _recent(rows)
    running = (now - began).total_seconds() if began else 0.0
    in_flight = _of(rows, Stage.PREDICT, WorkState.CLAIMED) + _of(
        rows, Stage.JUDGE, WorkState.CLAIMED
    )
    latency = Latency(settled["mean"] or 0.0, settled["mean_square"] or 0.0)
    from_start = is_whole(running, latency) or recent < ENOUGH
    youngest = settled["last_begun"]
    return Moment(
        settled=settled["ended"] if from_start else recent,
        window=running if from_start else WINDOW,
        from_start=from_start,
        left=left,
        in_flight=min(in_flight, left),
        age=(now - youngest).total_seconds() if youngest else 0.0,
        chained=left > sum(_of(rows, stage, *OPEN) for stage in (Stage.PREDICT, Stage.JUDGE)),
        retry_in=retry_in,
        latency=latency,
    )


def _recent(rows: Table) -> int:
    return sum(steps.recent for (stage, _), steps in rows.items() if stage != Stage.CLIP)


def _went_on(run: Run) -> datetime | None:
    """Return when the run began, or last went on: the time that it rested says nothing of its
    speed. None before the start."""
    if run.started_at is None:
        return None
    trail = Revision.objects.filter(
        target_kind="run", target_id=run.pk, verb__in=("resume_run", "retry_failed")
    )
    last = trail.order_by("-id").values_list("at", flat=True).first()
    return max(run.started_at, last) if last else run.started_at


def _steps(run: Run, since: datetime) -> Table:
    """Count the steps; those that were taken over without a try are no sign of speed."""
    rows = (
        WorkItem.objects.filter(run=run)
        .order_by()
        .values_list("stage", "state")
        .annotate(
            count=Count("pk"),
            again=Count("pk", filter=Q(attempt__gt=0)),
            recent=Count("pk", filter=Q(finished_at__gte=since, attempt__gt=0)),
        )
    )
    return {(stage, state): Steps(*numbers) for stage, state, *numbers in rows}


def _only_judged(rows: Table) -> bool:
    """Say whether the run asks its judge alone: the answers came from elsewhere."""
    return bool(rows) and all(stage == Stage.JUDGE for stage, _ in rows)


def _of(rows: Table, stage: str, *states: str) -> int:
    return sum(rows.get((stage, state), Steps()).count for state in states)


def _counts(run: Run, rows: Table) -> Counts:
    total = int(run.extra.get("answers", 0))
    lost = (WorkState.FAILED, WorkState.UNKNOWN)
    failed = (
        _lost_with_clips(run, _of(rows, Stage.CLIP, *lost))
        + _of(rows, Stage.PREDICT, *lost)
        + _of(rows, Stage.JUDGE, *lost)
    )
    in_flight = sum(
        _of(rows, stage, WorkState.CLAIMED) for stage in (Stage.CLIP, Stage.PREDICT, Stage.JUDGE)
    )
    retrying = sum(
        rows.get((stage, WorkState.WAITING), Steps()).again
        for stage in (Stage.CLIP, Stage.PREDICT, Stage.JUDGE)
    )
    judging = _of(rows, Stage.JUDGE, *OPEN, *lost)
    done = max(0, _of(rows, Stage.PREDICT, WorkState.DONE) - judging)
    if _only_judged(rows):
        total = sum(steps.count for steps in rows.values())
        done = _of(rows, Stage.JUDGE, WorkState.DONE)
    waiting = max(0, total - done - failed - in_flight - retrying)
    return Counts(total, done, failed, retrying, in_flight, waiting)


def _speed(
    run: Run,
    rows: Table,
    calls: int,
    last: datetime | None,
    began: datetime | None,
    now: datetime,
) -> float:
    recent = _recent(rows)
    if began is None or not calls:
        return 0.0
    running = (now - began).total_seconds()
    if run.finished_at is None and recent >= ENOUGH:
        return recent / max(min(WINDOW, running), 1.0)
    end = last or now
    return calls / max((end - began).total_seconds(), 0.5)


def _lost_with_clips(run: Run, clips: int) -> int:
    """Return how many answers are lost with so many clips; of rotations, on average."""
    if not run.circular or not run.extra.get("items"):
        return clips * run.repeats
    return round(clips * run.extra["answers"] / run.extra["items"])


def _items_speed(
    run: Run,
    rows: Table,
    counts: Counts,
    last: datetime | None,
    went_on: datetime | None,
    now: datetime,
) -> float:
    """Return how many answers are given a second: in the last minute, else over the whole run."""
    if run.started_at is None or went_on is None or last is None:
        return 0.0
    running = (now - went_on).total_seconds()
    recent = rows.get((Stage.PREDICT, WorkState.DONE), Steps()).recent
    if run.finished_at is None and recent >= ENOUGH:
        return recent / max(min(WINDOW, running), 1.0)
    answered = counts.done - int(run.extra.get("taken_over", 0))
    return max(0, answered) / max((last - run.started_at).total_seconds(), 0.5)


@dataclass(frozen=True)
class Retries:
    """Seconds until the next and the last try of what failed."""

    first: float
    last: float


def _retries(run: Run, counts: Counts, now: datetime) -> Retries | None:
    """Return None where nothing waits for another try. One query."""
    if not counts.retrying:
        return None
    waiting = WorkItem.objects.filter(run=run, state=WorkState.WAITING, attempt__gt=0)
    found = waiting.aggregate(first=Min("not_before"), last=Max("not_before"))
    first, last = (max(0.0, (at - now).total_seconds()) if at else 0.0 for at in found.values())
    return Retries(first, last)


def _calls_left(run: Run, rows: Table, counts: Counts) -> int:
    """Return how many calls are still to be made, verdicts that are not asked for yet included."""
    if _only_judged(rows):
        return _of(rows, Stage.JUDGE, *OPEN)
    asked = _of(rows, Stage.PREDICT, WorkState.DONE, WorkState.FAILED, WorkState.UNKNOWN)
    lost_clips = _lost_with_clips(run, _of(rows, Stage.CLIP, WorkState.FAILED, WorkState.UNKNOWN))
    predictions = max(0, counts.total - asked - lost_clips)
    if run.judge_id is None or not counts.total:
        return predictions
    free = int(run.extra.get("free_answers", 0))
    settled = (WorkState.DONE, WorkState.FAILED, WorkState.UNKNOWN)
    judged = _of(rows, Stage.JUDGE, *settled)
    never = math.floor(free * lost_clips / counts.total) + _never_judged(run)
    return predictions + max(0, free - judged - never)


def _never_judged(run: Run) -> int:
    """Return how many free responses are settled and go to no judge: replies without an answer,
    and lost ones. Two queries."""
    free = {"run": run.answered_by, "item_version__key_index__isnull": True}
    silent = Prediction.objects.filter(outcome__in=SILENT, **free).count()
    lost = (WorkState.FAILED, WorkState.UNKNOWN)
    return silent + WorkItem.objects.filter(stage=Stage.PREDICT, state__in=lost, **free).count()
