"""Budgets hold: nothing begins that could exceed them, whatever the cap."""

import random
from decimal import Decimal

import pytest

from evaluation.actions.runs import RunRefused, create_run, resume_run, start_run
from evaluation.engine.pump import pump
from evaluation.models import Call, Contestant, Run
from tests.standins.model_script import Fault, Script

pytestmark = pytest.mark.django_db(transaction=True)


def test_budget_is_never_overshot_over_random_caps(queued, server, admin_user):
    draw = random.Random(11)
    server.script(Script(faults=[Fault("overload", share=0.05), Fault("drop", share=0.02)]))
    drafts = [queued(videos=2, budget=Decimal("0.05"), start=False)]
    drafts += [
        create_run(
            benchmark=drafts[0].benchmark, release=drafts[0].release, by=admin_user,
            contestant=drafts[0].contestant, condition="blind", judge=drafts[0].judge,
            budget=Decimal(draw.randint(100, 60_000)) / 1_000_000,
        )
        for _ in range(24)
    ]  # fmt: skip
    states = set()
    for run in drafts:
        start_run(run=run, by=admin_user)
        pump(run.pk)
        run.refresh_from_db()
        assert run.reserved == 0
        assert run.spent <= run.budget
        states.add(run.state)
    assert states == {"done", "paused"}, "the caps have to reach both sides"


def test_run_out_of_money_pauses_and_goes_on_with_more(queued, server, admin_user):
    run = queued(videos=3, budget=Decimal("0.006"))
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "paused"
    assert "budget" in run.state_reason
    before = server.counted.calls
    assert 0 < before < 9

    resume_run(run=run, by=admin_user, budget=Decimal(1))
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert server.counted.calls == 9
    assert Call.objects.filter(work_item__run=run).count() == 9


def test_budget_without_a_price_is_refused(queued):
    Contestant.objects.update(price_out=None)
    with pytest.raises(RunRefused, match="no price"):
        queued(budget=Decimal(1), contestant=Contestant.objects.get())
    assert not Run.objects.exists()


@pytest.mark.parametrize("budget", ["0", "-1", "NaN", "Infinity", "1000000"])
def test_budget_out_of_bounds_is_refused(queued, budget):
    with pytest.raises(RunRefused, match="budget"):
        queued(budget=Decimal(budget))
