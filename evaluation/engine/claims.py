"""Claims work items and commits the intent of each call, with its money, before it is made."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from annotation.models import ItemVersion
from evaluation.domain import costs
from evaluation.engine import money, statements, stimulus, texts
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
    """What was claimed, and how many calls were due and left for want of money."""

    claimed: tuple[Claimed, ...] = ()
    unaffordable: int = 0


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
    found = _prepare(plan, run, versions, taken)
    claimed = _affordable(run, found)
    statements.put_back({one.work_item_id for one in found} - {one.work_item_id for one in claimed})
    _write_intents(claimed)
    return Claims(tuple(claimed), unaffordable=len(found) - len(claimed))


Place = tuple[int, int]  # item version, repeat


def _answers(run: LockedRun, taken: Sequence[Taken]) -> dict[Place, tuple[int, str]]:
    """Return id and text of the predictions that the judge items mark."""
    judged = [one.version_id for one in taken if one.stage == Stage.JUDGE]
    if not judged:
        return {}
    rows = Prediction.objects.filter(run=run.pk, item_version__in=judged).values_list(
        "item_version_id", "repeat", "pk", "answer_text"
    )
    return {(version, repeat): (pk, text) for version, repeat, pk, text in rows}


def _prepare(
    plan: Plan, run: LockedRun, versions: Versions, taken: Sequence[Taken]
) -> list[Claimed]:
    answers = _answers(run, taken)
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
        asked = texts.model_texts(plan, version)
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


def _affordable(run: LockedRun, claimed: list[Claimed]) -> list[Claimed]:
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


def _write_intents(claimed: Sequence[Claimed]) -> None:
    now = timezone.now()
    names = (
        *("work_item", "attempt", "state", "reserved", "cost", "tokens_in", "tokens_out"),
        *("error_class", "started_at"),
    )
    insert_each(
        Call,
        names,
        [
            (one.work_item_id, one.attempt, CallState.INTENT, one.reserved, 0, 0, 0, "", now)
            for one in claimed
            if one.stage != Stage.CLIP
        ],
    )
