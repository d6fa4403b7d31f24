"""Stores what calls brought: the reply raw before anybody reads it, a failure as a failure."""

import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.utils import timezone

from evaluation.engine import money, months, statements
from evaluation.engine.clock import from_now
from evaluation.engine.plan import Plan
from evaluation.engine.rows import insert_each, update_each
from evaluation.engine.statements import LockedRun
from evaluation.engine.work import Claimed, Failure, Result, Unread, storable
from evaluation.models import Call, Judgement, Prediction, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import CallState, Stage, WorkState
from sonovqa.adapters.asking import Reply
from sonovqa.adapters.errors import ErrorClass

FAULTS_ALLOWED = 3
ATTEMPTS_ALLOWED = 30  # of any kind: even a provider that only ever says 429 is given up on
VERSION_LENGTH = 200
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0  # seconds
# The model's own doing: kept as a reply without an answer, and scored so.
NO_ANSWER = frozenset({ErrorClass.REFUSED, ErrorClass.TRUNCATED, ErrorClass.EMPTY})


def store(plan: Plan, run: LockedRun, results: Sequence[Result], *, token: str) -> list[Unread]:
    """Write results down and settle their calls; return the replies that are to be read.

    A result whose item was taken away meanwhile changes nothing but its call. Call it inside
    a transaction that holds the run's row.
    """
    if not results:
        return []
    held = _held(results, token)
    _settle_calls(plan, run, results, held)
    done = []
    for result in results:
        if result.claimed.work_item_id not in held:
            continue
        if result.failure is None or _is_no_answer(plan, result):
            done.append(result)
        else:
            _fail(plan, result.claimed, result.failure)
    statements.finish(one.claimed.work_item_id for one in done)
    _after_clips(plan, [one for one in done if one.claimed.stage == Stage.CLIP])
    return [
        *_store_predictions(plan, run, [one for one in done if one.claimed.stage == Stage.PREDICT]),
        *_store_judgements(plan, [one for one in done if one.claimed.stage == Stage.JUDGE]),
    ]


def _held(results: Sequence[Result], token: str) -> dict[int, str]:
    """Return the states of the items that still wait for the very attempt that brought the
    result: claimed, or taken away by a sweep and claimed by nobody since."""
    attempts = {one.claimed.work_item_id: one.claimed.attempt for one in results}
    found = statements.held(attempts, token)
    return {pk: state for pk, (attempt, state) in found.items() if attempts[pk] == attempt}


def _is_no_answer(plan: Plan, result: Result) -> bool:
    """Say whether a failure is the model's own reply without an answer."""
    failure, claimed = result.failure, result.claimed
    if failure is None or claimed.stage != Stage.PREDICT or failure.error_class not in NO_ANSWER:
        return False
    may_ask_again = failure.retryable and claimed.faults + 1 < FAULTS_ALLOWED and not plan.strict
    return not may_ask_again


def _fail(plan: Plan, claimed: Claimed, failure: Failure) -> None:
    faults = claimed.faults + (0 if failure.blameless else 1)
    again = failure.retryable and faults < FAULTS_ALLOWED and claimed.attempt < ATTEMPTS_ALLOWED
    state = WorkState.FAILED
    if plan.strict and failure.may_be_billed:
        again, state = False, WorkState.UNKNOWN
    changes = {
        "faults": faults,
        "error_class": failure.error_class[:24],
        "error_message": failure.message[:500],
        "lease_until": None,
        "token": "",
    }
    if again:
        pause = from_now(pause_before(claimed.attempt, failure.retry_after))
        changes |= {"state": WorkState.WAITING, "not_before": pause}
    else:
        changes |= {"state": state, "finished_at": timezone.now()}
    WorkItem.objects.filter(pk=claimed.work_item_id).update(**changes)


def pause_before(attempt: int, retry_after: float | None) -> float:
    """Return the seconds to wait before the next attempt: what the provider asked for, else
    doubling, both with jitter so that items do not come back together."""
    if retry_after is not None:
        return retry_after * random.uniform(1.0, 1.25) + 0.05  # noqa: S311 (jitter)
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(attempt - 1, 10))
    return random.uniform(longest / 2, longest)  # noqa: S311 (jitter)


def _settle_calls(
    plan: Plan, run: LockedRun, results: Sequence[Result], held: Mapping[int, str]
) -> None:
    """Put the true cost in the place of the reservation. A call that a sweep has counted as
    lost meanwhile is already spent in full: the difference comes back. A call that is settled
    already (its commit succeeded, and its answer was lost) stays as it is."""
    now = timezone.now()
    elsewhere = [one.claimed for one in results if one.claimed.work_item_id not in held]
    settled = _settled(elsewhere) if elsewhere else set()
    rows, spent, freed = [], Decimal(0), Decimal(0)
    monthly: list[months.Move] = []
    for result in results:
        claimed, reply, failure = result.claimed, result.reply, result.failure
        if claimed.stage == Stage.CLIP or (claimed.work_item_id, claimed.attempt) in settled:
            continue
        cost = _cost(plan, result)
        more, less = cost - claimed.reserved, Decimal(0)
        if held.get(claimed.work_item_id) == WorkState.CLAIMED:
            more, less = cost, claimed.reserved
        spent, freed = spent + more, freed + less
        if claimed.month is not None:
            monthly.append(months.Move(claimed.provider_id, claimed.month, more, -less))
        rows.append(
            (
                claimed.work_item_id,
                claimed.attempt,
                CallState.SETTLED,
                cost,
                reply.tokens_in if reply else 0,
                reply.tokens_out if reply else 0,
                reply.latency if reply else None,
                failure.error_class[:24] if failure else "",
                storable(reply.model_version)[:VERSION_LENGTH] if reply else "",
                now,
            )
        )
    names = (
        *("state", "cost", "tokens_in", "tokens_out", "latency", "error_class"),
        *("model_version", "settled_at"),
    )
    update_each(Call, ("work_item", "attempt"), names, rows)
    money.move(run, spent=spent, reserved=-freed)
    months.move(monthly)


