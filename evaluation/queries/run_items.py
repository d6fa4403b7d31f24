"""The items of a run, page by page: state, score, error, latency, tokens, cost, tries."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Sum
from django.db.models.expressions import Combinable

from annotation.models.item import Kind
from evaluation.models import Call, Judgement, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Origin, Stage, WorkState

PAGE = 50
STATES = ("done", "failed", "retrying", "in-flight", "waiting")
SEARCH_LENGTH = 100


@dataclass(frozen=True)
class ItemFilter:
    """What the items are narrowed to; "" lets everything through."""

    text: str = ""
    kind: str = ""
    question_type: str = ""
    state: str = ""
    error: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "ItemFilter":
        """Read a query string; what is unknown is dropped."""
        state = asked.get("state", "")
        kind = asked.get("kind", "")
        return cls(
            text=asked.get("q", "")[:SEARCH_LENGTH].replace("\x00", ""),
            kind=kind if kind in Kind.values else "",
            question_type=asked.get("type", "")[:64].replace("\x00", ""),
            state=state if state in STATES else "",
            error=asked.get("error", "")[:24].replace("\x00", ""),
        )


@dataclass(frozen=True)
class ItemRow:
    """One answer of a run. `score` and `most` in points, latency in seconds, money in dollars."""

    item_id: int
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
    tokens: int
    cost: Decimal
    tries: int


def item_page(run: Run, wanted: ItemFilter, number: str) -> tuple[Page, list[ItemRow]]:
    """Return one page of items, the last finished first; `number` as it was typed. Six queries."""
    page = Paginator(_chosen(run, wanted), PAGE).get_page(number)
    return page, _rows(run, list(page.object_list))


def question_types(run: Run) -> list[str]:
    """Return the question types among the items of the run's release."""
    kept = run.release.release_items.filter(keep=True).order_by()
    return sorted(set(kept.values_list("item_version__question_type", flat=True).distinct()))


def _chosen(run: Run, wanted: ItemFilter) -> QuerySet[WorkItem]:
    asked = Q(stage=Stage.PREDICT) | (Q(stage=Stage.CLIP) & ~Q(state=WorkState.DONE))
    if run.origin != Origin.ENGINE:
        asked = Q(stage=Stage.JUDGE)  # the answers came from elsewhere
    items = WorkItem.objects.filter(asked, run=run).select_related("item_version__item__video")
    if wanted.text:
        items = items.filter(item_version__stem__icontains=wanted.text)
    if wanted.kind:
        items = items.filter(item_version__item__kind=wanted.kind)
    if wanted.question_type:
        items = items.filter(item_version__question_type=wanted.question_type)
    if wanted.error:
        items = items.filter(_has_error(run, wanted.error))
    if wanted.state:
        items = items.filter(_in_state(run, wanted.state))
    return items.order_by("-finished_at", "pk")


def _judge_item(run: Run) -> QuerySet[WorkItem]:
    return WorkItem.objects.filter(
        run=run,
        stage=Stage.JUDGE,
        item_version=OuterRef("item_version"),
        repeat=OuterRef("repeat"),
    )


def _has_error(run: Run, error: str) -> Combinable | Q:
    reply = Prediction.objects.filter(
        run=run, item_version=OuterRef("item_version"), repeat=OuterRef("repeat"), outcome=error
    )
    called = Call.objects.filter(work_item=OuterRef("pk"), error_class=error)
    return (
        Q(error_class=error)
        | Exists(called)
        | Exists(reply)
        | Exists(_judge_item(run).filter(error_class=error))
    )


def _in_state(run: Run, state: str) -> Combinable | Q:
    judge = _judge_item(run)
    lost = [WorkState.FAILED, WorkState.UNKNOWN]
    if state == "done":
        return Q(state=WorkState.DONE) & ~Exists(judge.exclude(state=WorkState.DONE))
    if state == "failed":
        return Q(state__in=lost) | Exists(judge.filter(state__in=lost))
    if state == "in-flight":
        return Q(state=WorkState.CLAIMED) | Exists(judge.filter(state=WorkState.CLAIMED))
    again = Q(state=WorkState.WAITING, attempt__gt=0)
    if state == "retrying":
        return again | Exists(judge.filter(again))
    first = Q(state=WorkState.WAITING, attempt=0)
    return first | Exists(judge.filter(first))


