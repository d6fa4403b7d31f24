"""Claims work items and commits the intent of each call, with its money, before it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal

from django.utils import timezone

from annotation.models import ItemVersion
from evaluation.domain import costs
from evaluation.engine import money, months, statements, stimulus, texts
from evaluation.engine.plan import Plan, Side
from evaluation.engine.rows import insert_each
from evaluation.engine.statements import LockedRun, Taken
from evaluation.engine.versions import Versions
from evaluation.engine.work import Claimed, Room
from evaluation.models import Call, Prediction
from evaluation.models.run import CallState, Stage

DEFAULT_FPS = 1.0


@dataclass(frozen=True)
class Claims:
    """What was claimed, and how many calls were due and left for want of money, and whose."""

    claimed: tuple[Claimed, ...] = ()
    unaffordable: int = 0
    why: str = ""


def claim(
    plan: Plan,
    run: LockedRun,
    versions: Versions,
    room: Room,
    *,
    token: str,
    lease: float,
) -> Claims:
    """Claim as much of `run` as there is room for, for the holder of `token`.

    Call it inside a transaction that holds the run's row: what it returns may be worked on
    once that transaction has committed. Claims only what the budget still covers.
    """
    judgements = room.judgements if plan.judge is not None else 0
    taken: list[Taken] = []
    for stage, most in ((Stage.JUDGE, judgements), (Stage.PREDICT, room.predictions)):
        count = min(most, room.calls - len(taken))
        if count > 0:
            taken += statements.take(run.pk, stage, count, token=token, lease=lease)
    if plan.needs_media and room.clips > 0:
        taken += statements.take(run.pk, Stage.CLIP, room.clips, token=token, lease=lease)
    if not taken:
        return Claims()
    found = _prepare(plan, versions, taken)
    now = timezone.now()
    claims = _affordable(plan, run, found, months.month_of(now))
    kept = {one.work_item_id for one in claims.claimed}
    statements.put_back({one.work_item_id for one in found} - kept)
    _write_intents(claims.claimed, now)
    return claims


Place = tuple[int, int]  # item version, repeat


def _answers(plan: Plan, taken: Sequence[Taken]) -> dict[Place, tuple[int, str]]:
    """Return id and text of the predictions that the judge items mark."""
    judged = [one.version_id for one in taken if one.stage == Stage.JUDGE]
    if not judged:
        return {}
    rows = Prediction.objects.filter(run=plan.answered_by, item_version__in=judged).values_list(
        "item_version_id", "repeat", "pk", "answer_text"
    )
    return {(version, repeat): (pk, text) for version, repeat, pk, text in rows}


def _prepare(plan: Plan, versions: Versions, taken: Sequence[Taken]) -> list[Claimed]:
    answers = _answers(plan, taken)
    known = versions.get({one.version_id for one in taken})
    return [
        _prepare_one(plan, one, known[one.version_id], answers.get((one.version_id, one.repeat)))
        for one in taken
    ]


def _prepare_one(
    plan: Plan, taken: Taken, version: ItemVersion, answer: tuple[int, str] | None
) -> Claimed:
    judged_id, side = None, plan.model
    if taken.stage == Stage.JUDGE:
        if answer is None or plan.judge is None:
            raise LookupError(f"work item {taken.pk} has no reply to judge")
        judged_id, side = answer[0], plan.judge
        asked = texts.judge_texts(plan, version, answer[1])
    else:
        asked = texts.model_texts(plan, version, taken.repeat)
    reserved, tokens = Decimal(0), 0
    if taken.stage != Stage.CLIP:
        size = size_of(plan, side, version, len(asked.system) + len(asked.user), taken.stage)
        most = costs.most(**size, max_output_tokens=side.parameters.max_output_tokens)
        reserved = side.price.of(most.tokens_in, most.tokens_out)
        likely = costs.likely(**size)
        tokens = likely.tokens_in + likely.tokens_out
    return Claimed(
        work_item_id=taken.pk,
        attempt=taken.attempt,
        faults=taken.faults,
        stage=taken.stage,
        repeat=taken.repeat,
        version=version,
        asked=asked,
        reserved=reserved,
        judged_id=judged_id,
        tokens=tokens,
        provider_id=side.provider_id,
    )


def size_of(
    plan: Plan, side: Side, version: ItemVersion, characters: int, stage: str
) -> costs.Size:
    """Return how much one call sends."""
    frames, seconds = 0, 0.0
    if stage == Stage.PREDICT and plan.needs_media:
        if plan.wants_frames:
            frames = side.parameters.frames
        else:
            seconds = stimulus.seconds_shown(plan, version)
            frames = int(seconds * (side.parameters.fps or DEFAULT_FPS)) + 2
    return {"characters": characters, "frames": frames, "seconds": seconds}


def _affordable(plan: Plan, run: LockedRun, claimed: list[Claimed], month: date) -> Claims:
    """Keep the clips, and calls while the budget and the months' caps cover them; reserve
    their money."""
    run_left = None if run.budget is None else run.budget - run.spent - run.reserved
    sides = [plan.model, *filter(None, [plan.judge])]
    priced = any(one.reserved for one in claimed)
    caps = months.left({side.provider_id for side in sides}, month) if priced else months.Left()
    total, kept, why = Decimal(0), [], ""
    for one in claimed:
        if run_left is not None and one.reserved and total + one.reserved > run_left:
            why = "The budget does not cover the next call."
        elif one.reserved and not caps.covers(one.provider_id, one.reserved):
            why = why or "The month's cap of the provider or the site does not cover the next call."
        else:
            total += one.reserved
            kept.append(replace(one, month=month) if one.reserved else one)
    money.move(run, reserved=total)
    months.move(months.Move(one.provider_id, month, reserved=one.reserved) for one in kept)
    return Claims(tuple(kept), unaffordable=len(claimed) - len(kept), why=why)


def _write_intents(claimed: Sequence[Claimed], now: datetime) -> None:
    names = (
        *("work_item", "attempt", "state", "reserved", "cost", "tokens_in", "tokens_out"),
        *("error_class", "model_version", "started_at"),
    )
    insert_each(
        Call,
        names,
        [
            (one.work_item_id, one.attempt, CallState.INTENT, one.reserved, 0, 0, 0, "", "", now)
            for one in claimed
            if one.stage != Stage.CLIP
        ],
    )
