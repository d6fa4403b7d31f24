"""Lets a judge mark stored free responses once more: no model is asked, no verdict replaced."""

from decimal import Decimal

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.actions.run_checks import RunRefused, check_judge
from evaluation.domain import rubric
from evaluation.engine.plan import pin_price
from evaluation.engine.wake import wake_pumps
from evaluation.judging import hand_to_judge
from evaluation.models import Contestant, Run, WorkItem
from evaluation.models.run import ENDED, Origin, RunState, Stage
from evaluation.queries.rejudging import at_work, free_answers, has_own_verdicts, next_repeat
from sonovqa.code_version import code_version

BATCH = 1000


@transaction.atomic
def rejudge_run(
    *,
    run: Run,
    judge: Contestant,
    budget: Decimal,
    by: User,
    swapped: bool = False,
    beside: bool = False,
) -> Run:
    """Let `judge` mark the stored free responses of `run`, within `budget` US dollars.

    Returns the queued run that does it: one that `rejudges` the other, with its own ledger,
    budget, pause and cancel. Its verdicts stand beside the old ones. The same judge again is
    its next repeat; while one of its runs is at work that one is returned, so that a request sent
    twice is paid once, unless another is wanted `beside` it. Where `run` has never been judged, its
    own ledger asks the judge and `run` itself is returned: these verdicts are the ones that its
    figures rest on.

    Where `swapped`, the judge reads the answer before the reference. The version of the rubric
    says so, and these verdicts tell how far the order sways the judge and nothing else.

    Raises RunRefused where it cannot be done, PermissionDenied unless `by` may run.
    """
    require(by, Verb.RUN)
    locked = Run.objects.select_for_update().get(pk=run.pk)
    check_judge(judge, budget)
    _check(locked)
    answers = list(free_answers(locked).values_list("item_version_id", "repeat").distinct())
    if not answers:
        raise RunRefused("This run has no free response that a judge could mark.")
    if has_own_verdicts(locked):
        if not beside and (working := at_work(locked, judge, swapped=swapped)):
            return working
        version = rubric.in_other_order(rubric.CURRENT) if swapped else rubric.CURRENT
        made = _make(locked, judge, budget, by, answers, version)
    elif swapped:
        raise RunRefused(
            "No judge has marked this run yet; let one mark it in the usual order first."
        )
    else:
        hand_to_judge(locked, judge, budget=budget)
        made = locked
    record(
        by=by,
        verb="rejudge_run",
        target_kind="run",
        target_id=made.pk,
        benchmark_id=made.benchmark_id,
        after={
            "rejudges": run.pk,
            "judge": judge.name,
            "repeat": made.judge_repeat,
            "rubric": made.rubric_version,
            "answers": len(answers),
            "budget": str(budget),
        },
    )
    return made


def _check(run: Run) -> None:
    if run.rejudges_id:
        raise RunRefused("This run judges another one again; choose that one.")
    if run.state not in ENDED:
        raise RunRefused("The run is still working; it can be judged again when it is done.")


def _make(
    run: Run,
    judge: Contestant,
    budget: Decimal,
    by: User,
    answers: list[tuple[int, int]],
    rubric_version: str,
) -> Run:
    made = Run.objects.create(
        benchmark_id=run.benchmark_id,
        release_id=run.release_id,
        contestant_id=run.contestant_id,
        condition=run.condition,
        origin=Origin.REJUDGE,
        state=RunState.QUEUED,
        repeats=run.repeats,
        rejudges=run,
        judge=judge,
        judge_label=judge.name,
        judge_repeat=next_repeat(run, judge.name, rubric_version),
        rubric_version=rubric_version,
        order_seed=run.order_seed,
        model_id_asked=run.model_id_asked,
        budget=budget,
        code_version=code_version(),
        started_by=by,
        extra={
            "judge_price": pin_price(judge),
            "judge_parameters": judge.parameters,
            "answers": len(answers),
            "free_answers": len(answers),
        },
    )
    WorkItem.objects.bulk_create(
        [
            WorkItem(run=made, item_version_id=version, repeat=repeat, stage=Stage.JUDGE)
            for version, repeat in answers
        ],
        batch_size=BATCH,
    )
    wake_pumps(made)
    return made
