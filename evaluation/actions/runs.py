"""Making a run, and every change of its state that a person makes: each a compare-and-swap."""

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from annotation import media
from annotation.actions.trail import record
from annotation.models import Benchmark, Release, User
from annotation.permissions import Verb, require
from evaluation.actions.run_checks import RunRefused, check_budget, check_run
from evaluation.domain import prompts, rubric
from evaluation.domain.confidence import SENTENCE
from evaluation.engine.batch_ledger import open_jobs
from evaluation.engine.plan import MEDIA_CONDITIONS, pin_price
from evaluation.engine.wake import wake_batches, wake_pumps
from evaluation.engine.work_list import write_work_list
from evaluation.models import Call, Contestant, Judgement, Run, WorkItem
from evaluation.models.run import ENDED, CallState, RunState, WorkState
from sonovqa.code_version import code_version

NOTHING_TO_ASK = "The release has no kept item that this model can be asked."


@transaction.atomic
def create_run(
    *,
    benchmark: Benchmark,
    release: Release,
    contestant: Contestant,
    condition: str,
    by: User,
    judge: Contestant | None = None,
    budget: Decimal | None = None,
    repeats: int = 1,
    circular: bool = False,
    strict: bool = False,
    publish_when_done: bool = False,
) -> Run:
    """Make a draft run with everything pinned that repeats its numbers.

    `budget` is in US dollars. Raises RunRefused where the pieces do not fit, and
    PermissionDenied unless `by` may run (and publish, where that is asked for).
    """
    require(by, Verb.RUN)
    if publish_when_done:
        require(by, Verb.PUBLISH)
    check_run(
        benchmark=benchmark,
        release=release,
        contestant=contestant,
        condition=condition,
        judge=judge,
        budget=budget,
        repeats=repeats,
        circular=circular,
        publish_when_done=publish_when_done,
    )
    run = Run.objects.create(
        benchmark=benchmark,
        release=release,
        contestant=contestant,
        condition=condition,
        judge=judge,
        judge_label=judge.name if judge else "",
        budget=budget,
        repeats=repeats,
        circular=circular,
        strict=strict,
        publish_when_done=publish_when_done,
        started_by=by,
        **pins(benchmark, contestant, condition, judge),
    )
    _record(run, by, "create_run", None, RunState.DRAFT)
    return run


def pins(
    benchmark: Benchmark, contestant: Contestant, condition: str, judge: Contestant | None
) -> dict[str, Any]:
    """Return the fields of a run that repeat its numbers, as they stand now."""
    extra: dict[str, Any] = {"price": pin_price(contestant)}
    if judge:
        extra |= {"judge_price": pin_price(judge), "judge_parameters": judge.parameters}
    return {
        "prompt_version": prompts.CURRENT,
        "prompt_text": prompts.PROMPTS[prompts.CURRENT].text()
        + (f"\n---\n{SENTENCE}" if contestant.parameters.get("ask_confidence") else ""),
        "rubric_version": rubric.CURRENT if judge else "",
        "order_seed": benchmark.order_seed,
        "model_id_asked": contestant.model_id,
        "parameters": contestant.parameters,
        "clip_settings": _clip_settings(condition),
        "code_version": code_version(),
        "extra": extra,
    }


def start_run(*, run: Run, by: User) -> Run:
    """Queue a draft: its work is written down, then the workers are woken."""
    require(by, Verb.RUN)
    with transaction.atomic():
        _move(run, [RunState.DRAFT], RunState.QUEUED, by, "start_run")
        if not write_work_list(run):
            raise RunRefused(NOTHING_TO_ASK)
        wake_pumps(run)
    return run


def pause_run(*, run: Run, by: User, reason: str = "") -> Run:
    """Let no new call begin; calls in flight end and are stored."""
    require(by, Verb.RUN)
    with transaction.atomic():
        _wake_batches(run)
        return _move(
            run, [RunState.QUEUED, RunState.RUNNING], RunState.PAUSED, by, "pause_run", reason
        )


