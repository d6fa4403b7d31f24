"""Looks after the batch jobs of a run: submits them, polls them, collects their replies, cancels
them where the run is paused or cancelled. Every step may be cut off and is taken up by the next."""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from annotation.media import ClipUnavailable
from evaluation.engine import batch_ledger, calls, refusals, stimulus, uploads
from evaluation.engine.plan import Plan, load_plan
from evaluation.engine.stimulus import Shown
from evaluation.engine.stopping import pause_for
from evaluation.engine.work import STORE_FULL, Claimed, Failure, Result
from evaluation.models import BatchJob, Run
from evaluation.models.batch import BatchState
from evaluation.models.run import RunState
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.errors import BadRequest, ErrorClass, KeyRefused, ModelError, TooLarge
from sonovqa.adapters.gemini_batch import GeminiBatches, Job, JobStatus, Outcome

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)
BEAT = 15.0  # seconds
LISTED_AFTER = 60.0  # seconds after which a submitted job is in the provider's list for sure
CLIP_LIFE = timedelta(hours=30)  # an uploaded clip has to outlive the job
CONNECTIONS = 8
UNHEARD = {
    JobStatus.SUCCEEDED: Failure(
        ErrorClass.LOST, "The batch job brought no reply.", retryable=True, may_be_billed=True
    ),
    JobStatus.FAILED: Failure(ErrorClass.OVERLOAD, "The batch job failed.", retryable=True),
    JobStatus.EXPIRED: Failure(
        ErrorClass.LOST, "The batch job expired at the provider.",
        retryable=True, may_be_billed=True,
    ),
    JobStatus.CANCELLED: Failure(
        ErrorClass.LOST, "The batch job was cancelled before it came to this item.",
        retryable=True, blameless=True, may_be_billed=True,
    ),
}  # fmt: skip


def look_after(run_id: int) -> None:
    """Do for a run's batches what is due. Any number of workers may."""
    with refusals.stopping_for(run_id):
        _look_after(run_id)


def _look_after(run_id: int) -> None:
    try:
        plan = load_plan(run_id)
    except ValueError as error:
        pause_for(run_id, f"{error}")
        return
    if not plan.in_batch:
        return
    made, broke = True, ""
    while made:
        made, broke = batch_ledger.make_job(plan)
    if broke:
        pause_for(run_id, broke)
    for job in batch_ledger.due(run_id).order_by("pk"):
        holder = secrets.token_hex(16)
        if batch_ledger.hold(job, holder):
            job.refresh_from_db()
            asyncio.run(Step(plan, job, holder).take())