def _settled(claimed: Sequence[Claimed]) -> set[tuple[int, int]]:
    """Return work item and attempt of those calls that are settled."""
    calls = Call.objects.filter(work_item__in=[one.work_item_id for one in claimed])
    return set(calls.filter(state=CallState.SETTLED).values_list("work_item", "attempt"))


def _cost(plan: Plan, result: Result) -> Decimal:
    """Return what a call cost; where nobody can say, the most that it may have cost."""
    if result.reply is not None:
        side = plan.model
        if result.claimed.stage == Stage.JUDGE and plan.judge is not None:
            side = plan.judge
        return side.price.of(result.reply.tokens_in, result.reply.tokens_out)
    if result.failure is not None and result.failure.may_be_billed:
        return result.claimed.reserved
    return Decimal(0)


def _after_clips(plan: Plan, done: Sequence[Result]) -> None:
    """A cut clip lets its item be asked, once for every repeat."""
    if not done:
        return
    WorkItem.objects.bulk_create(
        [
            WorkItem(
                run_id=plan.run_id,
                item_version=one.claimed.version,
                repeat=repeat,
                stage=Stage.PREDICT,
            )
            for one in done
            for repeat in range(plan.repeats_of(one.claimed.version))
        ],
        ignore_conflicts=True,
    )


PREDICTION_FIELDS = (
    *("run", "item_version", "repeat", "outcome", "raw_reply", "answer_text", "error_class"),
    *("error_message", "latency", "tokens_in", "tokens_out", "model_version", "clip_sha256"),
    *("extra", "shown_order", "created_at"),
)


def _store_predictions(plan: Plan, run: LockedRun, done: Sequence[Result]) -> list[Unread]:
    rows = [_prediction(plan, run, one) for one in done]
    insert_each(Prediction, PREDICTION_FIELDS, rows)
    return [
        _unread(one, raw=row[4], error_class=row[6]) for one, row in zip(done, rows, strict=True)
    ]


def _prediction(plan: Plan, run: LockedRun, result: Result) -> tuple[Any, ...]:
    claimed, failure = result.claimed, result.failure
    reply = result.reply or Reply("")
    return (
        run.pk,
        claimed.version.pk,
        claimed.repeat,
        Outcome.PENDING,
        storable(reply.text),
        "",
        failure.error_class if failure else "",
        failure.message[:500] if failure else "",
        reply.latency if result.reply else None,
        reply.tokens_in,
        reply.tokens_out,
        storable(reply.model_version),
        result.clip_sha256,
        _extra(result, reply),
        plan.order_of(claimed.version, claimed.repeat) if plan.circular else None,
        timezone.now(),
    )


def _extra(result: Result, reply: Reply) -> dict[str, Any]:
    finish = {"finish": storable(reply.finish)} if reply.finish else {}
    return finish | ({"clip": dict(result.clip)} if result.clip else {})


def _store_judgements(plan: Plan, done: Sequence[Result]) -> list[Unread]:
    """A judgement stands as failed until its verdict is read."""
    if not done:
        return []
    repeated = [one.claimed.judged_id for one in done if one.claimed.attempt > 1]
    if repeated:
        Judgement.objects.filter(
            prediction__in=repeated, failed=True, rejudging=_rejudging(plan)
        ).delete()
    made = Judgement.objects.bulk_create(
        [
            Judgement(
                prediction_id=one.claimed.judged_id or 0,
                judge_id=plan.judge.contestant_id if plan.judge else None,
                judge_label=plan.judge_label,
                judge_version=storable(one.reply.model_version) if one.reply else "",
                rubric_version=plan.rubric_version,
                repeat=plan.judge_repeat,
                rejudging_id=_rejudging(plan),
                raw_reply=storable(one.reply.text) if one.reply else "",
                failed=True,
            )
            for one in done
        ]
    )
    return [
        _unread(one, raw=row.raw_reply, row_id=row.pk) for one, row in zip(done, made, strict=True)
    ]


def _rejudging(plan: Plan) -> int | None:
    return plan.run_id if plan.rejudges else None


def _unread(result: Result, *, raw: str, error_class: str = "", row_id: int = 0) -> Unread:
    claimed = result.claimed
    return Unread(
        stage=claimed.stage,
        work_item_id=claimed.work_item_id,
        attempt=claimed.attempt,
        faults=claimed.faults,
        repeat=claimed.repeat,
        version=claimed.version,
        raw=raw,
        error_class=error_class,
        row_id=row_id,
    )