def resume_run(*, run: Run, by: User, budget: Decimal | None = None) -> Run:
    """Let a paused run go on, with a new `budget` in dollars where one is given."""
    require(by, Verb.RUN)
    with transaction.atomic():
        if budget is not None:
            check_budget(budget, run.contestant, run.judge)
            Run.objects.filter(pk=run.pk, state=RunState.PAUSED).update(budget=budget)
        _move(run, [RunState.PAUSED], RunState.QUEUED, by, "resume_run")
        wake_pumps(run)
    return run


def cancel_run(*, run: Run, by: User, reason: str = "") -> Run:
    """End a run for good. What was answered stays; calls in flight end and are stored."""
    require(by, Verb.RUN)
    return end_run(run=run, by=by, reason=reason)


def end_run(*, run: Run, by: User | str, reason: str) -> Run:
    """Do what `cancel_run` does, for whoever may: an outsider ends the run of an own submission,
    and the site one whose server is silent."""
    with transaction.atomic():
        locked = Run.objects.select_for_update().get(pk=run.pk)
        in_flight = locked.work_items.filter(state=WorkState.CLAIMED).exists()
        _wake_batches(run)
        under_way = [RunState.QUEUED, RunState.RUNNING, RunState.PAUSED]
        if in_flight:
            return _move(run, under_way, RunState.CANCELLING, by, "cancel_run", reason)
        at_rest = [RunState.DRAFT, *under_way]
        return _move(run, at_rest, RunState.CANCELLED, by, "cancel_run", reason, timezone.now())


def retry_failed(*, run: Run, by: User) -> int:
    """Ask again what failed or was lost, and nothing else; return how many steps."""
    require(by, Verb.RUN)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        failed = WorkItem.objects.filter(run=run, state__in=[WorkState.FAILED, WorkState.UNKNOWN])
        Judgement.objects.by(run).filter(failed=True).delete()
        Call.objects.filter(work_item__in=failed, state=CallState.LOST).update(
            state=CallState.SETTLED
        )
        count = failed.update(
            state=WorkState.WAITING, faults=0, token="", not_before=None, finished_at=None
        )
        if not count:
            raise RunRefused("Nothing of this run has failed.")
        run.refresh_from_db(fields=["state"])
        if run.state in ENDED:
            _move(run, ENDED, RunState.QUEUED, by, "retry_failed", f"{count} steps")
        else:
            _record(run, by, "retry_failed", run.state, run.state, f"{count} steps")
        wake_pumps(run)
    return count


def _move(
    run: Run,
    before: Collection[str],
    after: str,
    by: User | str,
    verb: str,
    reason: str = "",
    finished_at: datetime | None = None,
) -> Run:
    """Change the state if it is one of `before`. Raises RunRefused where it is another."""
    present = Run.objects.values_list("state", flat=True).get(pk=run.pk)
    changed = present in before and Run.objects.filter(pk=run.pk, state=present).update(
        state=after, state_reason=reason[:300], finished_at=finished_at
    )
    if not changed:
        raise RunRefused(f"The run is {RunState(present).label.lower()} and cannot be changed so.")
    _record(run, by, verb, present, after, reason)
    run.refresh_from_db()
    return run


def _record(
    run: Run, by: User | str, verb: str, before: str | None, after: str, reason: str = ""
) -> None:
    record(
        by=by,
        verb=verb,
        target_kind="run",
        target_id=run.pk,
        benchmark_id=run.benchmark_id,
        before={"state": before} if before else {},
        after={"state": after},
        reason=reason,
    )


def _wake_batches(run: Run) -> None:
    """Let the jobs of a run that goes on no more be cancelled at the provider at once."""
    if run.parameters.get("batch"):
        open_jobs(run.pk).update(poll_at=Now())
        wake_batches(run.pk)


def _clip_settings(condition: str) -> dict[str, Any]:
    return dict(media.RECIPE) if condition in MEDIA_CONDITIONS else {}