class Step:
    """One step of one job, in one event loop."""

    def __init__(self, plan: Plan, job: BatchJob, holder: str) -> None:
        self.plan, self.job, self.holder = plan, job, holder
        side = plan.model
        self.batches = GeminiBatches(Endpoint(side.base_url, side.key, side.timeout, CONNECTIONS))

    async def take(self) -> None:
        """Do what comes next; what the provider refuses is tried again later."""
        self.threads = ThreadPoolExecutor(2, "batch")
        beating = asyncio.create_task(self._beat())
        try:
            if self.job.state == BatchState.INTENT:
                await self._submit()
            else:
                await self._collect()
        except KeyRefused as error:
            await self._db(pause_for, self.plan.run_id, error.message)
        except ModelError as error:
            log.warning("run %s: batch job: %s", self.plan.run_id, error.message)
        finally:
            beating.cancel()
            await self.batches.close()
            await self._db(batch_ledger.let_go, self.job, self.holder)
            for _ in range(2):
                await self._db(connections.close_all)
            self.threads.shutdown()

    async def _db(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, lambda: work(*args, **kwargs))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            await self._db(batch_ledger.prolong, self.job, self.holder)

    async def _runs(self) -> bool:
        return await self._db(_state, self.plan.run_id) == RunState.RUNNING

    async def _submit(self) -> None:
        """Submit the job, unless the provider has it already or the run does not run any more."""
        job = self.job
        if job.tried_at is not None:
            found = await self.batches.find(job.display_name)
            if found is not None:
                await self._adopt(found.name)
                return
            if timezone.now() - job.tried_at < timedelta(seconds=LISTED_AFTER):
                return
        if not await self._runs():
            await self._db(batch_ledger.give_up, job, self.holder)
            return
        requests, shown = await self._requests(await self._claimed())
        if not await self._runs():  # for want of room for a clip, or paused meanwhile
            await self._db(batch_ledger.give_up, job, self.holder)
        elif not requests:
            await self._db(batch_ledger.end, job, self.holder, "empty")
        elif await self._db(batch_ledger.note, job, self.holder, tried_at=Now(), shown=shown):
            await self._send(requests)

    async def _send(self, requests: Sequence[tuple[str, Request]]) -> None:
        model = self.plan.model.model_id
        try:
            name = await self.batches.submit(self.job.display_name, model, requests)
        except (BadRequest, TooLarge) as error:
            failure = calls.model_failure(error)
            await self._store([(one, failure) for one in await self._claimed()])
            await self._db(batch_ledger.end, self.job, self.holder, "refused")
        except ModelError as error:
            if not error.may_be_billed:  # it was surely not taken
                await self._db(batch_ledger.note, self.job, self.holder, tried_at=None)
            raise
        else:
            await self._adopt(name)

    async def _adopt(self, name: str) -> None:
        changes = {"state": BatchState.SUBMITTED, "name": name[:200], "submitted_at": Now()}
        await self._db(batch_ledger.note, self.job, self.holder, **changes)

    async def _claimed(self) -> list[Claimed]:
        return await self._db(batch_ledger.claimed_of, self.plan, self.job)

    async def _requests(
        self, claimed: Sequence[Claimed]
    ) -> tuple[list[tuple[str, Request]], dict[str, Any]]:
        """Return what the items ask and what they are shown, by key; an item without its clip
        fails at once."""
        ready, failed, facts = [], [], {}
        for one in claimed:
            shown = await self._shown(one)
            if isinstance(shown, Failure):
                failed.append((one, shown))
            else:
                ready.append((_key(one), calls.request_of(self.plan.model, one, shown)))
                if shown.sha256:
                    facts[_key(one)] = {"sha256": shown.sha256, "facts": dict(shown.facts)}
        await self._store(failed)
        full = next((one.message for _, one in failed if one.error_class == STORE_FULL), "")
        if full:
            await self._db(pause_for, self.plan.run_id, full)
        return ready, facts

    async def _shown(self, one: Claimed) -> Shown | Failure:
        if not self.plan.needs_media:
            return Shown()
        try:
            shown = await self._db(stimulus.load, self.plan, one.version)
            return await uploads.uploaded(
                self.plan.model, self.batches.sdk, shown, self.threads, life=CLIP_LIFE
            )
        except ClipUnavailable as error:
            return calls.clip_failure(error)

    async def _collect(self) -> None:
        """Look how the job stands; take what it has brought when it has ended."""
        job = self.job
        if not job.cancel_asked and not await self._runs():
            await self.batches.cancel(job.name)
            await self._db(batch_ledger.note, job, self.holder, cancel_asked=True, polls=0)
        try:
            found = await self.batches.look(job.name)
        except BadRequest as error:  # the provider knows it no more
            found = Job(job.name, JobStatus.EXPIRED)
            log.warning("run %s: batch job %s: %s", job.run_id, job.name, error.message)
        if found.status == JobStatus.RUNNING:
            return
        claimed = await self._claimed()
        replies = await self.batches.replies(found, [_key(one) for one in claimed])
        unheard = UNHEARD[found.status]
        await self._store([(one, replies.get(_key(one), unheard)) for one in claimed])
        await self._db(batch_ledger.end, job, self.holder, found.status.value)

    async def _store(self, outcomes: Sequence[tuple[Claimed, Outcome | Failure]]) -> None:
        results = [_result(one, outcome, self.job.shown) for one, outcome in outcomes]
        await self._db(batch_ledger.store, self.plan, self.job, results)


def _key(one: Claimed) -> str:
    return f"{one.work_item_id}-{one.attempt}"


def _result(claimed: Claimed, outcome: Outcome | Failure, shown: dict[str, Any]) -> Result:
    clip = shown.get(_key(claimed), {})
    reply, failure = None, None
    if isinstance(outcome, Reply):
        reply = outcome
    elif isinstance(outcome, ModelError):
        reply, failure = outcome.reply, calls.model_failure(outcome)
    else:
        failure = outcome
    return Result(claimed, reply, failure, clip.get("sha256", ""), clip.get("facts", {}))


def _state(run_id: int) -> str:
    return str(Run.objects.values_list("state", flat=True).get(pk=run_id))