Place = tuple[int, int]  # item version, repeat


def _rows(run: Run, items: list[WorkItem]) -> list[ItemRow]:
    versions = [item.item_version_id for item in items]
    here = {"run": run, "item_version__in": versions}
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
    verdicts = {
        row.prediction_id: row
        for row in Judgement.objects.by(run)
        .filter(prediction__in=[row.pk for row in predictions.values()], failed=False)
        .order_by("pk")
    }
    calls = {
        (version, repeat): numbers
        for version, repeat, *numbers in Call.objects.filter(
            work_item__run=run, work_item__item_version__in=versions
        )
        .order_by()
        .values_list("work_item__item_version", "work_item__repeat")
        .annotate(
            latency=Max("latency", filter=Q(work_item__stage=Stage.PREDICT)),
            tokens_in=Sum("tokens_in"),
            tokens_out=Sum("tokens_out"),
            cost=Sum("cost"),
            tries=Count("pk", filter=Q(work_item__stage=Stage.PREDICT)),
        )
    }
    return [_row(item, predictions, judges, verdicts, calls) for item in items]


def _row(
    item: WorkItem,
    predictions: dict[Place, Prediction],
    judges: dict[Place, WorkItem],
    verdicts: dict[int, Judgement],
    calls: dict[Place, list],
) -> ItemRow:
    version = item.item_version
    place = (version.pk, item.repeat)
    prediction, judge = predictions.get(place), judges.get(place)
    verdict = verdicts.get(prediction.pk) if prediction else None
    latency, tokens_in, tokens_out, cost, tries = calls.get(place, [None, 0, 0, Decimal(0), 0])
    is_mcq = version.item.kind == Kind.MCQ
    return ItemRow(
        item_id=version.item_id,
        kind="MCQ" if is_mcq else "Free",
        number=version.item.index + 1,
        type_number=_type_number(version.question_type),
        question_type=version.question_type,
        text=version.item.text,
        video=version.item.video.title,
        repeat=item.repeat,
        state=_state(item, judge),
        score=_score(is_mcq, prediction, verdict),
        most=1 if is_mcq else 2,
        label=_label(item, judge, prediction, verdict),
        latency=latency,
        tokens=(tokens_in or 0) + (tokens_out or 0),
        cost=cost or Decimal(0),
        tries=tries or item.attempt,
    )


def _state(item: WorkItem, judge: WorkItem | None) -> str:
    step = judge or item
    if step.state == WorkState.WAITING:
        return "retrying" if step.attempt else "waiting"
    return {WorkState.CLAIMED: "in-flight"}.get(WorkState(step.state), step.state)


def _score(is_mcq: bool, prediction: Prediction | None, verdict: Judgement | None) -> float | None:
    if prediction is None:
        return None
    if is_mcq:
        return prediction.score
    if verdict is not None:
        return verdict.score
    return 0.0 if prediction.outcome in (Outcome.ABSTAINED, Outcome.REFUSED) else None


def _label(
    item: WorkItem,
    judge: WorkItem | None,
    prediction: Prediction | None,
    verdict: Judgement | None,
) -> str:
    if verdict is not None and verdict.error_type not in ("", "none"):
        return verdict.error_type
    if prediction is not None and prediction.outcome in (Outcome.ABSTAINED, Outcome.REFUSED):
        return prediction.error_class or prediction.outcome
    if judge is not None and judge.error_class and judge.state != WorkState.DONE:
        return f"judge: {judge.error_class}"
    return item.error_class if item.state != WorkState.DONE else ""


def _type_number(question_type: str) -> str:
    """Return "T1" for "Type1_ActionGoalReasoning"; "" for another naming."""
    head = question_type.split("_", 1)[0]
    digits = head.removeprefix("Type")
    return f"T{digits}" if head.startswith("Type") and digits.isdigit() else ""
