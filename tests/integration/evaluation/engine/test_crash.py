"""Real workers on a real broker, killed: nothing lost, nothing scored twice. See test_soak too."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from evaluation.engine import texts
from evaluation.engine.plan import load_plan
from evaluation.engine.sweep import sweep
from evaluation.models import Call, Judgement, Prediction, Run
from tests.standins import model_replies
from tests.standins.model_script import Script
from tests.standins.model_server import ModelServer
from tests.standins.workers import Workers, workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
IN_FLIGHT = 16


@pytest.fixture
def crew(broker: str, child_env: dict[str, str], tmp_path: Path) -> Iterator[Workers]:
    with workers(child_env, tmp_path / "worker.log") as found:
        yield found


def until(run: Run, condition: Callable[[], bool], *, seconds: float = 180.0) -> None:
    """Sweep, as the clock would, until the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"the run is {Run.objects.get(pk=run.pk).state}"
        sweep()
        time.sleep(0.3)


def is_done(run: Run) -> bool:
    run.refresh_from_db()
    return run.state == "done" and run.entries.exists()


def check(run: Run, server: ModelServer, *, items: int, extra_at_most: int) -> None:
    """Every item has one prediction with the model's own reply, every free one a verdict."""
    rows = list(Prediction.objects.filter(run=run).select_related("item_version__item"))
    assert len(rows) == len({(row.item_version_id, row.repeat) for row in rows}) == items
    plan = load_plan(run.pk)
    for row in rows:
        prompt = texts.model_texts(plan, row.item_version).user
        assert row.raw_reply == model_replies.answer(prompt)
        assert row.outcome == "answered"
    free = [row for row in rows if row.item_version.item.kind == "free"]
    verdicts = Judgement.objects.filter(prediction__run=run, failed=False)
    assert verdicts.count() == len(free)
    billed = sum(server.counted.billed.values())
    assert billed - (items + len(free)) <= extra_at_most
    assert not run.work_items.exclude(state="done").exists()
    assert not Call.objects.filter(work_item__run=run, state="intent").exists()
    assert run.entries.get().figures["scored"] == items


def test_worker_killed_in_the_middle_loses_and_doubles_nothing(
    queued: Any, server: ModelServer, crew: Workers
) -> None:
    server.script(Script(latency=0.15, jitter=0.2))
    crew.start()
    run = queued(videos=30)
    until(run, lambda: server.counted.calls >= 40)
    crew.kill()
    crew.start()
    until(run, lambda: is_done(run))
    check(run, server, items=60, extra_at_most=IN_FLIGHT)


def test_killed_strict_run_pays_nothing_twice(
    queued: Any, server: ModelServer, crew: Workers
) -> None:
    server.script(Script(latency=0.2, jitter=0.1))
    crew.start()
    run = queued(videos=30, strict=True)
    until(run, lambda: server.counted.calls >= 25)
    crew.kill()
    crew.start()
    until(run, lambda: is_done(run))

    unknown = run.work_items.filter(state="unknown").count()
    assert 0 < unknown <= IN_FLIGHT
    assert set(server.counted.billed.values()) == {1}
    predictions = Prediction.objects.filter(run=run)
    assert predictions.exclude(outcome="answered").count() == 0
    assert run.entries.get().figures["scored"] <= 60 - unknown


def test_worker_takes_up_a_run_that_was_queued_before_it_started(
    queued: Any, server: ModelServer, crew: Workers, broker: str
) -> None:
    run = queued(videos=2)
    redis.Redis.from_url(broker).flushall()  # the message that wakes the pump is gone
    crew.start()
    until(run, lambda: is_done(run))
    check(run, server, items=4, extra_at_most=0)
