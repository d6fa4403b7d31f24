"""Claims work items and commits the intent of each call, with its money, before it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from annotation.models import ItemVersion
from evaluation.domain import costs
from evaluation.engine import money, texts
from evaluation.engine.clock import from_now
from evaluation.engine.plan import Plan, Side
from evaluation.engine.work import Claimed
from evaluation.models import Call, Prediction, Run, WorkItem
from evaluation.models.run import CallState, Stage, WorkState

DEFAULT_FPS = 1.0


@dataclass(frozen=True)
class Claims:
    """What was claimed, and how many calls were due and left for want of money."""

    claimed: tuple[Claimed, ...] = ()
    unaffordable: int = 0


def claim(plan: Plan, run: Run, *, token: str, calls: int, clips: int, lease: float) -> Claims:
    """Claim up to `calls` calls and `clips` clips of `run` for the holder of `token`.

    Call it inside a transaction that holds the run's row: what it returns may be worked on
    once that transaction has committed. Claims only what the budget still covers.
    """
    items: list[WorkItem] = []
    for stage in (Stage.JUDGE, Stage.PREDICT):
        if calls > len(items) and (stage != Stage.JUDGE or plan.judge is not None):
            items += _take(plan, stage, calls - len(items))
    items += _take(plan, Stage.CLIP, clips) if plan.needs_media and clips > 0 else []
    if not items:
        return Claims()
    answers = _answers(run, items)
    found = [_prepare(plan, item, answers) for item in items]
    claimed = _affordable(run, found)
    WorkItem.objects.filter(pk__in=[one.work_item_id for one in claimed]).update(
        state=WorkState.CLAIMED, token=token, attempt=F("attempt") + 1, lease_until=from_now(lease)
    )
    return Claims(tuple(_with_intents(claimed)), unaffordable=len(found) - len(claimed))


def _take(plan: Plan, stage: str, limit: int) -> list[WorkItem]:
    due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
    waiting: QuerySet[WorkItem] = WorkItem.objects.filter(
        due, run_id=plan.run_id, state=WorkState.WAITING, stage=stage
    )
    path = "item_version__item__video__source" if plan.needs_media else "item_version__item"
    waiting = waiting.select_related(path)
    if connection.features.has_select_for_update_skip_locked:
        waiting = waiting.select_for_update(skip_locked=True, of=("self",))
    return list(waiting[:limit])


def _answers(run: Run, items: Sequence[WorkItem]) -> dict[tuple[int, int], tuple[int, str]]:
    """Return id and text of the predictions that the judge items mark."""
    judged = [item.item_version_id for item in items if item.stage == Stage.JUDGE]
    if not judged:
        return {}
    rows = Prediction.objects.filter(run=run, item_version__in=judged).values_list(
        "item_version_id", "repeat", "pk", "answer_text"
    )
    return {(version, repeat): (pk, text) for version, repeat, pk, text in rows}


def _prepare(
    plan: Plan, item: WorkItem, answers: dict[tuple[int, int], tuple[int, str]]
) -> Claimed:
    version = item.item_version
    judged_id = None
    reserved = Decimal(0)
    if item.stage == Stage.JUDGE:
        judged_id, answer = answers[version.pk, item.repeat]
        asked = texts.judge_texts(plan, version, answer)
    else:
        asked = texts.model_texts(plan, version)
    if item.stage != Stage.CLIP:
        side = plan.judge if item.stage == Stage.JUDGE and plan.judge else plan.model
        reserved = reservation(plan, side, version, len(asked.system) + len(asked.user), item.stage)
    return Claimed(
        work_item_id=item.pk,
        attempt=item.attempt + 1,
        faults=item.faults,
        stage=item.stage,
        repeat=item.repeat,
        version=version,
        asked=asked,
        reserved=reserved,
        judged_id=judged_id,
    )


def reservation(
    plan: Plan, side: Side, version: ItemVersion, characters: int, stage: str
) -> Decimal:
    """Return the most that one call may cost, in dollars."""
    frames, seconds = 0, 0.0
    if stage == Stage.PREDICT and plan.needs_media:
        if plan.wants_frames:
            frames = side.parameters.frames
        else:
            seconds = version.end - version.start
            frames = int(seconds * (side.parameters.fps or DEFAULT_FPS)) + 2
    most = costs.most(
        characters=characters,
        frames=frames,
        seconds=seconds,
        max_output_tokens=side.parameters.max_output_tokens,
    )
    return side.price.of(most.tokens_in, most.tokens_out)


def _affordable(run: Run, claimed: list[Claimed]) -> list[Claimed]:
    """Keep the clips, and calls while the budget covers them; reserve their money."""
    if run.budget is None:
        total = sum((one.reserved for one in claimed), Decimal(0))
        kept = claimed
    else:
        left = run.budget - run.spent - run.reserved
        total, kept = Decimal(0), []
        for one in claimed:
            if one.stage == Stage.CLIP or total + one.reserved <= left:
                total += one.reserved
                kept.append(one)
    money.move(run, reserved=total)
    return kept


def _with_intents(claimed: list[Claimed]) -> list[Claimed]:
    calls = [
        Call(
            work_item_id=one.work_item_id,
            attempt=one.attempt,
            state=CallState.INTENT,
            reserved=one.reserved,
        )
        for one in claimed
        if one.stage != Stage.CLIP
    ]
    ids = {call.work_item_id: call.pk for call in Call.objects.bulk_create(calls)}
    return [replace(one, call_id=ids.get(one.work_item_id)) for one in claimed]


def release(run: Run, claimed: Sequence[Claimed], *, token: str) -> None:
    """Give back items that were claimed and never asked: no call was made, none is counted.

    Call it inside a transaction that holds the run's row.
    """
    if not claimed:
        return
    held = WorkItem.objects.filter(
        pk__in=[one.work_item_id for one in claimed], token=token, state=WorkState.CLAIMED
    )
    mine = set(held.values_list("pk", flat=True))
    given = [one for one in claimed if one.work_item_id in mine]
    held.update(state=WorkState.WAITING, token="", lease_until=None, attempt=F("attempt") - 1)
    Call.objects.filter(pk__in=[one.call_id for one in given if one.call_id]).delete()
    money.move(run, reserved=-sum((one.reserved for one in given), Decimal(0)))
