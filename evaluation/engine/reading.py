"""Reads stored replies: answers of MCQs, free responses, verdicts of the judge."""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotation.models.item import Kind
from evaluation.domain.letters import letter
from evaluation.domain.mcq import ReadOutcome, is_refusal, read_reply
from evaluation.domain.rubric import BadVerdict, read_verdict
from evaluation.engine.clock import from_now
from evaluation.engine.plan import Plan
from evaluation.engine.replies import FAULTS_ALLOWED, pause_before
from evaluation.engine.rows import update_each
from evaluation.engine.work import Unread
from evaluation.models import Judgement, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Stage, WorkState
from sonovqa.adapters.errors import ErrorClass

OUTCOMES = {
    ReadOutcome.ANSWERED: Outcome.ANSWERED,
    ReadOutcome.ABSTAINED: Outcome.ABSTAINED,
    ReadOutcome.REFUSED: Outcome.REFUSED,
}


def read(plan: Plan, unread: Sequence[Unread]) -> None:
    """Read stored replies and write down what they say; reading twice changes nothing.

    Call it inside a transaction that holds the run's row.
    """
    if not unread:
        return
    predictions = [one for one in unread if one.stage == Stage.PREDICT]
    read_rows = [_read_prediction(plan, one) for one in predictions]
    places = [(plan.run_id, one.version.pk, one.repeat) for one in predictions]
    update_each(
        Prediction,
        ("run", "item_version", "repeat"),
        ("outcome", "chosen", "score", "answer_text"),
        [(*place, *row) for place, row in zip(places, read_rows, strict=True)],
    )
    if plan.judge is not None:
        _ask_judge(plan, predictions, read_rows)
    _read_judgements(plan, [one for one in unread if one.stage == Stage.JUDGE])


def unread_of(plan: Plan, limit: int = 500) -> list[Unread]:
    """Return replies that a dead worker stored and did not read."""
    return [*_unread_predictions(plan, limit), *_unread_judgements(plan, limit)]


PredictionRow = tuple[str, int | None, float | None, str]


def _read_prediction(plan: Plan, one: Unread) -> PredictionRow:
    """Return outcome, chosen option, score and answer text."""
    if one.error_class:
        refused = one.error_class == ErrorClass.REFUSED
        outcome = Outcome.REFUSED if refused else Outcome.ABSTAINED
        return outcome, None, _no_points(one), ""
    if one.version.item.kind == Kind.FREE:
        return _free_outcome(one.raw), None, None, one.raw
    order = plan.order_of(one.version, one.repeat)
    reading = read_reply(one.raw, len(order))
    if reading.index is None:
        return OUTCOMES[reading.outcome], None, 0.0, ""
    chosen = order[reading.index]
    score = 1.0 if chosen == one.version.key_index else 0.0
    return Outcome.ANSWERED, chosen, score, letter(reading.index)


def _no_points(one: Unread) -> float | None:
    """A free response without an answer gets its 0 where it is counted, not here."""
    return 0.0 if one.version.item.kind == Kind.MCQ else None


def _free_outcome(raw: str) -> str:
    return Outcome.REFUSED if len(raw) < 400 and is_refusal(raw) else Outcome.ANSWERED


def _ask_judge(plan: Plan, predictions: Sequence[Unread], rows: Sequence[PredictionRow]) -> None:
    WorkItem.objects.bulk_create(
        [
            WorkItem(
                run_id=plan.run_id, item_version=one.version, repeat=one.repeat, stage=Stage.JUDGE
            )
            for one, row in zip(predictions, rows, strict=True)
            if one.version.item.kind == Kind.FREE and row[0] == Outcome.ANSWERED
        ],
        ignore_conflicts=True,
    )


def _read_judgements(plan: Plan, judgements: Sequence[Unread]) -> None:
    rows = []
    for one in judgements:
        try:
            verdict = read_verdict(one.raw)
        except BadVerdict as error:
            _judge_failed(plan, one, str(error))
        else:
            rows.append((one.row_id, False, verdict.score, verdict.error_type, verdict.explanation))
    update_each(Judgement, ("id",), ("failed", "score", "error_type", "explanation"), rows)


def _judge_failed(plan: Plan, one: Unread, message: str) -> None:
    """An unreadable verdict is a fault of the judge: asked again, then failed; never a 0."""
    faults = one.faults + 1
    changes = {
        "faults": faults,
        "error_class": ErrorClass.UNPARSABLE,
        "error_message": message[:500],
        "token": "",
    }
    if faults < FAULTS_ALLOWED and not plan.strict:
        pause = from_now(pause_before(one.attempt, None))
        changes |= {"state": WorkState.WAITING, "not_before": pause, "finished_at": None}
    else:
        changes |= {"state": WorkState.FAILED, "finished_at": timezone.now()}
    WorkItem.objects.filter(pk=one.work_item_id, state=WorkState.DONE, attempt=one.attempt).update(
        **changes
    )


def _unread_predictions(plan: Plan, limit: int) -> list[Unread]:
    rows = (
        Prediction.objects.filter(run_id=plan.run_id, outcome=Outcome.PENDING)
        .select_related("item_version__item")
        .order_by("pk")[:limit]
    )
    return [
        Unread(
            stage=Stage.PREDICT, work_item_id=0, attempt=0, faults=0,
            repeat=row.repeat, version=row.item_version, raw=row.raw_reply,
            error_class=row.error_class,
        )
        for row in rows
    ]  # fmt: skip


def unread_judgements(run: Run) -> QuerySet[Judgement]:
    """Return the judgements that are not read yet: failed ones whose work item counts as done."""
    done = WorkItem.objects.filter(
        run=run,
        stage=Stage.JUDGE,
        state=WorkState.DONE,
        item_version=OuterRef("prediction__item_version"),
        repeat=OuterRef("prediction__repeat"),
    )
    return (
        Judgement.objects.by(run)
        .filter(failed=True)
        .filter(Exists(done), judge_label=run.judge_label, rubric_version=run.rubric_version)
    )


def _unread_judgements(plan: Plan, limit: int) -> list[Unread]:
    if plan.judge is None:
        return []
    rows = (
        unread_judgements(Run.objects.get(pk=plan.run_id))
        .select_related("prediction__item_version__item")
        .order_by("pk")[:limit]
    )
    found = []
    for row in rows:
        prediction = row.prediction
        item = WorkItem.objects.get(
            run_id=plan.run_id,
            item_version=prediction.item_version_id,
            repeat=prediction.repeat,
            stage=Stage.JUDGE,
        )
        found.append(
            Unread(
                row_id=row.pk, stage=Stage.JUDGE, work_item_id=item.pk, attempt=item.attempt,
                faults=item.faults, repeat=prediction.repeat, version=prediction.item_version,
                raw=row.raw_reply,
            )
        )  # fmt: skip
    return found
