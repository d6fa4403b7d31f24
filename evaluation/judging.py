"""Hands free responses that came from elsewhere to a judge, through the engine's ledger."""

from decimal import Decimal

from django.db.models import Exists, OuterRef, QuerySet

from evaluation.domain import rubric
from evaluation.engine.plan import pin_price
from evaluation.engine.wake import wake_pumps
from evaluation.models import Contestant, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import RunState, Stage

BATCH = 1000


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
    rows = list(unjudged(run).values_list("item_version_id", "repeat"))
    if not rows:
        return 0
    run.judge, run.judge_label, run.rubric_version = judge, judge.name, rubric.CURRENT
    run.budget = run.spent + budget
    run.extra = run.extra | {
        "judge_price": pin_price(judge),
        "judge_parameters": judge.parameters,
        "answers": Prediction.objects.filter(run=run).count(),
        "free_answers": run.extra.get("free_answers", 0) + len(rows),
    }
    if run.state not in (RunState.QUEUED, RunState.RUNNING):
        run.state, run.finished_at = RunState.QUEUED, None
    run.save()
    items = [
        WorkItem(run=run, item_version_id=version, repeat=repeat, stage=Stage.JUDGE)
        for version, repeat in rows
    ]
    WorkItem.objects.bulk_create(items, batch_size=BATCH, ignore_conflicts=True)
    wake_pumps(run)
    return len(rows)
