"""Real Celery workers as child processes of a test, to be killed at will."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Workers:
    """Worker processes on the test's database and broker; `lease` is in seconds."""

    def __init__(self, env: dict[str, str], log: Path, *, lease: int = 2) -> None:
        self.env = {**env, "SONOVQA_LEASE_SECONDS": str(lease), "SONOVQA_LOG_LEVEL": "WARNING"}
        self.log = log
        self.alive: list[subprocess.Popen] = []

    def start(self) -> subprocess.Popen:
        command = [
            *(sys.executable, "-m", "celery", "-A", "sonovqa", "worker", "--loglevel", "WARNING"),
            *("--pool", "threads", "--concurrency", "4", "--without-gossip", "--without-mingle"),
            *("--hostname", f"test{time.monotonic_ns()}@%h"),
        ]
        with self.log.open("ab") as output:
            child = subprocess.Popen(
                command, cwd=ROOT, env=self.env, stdout=output, stderr=subprocess.STDOUT
            )
        self.alive.append(child)
        return child

    def kill(self) -> None:
        """kill -9 the oldest worker."""
        child = self.alive.pop(0)
        child.kill()
        child.wait()

    def stop(self) -> None:
        for child in self.alive:
            child.kill()
            child.wait()
        self.alive.clear()


@contextmanager
def workers(env: dict[str, str], log: Path, **options: int) -> Iterator[Workers]:
    found = Workers(env, log, **options)
    try:
        yield found
    finally:
        found.stop()
