"""A worker is killed before or after any commit of the engine, or does not hear of it: the run
is made whole by the next one."""

from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from evaluation.actions.entries import publish_entry
from evaluation.actions.grading_samples import close_sample
from evaluation.actions.rejudging import rejudge_run
from evaluation.engine import texts
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep
from evaluation.judge_audit import audit_judges
from evaluation.models import Call, Contestant, Judgement, Prediction, PumpLease, Run, WorkItem
from evaluation.queries.panels import panel_members
from tests import evaluation_factories as make
from tests.integration.evaluation.engine.conftest import distinct_benchmark
from tests.standins import model_replies
from tests.standins.dying_pump import DyingPumps
from tests.standins.model_script import Script

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PAST = "2020-01-01T00:00:00+00:00"
ITEMS, CALLS = 2, 3


@pytest.fixture
def pumps(child_env: dict[str, str], broker: str, tmp_path: Path) -> Iterator[DyingPumps]:
    with DyingPumps(child_env, tmp_path / "pumps.log") as found:
        yield found


def let_leases_run_out(run: Run) -> None:
    WorkItem.objects.filter(run=run, state="claimed").update(lease_until=PAST)
    PumpLease.objects.filter(run=run).update(lease_until=PAST)


def recover(run: Run) -> None:
    let_leases_run_out(run)
    sweep()
    while Run.objects.get(pk=run.pk).state in ("queued", "running"):
        pump(run.pk)
        sweep()
    run.refresh_from_db()


def check_whole(run: Run) -> None:
    assert run.state == "done"
    assert run.reserved == 0
    assert not run.work_items.exclude(state="done").exists()
    calls = Call.objects.filter(work_item__run=run)
    assert not calls.filter(state="intent").exists()
    assert run.spent == sum(call.cost for call in calls)
    plan = load_plan(run.pk)
    rows = list(Prediction.objects.filter(run=run).select_related("item_version__item"))
    assert len(rows) == ITEMS
    for row in rows:
        assert row.outcome == "answered"
        prompt = texts.model_texts(plan, row.item_version).user
        assert row.raw_reply == model_replies.answer(prompt)
    verdicts = Judgement.objects.filter(prediction__run=run)
    assert [one.failed for one in verdicts] == [False] * (CALLS - ITEMS)
    entry = run.entries.order_by("-version")[0]
    assert entry.figures["scored"] == ITEMS and entry.published_at


@pytest.mark.parametrize(
    "how", ["before", "after", pytest.param("unheard", marks=pytest.mark.postgres)]
)
def test_every_commit_may_be_the_last(
    queued: Any, server: Any, pumps: DyingPumps, how: str
) -> None:
    bench = distinct_benchmark(ITEMS // 2)
    places = None
    for number in count(1):
        server.script(Script())
        run = queued(benchmark=bench, publish_when_done=True)
        places = pumps.work(run.pk, number, how)
        in_flight = Call.objects.filter(work_item__run=run, state="intent").count()
        recover(run)
        check_whole(run)
        extra = server.counted.calls - CALLS
        assert 0 <= extra <= (0 if how == "unheard" else in_flight)
        if places is not None and len(places) < number:
            break
    assert places is not None
    print(f"{number - 1} commits, {how}: {' '.join(places)}")
    assert {"turn.turn", "places.take", "places.leave"} <= set(places)


def test_figures_follow_a_rejudging_whose_worker_died_after_its_last_verdict(
    queued: Any, contestant: Contestant, pumps: DyingPumps, reviewer: Any, admin_user: Any
) -> None:
    run = queued(benchmark=distinct_benchmark(2))
    assert pump(run.pk)
    publish_entry(entry=run.entries.get(), by=admin_user)
    sample = make.grading_sample(run.release, [reviewer], by=admin_user, size=2)
    make.grade(sample, reviewer, [2, 1])
    audit_judges(close_sample(sample=sample, by=admin_user))
    other = Contestant.objects.create(
        name="Judge 2", slug="judge-2", provider=contestant.provider, model_id="j-2",
        can_judge=True, price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip
    made = rejudge_run(run=run, judge=other, budget=Decimal(1), by=admin_user)
    assert pumps.work(made.pk, "finish.settle", "after") is None, "killed once the run is closed"
    made.refresh_from_db()
    assert made.state == "done" and made.verdicts.count() == 2
    sample.refresh_from_db()
    assert [one["label"] for one in sample.figures["judges"]] == ["Stand-in 1"]
    assert panel_members(run.release_id) == []

    sweep()
    sample.refresh_from_db()
    assert [one["label"] for one in sample.figures["judges"]] == ["Judge 2", "Stand-in 1"]
    assert [label for label, _ in panel_members(run.release_id)] == ["Judge 2", "Stand-in 1"]
