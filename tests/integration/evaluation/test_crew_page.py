"""The page of workers: who lives, who holds what, which run stands still and what to do."""

from datetime import timedelta
from typing import Any

import pytest
import redis
from django.utils import timezone

from evaluation.models import Provider, PumpLease, Run, WorkerBeat
from evaluation.queries.crew import crew_page, queue_depths
from sonovqa.celery import app
from tests import evaluation_factories as made
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(db: None) -> Run:
    """A run that neither began nor ended a call for hours."""
    found = made.run(factories.release(factories.small_benchmark(videos=1)), origin="engine",
                     state="running", started_at=timezone.now() - timedelta(hours=3))  # fmt: skip
    Run.objects.filter(pk=found.pk).update(created_at=timezone.now() - timedelta(hours=3))
    return found


def worker(name: str, queue: str = "runs", *, quiet: float = 0, **fields: Any) -> WorkerBeat:
    now = timezone.now()
    times = {"started_at": now - timedelta(hours=1), "beat_at": now - timedelta(seconds=quiet)}
    return WorkerBeat.objects.create(
        name=name, queue=queue, process=f"{name}:1", **{"canary_at": now} | times | fields
    )


def test_each_worker_is_told_with_what_it_holds(run: Run, maintainer: Any, client_for: Any) -> None:
    worker("alive")
    worker("dead", quiet=300)
    worker("silent", "celery", canary_at=timezone.now() - timedelta(minutes=30))
    soon = timezone.now() + timedelta(minutes=1)
    PumpLease.objects.create(run=run, place=0, worker="alive:1", lease_until=soon, in_flight=7)
    PumpLease.objects.create(run=run, place=1, worker="gone:9", lease_until=soon)
    client = client_for(maintainer)
    data = client.get("/runs/workers/state.json?fragments=1").json()
    assert {one["name"]: one["state"] for one in data["workers"]} == {
        "alive": "alive", "dead": "dead", "silent": "silent",
    }  # fmt: skip
    assert "<strong>7</strong> calls in flight" in data["fragments"]["crew"]
    assert "gone:9" in client.get("/runs/workers/").content.decode()


def test_a_run_that_stands_still_comes_with_what_to_do(run: Run) -> None:
    assert "No living worker takes runs" in crew_page().stuck[0].advice
    worker("w")
    soon = timezone.now() + timedelta(minutes=1)
    place = PumpLease.objects.create(run=run, place=0, worker="w:1", lease_until=soon)
    assert "Restart w" in crew_page().stuck[0].advice
    place.delete()
    Provider.objects.update(breaker={"resting": "503"})
    assert "tried again by itself" in crew_page().stuck[0].advice


def test_without_a_broker_the_page_says_so(
    run: Run, maintainer: Any, client_for: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.conf, "broker_url", "redis+socket:///nonexistent/broker.sock")
    monkeypatch.setattr(app.conf, "broker_read_url", "redis+socket:///nonexistent/broker.sock")
    assert queue_depths() == {"celery": None, "runs": None}
    page = client_for(maintainer).get("/runs/workers/").content.decode()
    assert "The broker does not answer" in page
    worker("w")
    assert "start it" in crew_page().stuck[0].advice


def test_depths_of_the_queues_are_counted(broker: str) -> None:
    redis.Redis.from_url(broker).rpush("runs", "a", "b")
    assert queue_depths() == {"celery": 0, "runs": 2}


def test_reviewers_do_not_see_it(reviewer: Any, client_for: Any) -> None:
    assert client_for(reviewer).get("/runs/workers/").status_code == 403
