"""Takes stored predictions and verdicts of an earlier run over into one that extends it."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from annotation.models.item import Kind
from evaluation.models import Judgement, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Stage, WorkState
from evaluation.queries.extending import Match, matches

COPIED = (
    *("repeat", "outcome", "raw_reply", "answer_text", "chosen", "shown_order", "score"),
    *("error_class", "error_message", "latency", "tokens_in", "tokens_out", "model_version"),
    *("clip_sha256", "extra"),
)
VERDICT_COPIED = (
    *("judge_id", "judge_label", "judge_version", "rubric_version", "repeat", "score"),
    *("error_type", "explanation", "raw_reply"),
)


def take_over(run: Run, earlier: Run) -> int:
    """Copy what `earlier` has answered of the items of `run`, with the verdicts that still hold,
    and mark those steps as done; return how many answers. Call it in the transaction that
    writes the work list. Twice copies once."""
    count = 0
    for batch in matches(earlier, run.release):
        count += len(_copy(run, batch))
    return count


def _copy(run: Run, batch: Sequence[Match]) -> list[Prediction]:
    made = Prediction.objects.bulk_create(
        [
            Prediction(
                run=run,
                item_version_id=one.version_id,
                taken_from=one.prediction,
                **{name: getattr(one.prediction, name) for name in COPIED},
            )
            for one in batch
        ]
    )
    now = timezone.now()
    steps = [_done(run, row, Stage.PREDICT, now) for row in made]
    if run.judge_id is not None:
        judged = _copy_verdicts(run, batch, made)
        answered = [
            row
            for row, one in zip(made, batch, strict=True)
            if row.outcome == Outcome.ANSWERED and _is_free(one)
        ]
        steps += [
            _done(run, row, Stage.JUDGE, now)
            if row.pk in judged
            else WorkItem(
                run=run, item_version_id=row.item_version_id, repeat=row.repeat, stage=Stage.JUDGE
            )
            for row in answered
        ]
    WorkItem.objects.bulk_create(steps, ignore_conflicts=True)
    return made


def _is_free(one: Match) -> bool:
    return one.prediction.item_version.item.kind == Kind.FREE


def _done(run: Run, row: Prediction, stage: str, now: datetime) -> WorkItem:
    return WorkItem(
        run=run, item_version_id=row.item_version_id, repeat=row.repeat, stage=stage,
        state=WorkState.DONE, finished_at=now,
    )  # fmt: skip


def _copy_verdicts(run: Run, batch: Sequence[Match], made: Sequence[Prediction]) -> set[int]:
    """Copy the verdicts that hold; return the ids of the new predictions that have one."""
    holds = [one.prediction.pk for one in batch if one.verdict_holds]
    stored = Judgement.objects.own().filter(
        prediction__in=holds, failed=False,
        judge_label=run.judge_label, rubric_version=run.rubric_version,
    )  # fmt: skip
    by_prediction: dict[int, list[Judgement]] = defaultdict(list)
    for verdict in stored.order_by("pk"):
        by_prediction[verdict.prediction_id].append(verdict)
    copies = [
        Judgement(prediction=row, **{name: getattr(verdict, name) for name in VERDICT_COPIED})
        for row, one in zip(made, batch, strict=True)
        for verdict in by_prediction[one.prediction.pk]
    ]
    Judgement.objects.bulk_create(copies)
    return {copy.prediction_id for copy in copies}
