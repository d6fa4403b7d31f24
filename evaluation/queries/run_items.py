"""What the table of a run says of its items: state, score, error, latency, tokens, cost, tries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import Count, Max, Q, Sum
from django.utils import timezone

from annotation.models.item import Kind
from evaluation.models import Call, Judgement, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import CallState, Stage, WorkState
from evaluation.queries.run_item_filter import NO_ANSWER

TEXT_SHOWN = 300  # characters of a question in a row

Place = tuple[int, int]  # item version, repeat


@dataclass(frozen=True)
class ItemRow:
    """One answer of a run. `score` and `most` in points, latency in seconds, money in dollars;
    `so_far` are the seconds since the call under way began, `wait` those until the next try."""

    version_id: int
    kind: str
    number: int
    type_number: str
    question_type: str
    text: str
    video: str
    repeat: int
    state: str
    score: float | None
    most: int
    label: str
    latency: float | None
    so_far: float | None
    wait: float | None
    tokens: int
    cost: Decimal
    tries: int
    is_taken_over: bool = False

    @property
    def place(self) -> str:
        return f"{self.version_id}-{self.repeat}"


@dataclass(frozen=True)
class Spent:
    """What the calls of one answer took, both stages together but for `latency` and `tries`."""

    latency: float | None = None
    began: datetime | None = None
    tokens: int = 0
    cost: Decimal = Decimal(0)
    tries: int = 0


def item_rows(run: Run, found: Sequence[WorkItem | Prediction]) -> list[ItemRow]:
    """Return what the table says of each of `found`, read with its version, item and video.
    Four queries."""
    here = {
        "run": run,
        "item_version__in": [one.item_version_id for one in found],
        "repeat__in": {one.repeat for one in found},
    }
    predictions = {
        (row.item_version_id, row.repeat): row
        for row in Prediction.objects.filter(**here | {"run": run.answered_by}).defer(
            "raw_reply", "answer_text"
        )
    }
    judges = {
        (row.item_version_id, row.repeat): row
        for row in WorkItem.objects.filter(stage=Stage.JUDGE, **here)
    }
    verdicts = verdicts_by(run, [row.pk for row in predictions.values()])
    spent, now = _spent(run, found), timezone.now()
    return [_row(one, predictions, judges, verdicts, spent, now) for one in found]


def verdicts_by(run: Run, predictions: Sequence[int]) -> dict[int, Judgement]:
    """Return by prediction the verdict that counts in `run`. One query."""
    rows = Judgement.objects.by(run).filter(prediction__in=predictions, failed=False)
    return {row.prediction_id: row for row in rows.order_by("pk")}


def question_types(run: Run) -> list[str]:
    """Return the question types among the items of the run's release."""
    kept = run.release.release_items.filter(keep=True).order_by()
    return sorted(set(kept.values_list("item_version__question_type", flat=True).distinct()))


def _spent(run: Run, found: Sequence[WorkItem | Prediction]) -> dict[Place, Spent]:
    predict = Q(work_item__stage=Stage.PREDICT)
    rows = (
        Call.objects.filter(
            work_item__run=run,
            work_item__item_version__in=[one.item_version_id for one in found],
            work_item__repeat__in={one.repeat for one in found},
        )
        .order_by()
        .values_list("work_item__item_version", "work_item__repeat")
        .annotate(
            latency=Max("latency", filter=predict),
            began=Max("started_at", filter=Q(state=CallState.INTENT)),
            tokens_in=Sum("tokens_in"),
            tokens_out=Sum("tokens_out"),
            money=Sum("cost"),
            tries=Count("pk", filter=predict),
        )
    )
    return {
        (version, repeat): Spent(
            latency, began, (sent or 0) + (got or 0), cost or Decimal(0), tries
        )
        for version, repeat, latency, began, sent, got, cost, tries in rows
    }


def _row(
    one: WorkItem | Prediction,
    predictions: Mapping[Place, Prediction],
    judges: Mapping[Place, WorkItem],
    verdicts: Mapping[int, Judgement],
    spent: Mapping[Place, Spent],
    now: datetime,
) -> ItemRow:
    version = one.item_version
    place = (version.pk, one.repeat)
    prediction, judge = predictions.get(place), judges.get(place)
    item = one if isinstance(one, WorkItem) else None
    verdict = verdicts.get(prediction.pk) if prediction else None
    used = spent.get(place, Spent())
    state = state_of(judge or item, prediction)
    due = (judge or item).not_before if (judge or item) is not None else None  # type: ignore[union-attr]
    return ItemRow(
        version_id=version.pk,
        kind="MCQ" if version.item.kind == Kind.MCQ else "Free",
        number=version.item.index + 1,
        type_number=type_number(version.question_type),
        question_type=version.question_type,
        text=version.stem[:TEXT_SHOWN],
        video=version.item.video.title,
        repeat=one.repeat,
        state=state,
        score=score_of(prediction, verdict),
        most=1 if version.item.kind == Kind.MCQ else 2,
        label=_label(item, judge, prediction, verdict),
        latency=used.latency or (prediction.latency if prediction else None),
        so_far=_seconds(used.began, now) if state == "in-flight" else None,
        wait=max(0.0, -_seconds(due, now)) if due and state == "retrying" else None,
        tokens=used.tokens or (prediction.tokens_in + prediction.tokens_out if prediction else 0),
        cost=used.cost,
        tries=used.tries or (item.attempt if item else 0),
        is_taken_over=prediction is not None and prediction.taken_from_id is not None,
    )


def _seconds(since: datetime | None, now: datetime) -> float:
    return (now - since).total_seconds() if since else 0.0


def state_of(step: WorkItem | None, prediction: Prediction | None) -> str:
    """Return the state of an answer by its last step, or by its reply where it has no step."""
    if step is None:
        lost = prediction is None or prediction.outcome == Outcome.FAILED
        return WorkState.FAILED.value if lost else WorkState.DONE.value
    if step.state == WorkState.WAITING:
        return "retrying" if step.attempt else "waiting"
    return "in-flight" if step.state == WorkState.CLAIMED else step.state


def score_of(prediction: Prediction | None, verdict: Judgement | None) -> float | None:
    """Return the points of a reply, None where it has no score."""
    if prediction is None:
        return None
    if prediction.score is not None or verdict is None:
        return 0.0 if prediction.outcome in NO_ANSWER else prediction.score
    return verdict.score


def _label(
    item: WorkItem | None,
    judge: WorkItem | None,
    prediction: Prediction | None,
    verdict: Judgement | None,
) -> str:
    if verdict is not None and verdict.error_type not in ("", "none"):
        return verdict.error_type
    if prediction is not None and prediction.outcome in NO_ANSWER:
        return prediction.error_class or prediction.outcome
    if judge is not None and judge.error_class and judge.state != WorkState.DONE:
        return f"judge: {judge.error_class}"
    if item is None:
        return prediction.error_class if prediction else ""
    return item.error_class if item.state != WorkState.DONE else ""


def type_number(question_type: str) -> str:
    """Return "T1" for "Type1_ActionGoalReasoning"; "" for another naming."""
    head = question_type.split("_", 1)[0]
    digits = head.removeprefix("Type")
    return f"T{digits}" if head.startswith("Type") and digits.isdigit() else ""
