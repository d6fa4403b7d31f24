"""Pumps that meet their end at one of their commits: each is a fork of one process.

A commit is a COMMIT, or a statement that changes rows outside a transaction. `how` it ends:
"before" and "after" are kill -9; "unheard": the commit succeeds and its answer is lost, so the
pump lives on and does not know.
"""

import json
import os
import select
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
CHANGES = ("INSERT", "UPDATE", "DELETE")
PATIENCE = 60.0  # seconds: a busy machine is slow, not wrong


class DyingPumps:
    """Forks a process that works on a run until its end, its own or the run's."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        with log.open("ab") as output:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "tests.standins.dying_pump"],
                cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output,
                start_new_session=True,
            )  # fmt: skip

    def work(self, run_id: int, number: int | str = 0, how: str = "") -> list[str] | None:
        """Sweep and pump; meet the end at commit `number`, or at the first one made at that
        place. Return where the commits were made, None where the process was killed."""
        told, heard = self._child.stdin, self._child.stdout
        assert told is not None and heard is not None
        told.write(json.dumps([run_id, number, how]).encode() + b"\n")
        told.flush()
        assert select.select([heard], [], [], PATIENCE)[0], f"no end after commit {number}, {how}"
        return json.loads(heard.readline())

    def __enter__(self) -> "DyingPumps":
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self._child.pid, signal.SIGKILL)  # with a fork that may not have ended
        self._child.wait()


class End:
    """What comes at commit `number`; `places` says where in the engine each commit was made."""

    def __init__(self, number: int | str, how: str) -> None:
        self.number, self.how = number, how
        self.places: list[str] = []

    def at(self, commit: Any) -> Any:
        """Do a commit, or meet the end."""
        from django.db import OperationalError

        engine = [one for one in traceback.extract_stack() if "/evaluation/" in one.filename]
        place = engine[-1] if engine else None
        self.places.append(f"{Path(place.filename).stem}.{place.name}" if place else "elsewhere")
        if self.number not in (len(self.places), self.places[-1]):
            return commit()
        if self.how == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        done = commit()
        if self.how == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OperationalError(f"the answer to commit {self.number} is lost: {done}")

    def install(self) -> None:
        from django.db.backends.base.base import BaseDatabaseWrapper
        from django.db.backends.utils import CursorWrapper

        real_commit: Any = BaseDatabaseWrapper._commit
        real_execute: Any = CursorWrapper.execute
        end = self

        def commit(database: Any) -> Any:
            return end.at(lambda: real_commit(database))

        def execute(cursor: Any, sql: Any, params: Any = None) -> Any:
            alone = not cursor.db.in_atomic_block and str(sql).lstrip().startswith(CHANGES)
            if not alone:
                return real_execute(cursor, sql, params)
            return end.at(lambda: real_execute(cursor, sql, params))

        BaseDatabaseWrapper._commit = commit  # type: ignore[method-assign]
        CursorWrapper.execute = execute  # type: ignore[method-assign]


def serve() -> None:
    """Fork a pump for each line of standard input, and say how it ended."""
    import django

    django.setup()
    from evaluation.engine.pump import pump
    from evaluation.engine.sweep import sweep

    for line in sys.stdin:
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            run_id, number, how = json.loads(line)
            end = End(number, how)
            end.install()
            try:
                sweep()
                pump(run_id)
                sweep()
            except Exception:  # noqa: BLE001 an error ends the task, and the worker goes on
                traceback.print_exc()
            os.write(writing, json.dumps(end.places).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            said = told.read()
        os.waitpid(pid, 0)
        print(said.decode() or "null", flush=True)


if __name__ == "__main__":
    serve()
