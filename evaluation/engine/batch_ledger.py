"""The ledger of batch jobs: made with the intents of their calls, held by one worker at a time,
ended when each of their items has its result."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine import claims, intents, months, reading, replies, statements, texts
from evaluation.engine.clock import from_now
from evaluation.engine.plan import Plan
from evaluation.engine.versions import Versions
from evaluation.engine.work import Claimed, Result, Room
from evaluation.models import BatchJob, Call, WorkItem
from evaluation.models.batch import BatchState
from evaluation.models.run import RunState, Stage, WorkState

TEXT_ITEMS, MEDIA_ITEMS = 1000, 100  # of one job; clips travel inside it
MOST_OPEN = 20
LEASE = 60.0  # seconds
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 10.0, 300.0, 1.5  # seconds between two looks at a job
CHUNK = 200  # results of one transaction


def open_jobs(run_id: int) -> QuerySet[BatchJob]:
    """Return the jobs of a run that have not ended."""
    return BatchJob.objects.filter(run=run_id).exclude(state=BatchState.ENDED)


def is_due(run_id: int, state: str) -> bool:
    """Say whether something is to be done for a run's batches now."""
    return due(run_id).exists() or (state == RunState.RUNNING and _waiting(run_id).exists())


def due(run_id: int) -> QuerySet[BatchJob]:
    """Return the jobs that nobody looks after and whose time has come."""
    return open_jobs(run_id).filter(poll_at__lte=Now(), lease_until__lte=Now())


def _waiting(run_id: int) -> QuerySet[WorkItem]:
    return WorkItem.objects.filter(
        Q(not_before__isnull=True) | Q(not_before__lte=Now()),
        run=run_id, stage=Stage.PREDICT, state=WorkState.WAITING,
    )  # fmt: skip


@transaction.atomic
def make_job(plan: Plan) -> tuple[bool, str]:
    """Write down a job of what waits, with its intents and money. Say whether there was
    anything, and why no money is left for what waits, "" where some is or may come back.

    While clips are being cut it waits: a job for each of them would be none.
    """
    run = statements.lock(plan.run_id)
    clips = WorkItem.objects.filter(
        run=run.pk, stage=Stage.CLIP, state__in=[WorkState.WAITING, WorkState.CLAIMED]
    )
    if run.state != RunState.RUNNING or open_jobs(run.pk).count() >= MOST_OPEN or clips.exists():
        return False, ""
    token, most = secrets.token_hex(16), MEDIA_ITEMS if plan.needs_media else TEXT_ITEMS
    room = Room(calls=most, predictions=most)
    found = claims.claim(plan, run, Versions(plan), room, token=token, lease=LEASE)
    if not found.claimed:
        broke = found.why if found.unaffordable and run.reserved <= 0 else ""
        return False, broke
    WorkItem.objects.filter(run=run.pk, token=token).update(lease_until=None)
    BatchJob.objects.create(run_id=run.pk, token=token, poll_at=Now(), lease_until=Now())
    return True, ""


def hold(job: BatchJob, holder: str) -> bool:
    """Take a job in hand; False where another worker has it."""
    free = BatchJob.objects.filter(pk=job.pk, lease_until__lte=Now())
    return bool(free.update(holder=holder, lease_until=from_now(LEASE)))


def prolong(job: BatchJob, holder: str) -> bool:
    """Keep a job in hand; False where another worker has taken it."""
    mine = BatchJob.objects.filter(pk=job.pk, holder=holder)
    return bool(mine.update(lease_until=from_now(LEASE)))


def let_go(job: BatchJob, holder: str) -> None:
    """Leave a job to whoever comes next, after a pause that grows with each look."""
    pause = min(LONGEST_PAUSE, FIRST_PAUSE * GROWTH ** min(job.polls, 20))
    BatchJob.objects.filter(pk=job.pk, holder=holder).update(
        holder="", lease_until=Now(), polls=job.polls + 1, poll_at=from_now(pause)
    )


def note(job: BatchJob, holder: str, **changes: object) -> bool:
    """Write down what has become of a job; False where another worker has taken it."""
    changed = BatchJob.objects.filter(pk=job.pk, holder=holder).update(**changes)
    job.refresh_from_db()
    return bool(changed)


def claimed_of(plan: Plan, job: BatchJob) -> list[Claimed]:
    """Return the items that still wait for the job's replies, in a fixed order."""
    path = "item__video__source" if plan.needs_media else "item"
    items = (
        WorkItem.objects.filter(run=job.run_id, token=job.token, state=WorkState.CLAIMED)
        .select_related(f"item_version__{path}")
        .order_by("pk")
    )
    calls = {
        (call.work_item_id, call.attempt): call
        for call in Call.objects.filter(work_item__run=job.run_id, work_item__token=job.token)
    }
    return [_claimed(plan, item, calls[item.pk, item.attempt]) for item in items]


def _claimed(plan: Plan, item: WorkItem, call: Call) -> Claimed:
    return Claimed(
        work_item_id=item.pk,
        attempt=item.attempt,
        faults=item.faults,
        stage=item.stage,
        repeat=item.repeat,
        version=item.item_version,
        asked=texts.model_texts(plan, item.item_version, item.repeat),
        reserved=call.reserved,
        provider_id=plan.model.provider_id,
        month=months.month_of(call.started_at) if call.reserved else None,
    )


def store(plan: Plan, job: BatchJob, results: Sequence[Result]) -> None:
    """Store and read results; a second time changes nothing."""
    for begin in range(0, len(results), CHUNK):
        with transaction.atomic():
            run = statements.lock(plan.run_id)
            chunk = results[begin : begin + CHUNK]
            reading.read(plan, replies.store(plan, run, chunk, token=job.token))


def give_up(job: BatchJob, holder: str) -> None:
    """End a job that the provider has never got: its items wait again, unpaid."""
    intents.give_back(job.run_id, token=job.token, known=[])
    end(job, holder, "dropped")


def end(job: BatchJob, holder: str, outcome: str) -> None:
    """End a job whose items all have their results."""
    note(job, holder, state=BatchState.ENDED, outcome=outcome, ended_at=Now())


@dataclass(frozen=True)
class InBatch:
    """Items that wait for batch jobs, the number of these, and since when the first one runs."""

    items: int
    jobs: int
    since: datetime


def in_batch(run_id: int) -> InBatch | None:
    """Return what of a run is in batch now, None for nothing. Two queries."""
    jobs = open_jobs(run_id).order_by()
    found = jobs.aggregate(jobs=Count("pk"), since=Min("created_at"))
    if not found["jobs"]:
        return None
    items = WorkItem.objects.filter(
        run=run_id, state=WorkState.CLAIMED, token__in=jobs.values("token")
    )
    return InBatch(items.count(), found["jobs"], found["since"])
