"""What the items of a run are narrowed to, as it stands in the address of its page."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import Combinable

from annotation.models.item import Kind
from evaluation.models import Call, Judgement, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Stage, WorkState

STATES = ("done", "failed", "retrying", "in-flight", "waiting")
SCORES = {"right": "right", "part": "half right", "wrong": "wrong", "none": "no score"}
SEARCH_LENGTH = 100
VERSION_LENGTH = 200
POINTS = {"right": (1, 2), "part": (-1, 1), "wrong": (0, 0)}  # of an MCQ, of a free response
LOST = (WorkState.FAILED, WorkState.UNKNOWN)
NO_ANSWER = (Outcome.ABSTAINED, Outcome.REFUSED)


@dataclass(frozen=True)
class ItemFilter:
    """What the items are narrowed to; "" lets everything through."""

    q: str = ""
    kind: str = ""
    type: str = ""
    state: str = ""
    score: str = ""
    error: str = ""
    model: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "ItemFilter":
        """Read a query string; what is unknown is dropped."""

        def text(name: str, longest: int) -> str:
            kept = asked.get(name, "")[:longest].replace("\x00", "")
            return kept.encode("utf-8", "ignore").decode()

        def one_of(name: str, known: object) -> str:
            value = asked.get(name, "")
            return value if isinstance(known, list | tuple | dict) and value in known else ""

        return cls(
            q=text("q", SEARCH_LENGTH),
            kind=one_of("kind", Kind.values),
            type=text("type", 64),
            state=one_of("state", STATES),
            score=one_of("score", SCORES),
            error=text("error", 24),
            model=text("model", VERSION_LENGTH),
        )

    @property
    def given(self) -> dict[str, str]:
        """Return what is set, by its name in the address."""
        return {name: value for name, value in asdict(self).items() if value}

    def __bool__(self) -> bool:
        return bool(self.given)


def narrowed(rows: QuerySet, run: Run, wanted: ItemFilter) -> QuerySet:
    """Narrow work items or predictions of `run` by all of `wanted` but the state."""
    if wanted.q:
        rows = rows.filter(item_version__stem__icontains=wanted.q)
    if wanted.kind:
        rows = rows.filter(item_version__item__kind=wanted.kind)
    if wanted.type:
        rows = rows.filter(item_version__question_type=wanted.type)
    if wanted.model:
        rows = rows.filter(Exists(_replies(run).filter(model_version=wanted.model)))
    if wanted.score:
        rows = rows.filter(_has_score(run, wanted.score))
    if wanted.error:
        rows = rows.filter(_has_error(rows, run, wanted.error))
    return rows


def in_state(rows: QuerySet, run: Run, state: str) -> QuerySet:
    """Narrow rows to those that are done, or that are predictions and not done."""
    judges = judge_steps(run)
    if rows.model is WorkItem:
        return rows.filter(~Exists(judges.exclude(state=WorkState.DONE)), state=WorkState.DONE)
    if state == "done":
        return rows.exclude(outcome=Outcome.FAILED).exclude(
            Exists(judges.exclude(state=WorkState.DONE))
        )
    failed = Exists(judges.filter(step_in(state)))
    return rows.filter(Q(outcome=Outcome.FAILED) | failed if state == "failed" else failed)


def step_in(state: str) -> Q:
    """Return which steps are in a state that is not "done"."""
    return {
        "failed": Q(state__in=LOST),
        "in-flight": Q(state=WorkState.CLAIMED),
        "retrying": Q(state=WorkState.WAITING, attempt__gt=0),
        "waiting": Q(state=WorkState.WAITING, attempt=0),
    }[state]


def judge_steps(run: Run) -> QuerySet[WorkItem]:
    """Return the judge's step of each row."""
    return WorkItem.objects.filter(
        run=run,
        stage=Stage.JUDGE,
        item_version=OuterRef("item_version"),
        repeat=OuterRef("repeat"),
    )


def _replies(run: Run) -> QuerySet[Prediction]:
    return Prediction.objects.filter(
        run=run.answered_by, item_version=OuterRef("item_version"), repeat=OuterRef("repeat")
    )


def _has_score(run: Run, score: str) -> Combinable:
    verdict = Judgement.objects.by(run).filter(prediction=OuterRef("pk"), failed=False)
    silent = Q(outcome__in=NO_ANSWER)
    if score == "none":
        scored = Q(score__isnull=False) | silent | Exists(verdict)
        return ~Exists(_replies(run).filter(scored))
    mcq, free = POINTS[score]
    points = Q(score=mcq) | Exists(verdict.filter(score=free))
    return Exists(_replies(run).filter(points | silent if score == "wrong" else points))


def _has_error(rows: QuerySet, run: Run, error: str) -> Combinable | Q:
    found = (
        Q(error_class=error)
        | Exists(_replies(run).filter(outcome=error))
        | Exists(judge_steps(run).filter(error_class=error))
    )
    if rows.model is not WorkItem:
        return found
    return found | Exists(Call.objects.filter(work_item=OuterRef("pk"), error_class=error))
