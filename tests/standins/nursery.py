"""Celery workers and the clock as forks of one process that has imported everything.

A worker that is killed twenty times a minute would otherwise spend most of the machine on
imports. Each fork is a whole process of its own, on connections of its own, to be killed at will.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


class Nursery:
    """Starts Celery processes with the arguments that it is given; `env` is theirs."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "tests.standins.nursery"],
                cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output,
            )  # fmt: skip
        self._count = 0

    def worker(self, *more: str) -> int:
        """Start a worker of both queues, or with `more` arguments; return its process id."""
        self._count += 1
        return self.start(
            *("worker", "--loglevel", "WARNING", "--pool", "threads", "--concurrency", "4"),
            *("--without-gossip", "--without-mingle", "--hostname", f"n{self._count}@%h", *more),
        )

    def start(self, *arguments: str) -> int:
        """Start `celery -A sonovqa ARGUMENTS`; return its process id."""
        told, heard = self._child.stdin, self._child.stdout
        assert told is not None and heard is not None
        told.write(json.dumps(arguments).encode() + b"\n")
        told.flush()
        return int(heard.readline())

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_: object) -> None:
        """End the nursery and, with it, all that it has started."""
        self._child.kill()
        self._child.wait()


def kill(pid: int) -> None:
    """kill -9, and wait until nothing of the process is left."""
    os.kill(pid, signal.SIGKILL)
    while Path(f"/proc/{pid}").exists():
        time.sleep(0.005)


def serve() -> None:
    """Fork a Celery process for each line of standard input, and say its id."""
    from sonovqa.celery import app

    app.loader.import_default_modules()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the killed
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(app, json.loads(line))
        print(pid, flush=True)


def _become(app: Any, arguments: list[str]) -> None:
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    app.start(argv=arguments)
    os._exit(0)


if __name__ == "__main__":
    serve()
