"""Workers on two machines: one run, one database, one Redis, one limit of the provider."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from evaluation.engine.sweep import sweep
from evaluation.models import Call, Prediction, PumpLease, WorkerBeat
from tests.standins import machines
from tests.standins.model_script import Script
from tests.standins.model_server import ModelServer

ROOT = Path(__file__).resolve().parents[4]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.postgres,
    pytest.mark.privileged,
    pytest.mark.slow,
]
ITEMS, CALLS, AT_ONCE, A_SECOND = 60, 90, 8, 20


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """In the place of the common one: it is reached from both machines alone."""
    with ExitStack() as stack:
        try:
            stack.enter_context(machines.two_machines())
        except machines.NotAllowed as error:
            pytest.skip(f"{error}")
        script = Script(latency=0.1, jitter=0.1)
        yield stack.enter_context(ModelServer(script, host=machines.HERE))


@pytest.fixture
def crew(server: ModelServer, broker: str, child_env: dict[str, str], tmp_path: Path) -> Any:
    """A worker on each machine, with the command and the settings that the documents name."""
    folder = connection.settings_dict["OPTIONS"].get("host") or connection.settings_dict["HOST"]
    if not folder.startswith("/"):
        pytest.skip("the PostgreSQL server listens on no unix socket")
    with ExitStack() as stack:
        database = stack.enter_context(machines.Door(Path(folder) / ".s.PGSQL.5432"))
        redis = stack.enter_context(
            machines.Door(Path(broker.removeprefix("unix://").split("?")[0]))
        )
        name, user = connection.settings_dict["NAME"], connection.settings_dict["USER"]
        env = child_env | {
            "DATABASE_URL": f"postgresql://{user}@{machines.HERE}:{database.port}/{name}",
            "REDIS_URL": f"redis://{machines.HERE}:{redis.port}/0",
            "SONOVQA_SLOTS": str(AT_ONCE // 2),
            "SONOVQA_LOG_LEVEL": "WARNING",
        }
        command = ["-m", "celery", "-A", "sonovqa", "worker", "--queues", "runs"]
        command += ["--pool", "threads", "--concurrency", "2"]
        log = stack.enter_context((tmp_path / "workers.log").open("wb"))
        for machine in machines.NAMES:
            child = subprocess.Popen(
                ["ip", "netns", "exec", machine, sys.executable, *command, "-n", f"w@{machine}"],
                cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
            stack.callback(child.wait)
            stack.callback(child.kill)
        yield tmp_path / "workers.log"


def test_two_machines_work_on_one_run_and_share_its_limits(
    queued: Any, server: ModelServer, contestant: Any, crew: Path, settings: Any
) -> None:
    settings.ENGINE_SLOTS = AT_ONCE // 2
    provider = contestant.provider
    provider.max_in_flight, provider.requests_per_minute = AT_ONCE, A_SECOND * 60
    provider.save()
    deadline = time.monotonic() + 150
    while WorkerBeat.objects.count() < 2:
        assert time.monotonic() < deadline, crew.read_text()[-3000:]
        time.sleep(0.2)
    run = queued(videos=ITEMS // 2)
    pumps: set[str] = set()
    while not (run.state == "done" and run.entries.exists()):
        assert time.monotonic() < deadline, f"{run.state}: {crew.read_text()[-3000:]}"
        sweep()
        pumps |= set(PumpLease.objects.exclude(token="").values_list("worker", flat=True))
        time.sleep(0.2)
        run.refresh_from_db()

    assert len(pumps) == 2
    assert set(server.counted.peers) == set(machines.ADDRESSES)
    assert min(server.counted.peers.values()) >= CALLS // 10
    assert server.counted.most_in_flight <= AT_ONCE
    assert server.counted.calls == CALLS
    assert Prediction.objects.filter(run=run, outcome="answered").count() == ITEMS
    moments = sorted(Call.objects.filter(work_item__run=run).values_list("settled_at", flat=True))
    seconds = (moments[-1] - moments[0]).total_seconds()
    assert seconds > (CALLS - AT_ONCE - 2 * A_SECOND) / A_SECOND, "two buckets instead of one"
