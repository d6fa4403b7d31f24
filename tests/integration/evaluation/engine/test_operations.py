"""Workers that are dead or silent, runs that stand still, and the figures at /metrics."""

import io
import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now

from evaluation.engine import workers
from evaluation.engine.clock import from_now
from evaluation.engine.pump import pump
from evaluation.models import PumpLease, Run, WorkerBeat
from sonovqa.logs import JsonFormatter, telling_of
from tests.standins.workers import workers as real_workers

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "a-token-of-the-test"


def a_worker(name: str, *, beat: float = 0, canary: float | None = 0, **fields: Any) -> WorkerBeat:
    return WorkerBeat.objects.create(
        name=name, queue="runs", started_at=from_now(-9_000), beat_at=from_now(-beat),
        canary_at=None if canary is None else from_now(-canary), **fields,
    )  # fmt: skip


def test_silent_worker_is_told_from_a_dead_and_a_busy_one(queued: Any) -> None:
    a_worker("well")
    a_worker("silent", canary=1_000)
    a_worker("never", canary=None)
    a_worker("dead", beat=100)
    a_worker("busy", canary=1_000, process="host:7")
    PumpLease.objects.create(
        run=queued(videos=1), place=0, token="t", worker="host:7", lease_until=from_now(30)
    )
    assert workers.crew() == workers.Crew(
        alive=["busy", "never", "silent", "well"], silent=["never", "silent"], dead=["dead"]
    )


def test_worker_that_has_just_begun_is_not_silent() -> None:
    workers.beat("new", "runs")
    assert workers.crew() == workers.Crew(["new"], [], [])
    first = WorkerBeat.objects.get()
    workers.beat("new", "runs")
    assert WorkerBeat.objects.get().started_at == first.started_at
    WorkerBeat.objects.update(process="host:1", canary_at=Now())
    workers.beat("new", "runs")
    assert WorkerBeat.objects.get().canary_at is None, "another process under the same name"


@pytest.mark.slow
def test_real_worker_beats_takes_its_canary_and_is_missed_when_killed(
    broker: str, child_env: dict[str, str], tmp_path: Path
) -> None:
    with real_workers(child_env, tmp_path / "worker.log") as crew:
        crew.start()
        deadline = time.monotonic() + 120
        while not WorkerBeat.objects.exclude(canary_at=None).exists():
            assert time.monotonic() < deadline, (tmp_path / "worker.log").read_text()
            workers.send_canaries()
            time.sleep(0.5)
        (name,) = workers.crew().alive
        crew.kill()
    WorkerBeat.objects.update(beat_at=from_now(-100))
    assert workers.crew().dead == [name]


def test_run_that_stands_still_is_found_and_said(
    queued: Any, caplog: pytest.LogCaptureFixture
) -> None:
    run = queued(videos=1)
    waiting = queued(videos=1)
    assert workers.stuck_runs() == []
    too_long = workers.STUCK_AFTER + run.contestant.provider.timeout_seconds + 60
    Run.objects.filter(pk=run.pk).update(created_at=from_now(-too_long))
    assert [pk for pk, _ in workers.stuck_runs()] == [run.pk]
    a_worker("silent", canary=1_000)
    workers.sound_alarms()
    assert f"run {run.pk} stands still" in caplog.text
    assert "silent" in caplog.text
    assert f"run {waiting.pk} " not in caplog.text
    pump(run.pk)
    assert workers.stuck_runs() == []


def test_figures_are_there_for_the_token_alone(queued: Any, client: Any, settings: Any) -> None:
    pump(queued(videos=2).pk)
    a_worker("silent", canary=1_000)
    assert client.get("/metrics").status_code == 404
    settings.METRICS_TOKEN = TOKEN
    for wrong in ("", "Bearer ", "Bearer x", f"Bearer {TOKEN}x", "Bearer é"):
        assert client.get("/metrics", headers={"authorization": wrong}).status_code == 404
    page = client.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
    assert page.status_code == 200
    text = page.content.decode()
    assert 'sonovqa_runs{state="done"} 1.0' in text
    assert 'sonovqa_workers{state="silent"} 1.0' in text
    assert 'sonovqa_calls_recent{outcome="reply"} 6.0' in text
    assert 'sonovqa_month_spent_dollars{provider="all"} 0.00204' in text
    assert "sonovqa_stuck_runs 0.0" in text


def test_json_lines_name_the_run_and_the_item_and_no_secret() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    logger = logging.Logger("engine")
    logger.addHandler(handler)
    with telling_of(run=3), telling_of(item=7):
        logger.warning('fetching %s\n"x"', "https://media.example/a.mp4?expire=1&x=a-signed-thing")
    logger.info("outside")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert (first["run"], first["item"], first["level"]) == (3, 7, "WARNING")
    assert "a-signed-thing" not in stream.getvalue()
    assert "media.example/a.mp4" in first["message"]
    assert "run" not in second
