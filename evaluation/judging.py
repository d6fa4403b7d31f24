"""Hands free responses that came from elsewhere to a judge, through the engine's ledger."""

from decimal import Decimal

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet

from evaluation.domain import rubric
from evaluation.engine.plan import pin_price
from evaluation.engine.wake import wake_pumps
from evaluation.models import Contestant, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import RunState, Stage

BATCH = 1000


def submission_judge() -> Contestant | None:
    """Return the model that judges submissions here, if SONOVQA_SUBMISSION_JUDGE names one."""
    name = settings.SUBMISSION_JUDGE
    return Contestant.objects.filter(name=name, can_judge=True).first() if name else None


def unjudged(run: Run) -> QuerySet[Prediction]:
    """Return the free responses of `run` for which no judge has been asked yet."""
    asked = WorkItem.objects.filter(
        run=OuterRef("run"),
        item_version=OuterRef("item_version"),
        repeat=OuterRef("repeat"),
        stage=Stage.JUDGE,
    )
    free = Prediction.objects.filter(
        run=run, outcome=Outcome.ANSWERED, item_version__key_index__isnull=True
    )
    return free.exclude(Exists(asked))


def hand_to_judge(run: Run, judge: Contestant, *, budget: Decimal) -> int:
    """Queue `run` for the free responses that no judge was asked for; return how many.

    The judge works as in every run: the same rubric, and nothing says who answered. `budget` in
    US dollars is added to what the run has spent. Call it inside a transaction that holds the
    run's row. Without such responses nothing changes.
    """
    count = unjudged(run).count()
    if not count:
        return 0
    run.judge, run.judge_label, run.rubric_version = judge, judge.name, rubric.CURRENT
    run.budget = run.spent + budget
    run.extra = run.extra | {
        "judge_price": pin_price(judge),
        "judge_parameters": judge.parameters,
        "answers": Prediction.objects.filter(run=run).count(),
        "free_answers": run.extra.get("free_answers", 0) + count,
    }
    if run.state not in (RunState.QUEUED, RunState.RUNNING):
        run.state, run.finished_at = RunState.QUEUED, None
    run.save()
    _queue(run)
    wake_pumps(run)
    return count


def _queue(run: Run) -> None:
    """Queue a judge's work for each, one batch in memory at a time."""
    last = 0
    while True:
        rows = unjudged(run).filter(pk__gt=last).order_by("pk")
        batch = list(rows.values_list("pk", "item_version_id", "repeat")[:BATCH])
        if not batch:
            return
        last = batch[-1][0]
        items = [
            WorkItem(run=run, item_version_id=version, repeat=repeat, stage=Stage.JUDGE)
            for _, version, repeat in batch
        ]
        WorkItem.objects.bulk_create(items, ignore_conflicts=True)
