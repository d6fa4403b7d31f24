"""A worker is killed before or after any commit of the engine, or does not hear of it: the run
is made whole by the next one."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import texts
from evaluation.engine.plan import load_plan
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep
from evaluation.models import Call, Judgement, Prediction, PumpLease, Run, WorkItem
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
    assert run.entries.order_by("-version")[0].figures["scored"] == ITEMS


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
        run = queued(benchmark=bench)
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
