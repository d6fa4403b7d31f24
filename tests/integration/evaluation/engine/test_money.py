"""Budgets hold: nothing begins that could exceed them, whatever the cap."""

import random
import threading
from decimal import Decimal

import pytest
from django.db import connections, transaction
from django.utils import timezone

from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import create_run, resume_run, start_run
from evaluation.engine import claims, months, replies, sweep
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.engine.statements import lock
from evaluation.engine.versions import Versions
from evaluation.engine.work import Result, Room
from evaluation.models import (
    Call,
    Contestant,
    MonthSpend,
    Prediction,
    Provider,
    Run,
    WorkItem,
)
from evaluation.models.run import RunState
from sonovqa.adapters.asking import Reply
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


# Caps of a month.


def reserve(run: Run, count: int, token: str) -> tuple:
    with transaction.atomic():
        plan = load_plan(run.pk)
        room = Room(count, count, count)
        return claims.claim(plan, lock(run.pk), Versions(plan), room, token=token, lease=30).claimed


def settle(run: Run, claimed: tuple, token: str, draw: random.Random) -> None:
    results = []
    for one in claimed:
        most_out = int(one.reserved * 1_000_000) // 3
        reply = Reply("Answer: B", tokens_in=draw.randint(0, most_out), tokens_out=most_out)
        results.append(Result(one, reply))
    with transaction.atomic():
        replies.store(load_plan(run.pk), lock(run.pk), results, token=token)


def within(cap: Decimal | None, spent: Decimal) -> bool:
    return cap is None or spent <= cap


def test_no_cap_is_ever_overshot_over_a_hundred_random_ones(queued, settings, contestant):
    draw = random.Random(5)
    run = queued(videos=16)
    Run.objects.update(state=RunState.RUNNING)
    stopped = set()
    for number in range(100):
        MonthSpend.objects.all().delete()
        WorkItem.objects.update(state="waiting", token="", attempt=0)
        Call.objects.all().delete()
        Prediction.objects.all().delete()
        caps = [Decimal(draw.randint(1, 60_000)) / 1_000_000 for _ in range(3)]
        caps[1] = Decimal(draw.randint(1, 6)) / 100  # kept in whole cents
        run_cap, provider_cap, site_cap = (cap if draw.random() < 0.7 else None for cap in caps)
        Run.objects.update(budget=run_cap, spent=0, reserved=0)
        Provider.objects.update(month_cap=provider_cap)
        settings.MONTH_BUDGET = site_cap or 0
        for turn in range(3):
            token = f"{number}-{turn}"
            claimed = reserve(run, draw.randint(1, 10), token)
            for row in [*MonthSpend.objects.all(), Run.objects.get()]:
                total, unit = row.spent + row.reserved, Decimal(1)
                if isinstance(row, MonthSpend):
                    total, unit = Decimal(total), Decimal(1_000_000)
                    cap = site_cap if row.scope == 0 else provider_cap
                else:
                    cap = run_cap
                assert within(cap, total / unit), (number, turn)
            settle(run, claimed, token, draw)
            stopped.add(bool(claimed))
        spent = Run.objects.get().spent
        for row in MonthSpend.objects.all():
            assert row.reserved == 0
            assert Decimal(row.spent) / 1_000_000 == spent
    assert stopped == {True, False}, "the caps have to reach both sides"


def test_runs_at_once_share_the_months_cap(queued, contestant):
    Provider.objects.update(month_cap=Decimal("0.05"))
    first = queued(videos=15)
    runs = [first, *(queued(benchmark=first.benchmark) for _ in range(3))]
    Run.objects.update(state=RunState.RUNNING)

    def work(run: Run) -> None:
        draw = random.Random(run.pk)
        for turn in range(6):
            token = f"{run.pk}-{turn}"
            settle(run, reserve(run, 5, token), token, draw)
        connections.close_all()

    threads = [threading.Thread(target=work, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spent = sum(Run.objects.values_list("spent", flat=True))
    assert 0 < spent <= Decimal("0.05")
    assert set(MonthSpend.objects.values_list("spent", "reserved")) == {(spent * 1_000_000, 0)}


def test_run_pauses_at_the_months_cap_and_says_so(queued, server):
    Provider.objects.update(month_cap=Decimal("0.01"))
    run = queued(videos=10)
    pump(run.pk)
    run.refresh_from_db()
    assert run.state == "paused"
    assert "month" in run.state_reason
    assert 0 < server.counted.calls < 30
    assert run.spent <= Decimal("0.01")


def test_lost_call_counts_in_its_month(queued):
    run = queued(videos=2)
    Run.objects.update(state=RunState.RUNNING)
    claimed = reserve(run, 2, "dead")
    WorkItem.objects.filter(state="claimed").update(lease_until="2020-01-01T00:00:00+00:00")
    sweep.reclaim(run.pk)
    lost = int(sum(one.reserved for one in claimed) * 1_000_000)
    assert set(MonthSpend.objects.values_list("spent", "reserved")) == {(lost, 0)}


def test_month_that_began_before_there_were_caps_is_summed_up(queued, server, contestant):
    run = queued(videos=3)
    pump(run.pk)
    run.refresh_from_db()
    before = set(MonthSpend.objects.values_list("scope", "spent", "reserved"))
    MonthSpend.objects.all().delete()
    with transaction.atomic():
        months.left([contestant.provider_id], months.month_of(timezone.now()))
    assert set(MonthSpend.objects.values_list("scope", "spent", "reserved")) == before
    assert len(before) == 2
