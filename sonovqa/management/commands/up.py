"""manage.py up: broker, worker, beat and web under one supervisor."""

import contextlib
import os
import socket
import sys
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from sonovqa import broker, env, start_check
from sonovqa.supervisor import Program, Supervisor, say


class Command(BaseCommand):
    help = "Start broker, worker, beat and web server under one supervisor; Ctrl-C stops all."
    requires_system_checks: list[str] = []  # the web server checks itself

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        var = settings.VAR
        try:
            start_check.check_folder(var)
            lock = start_check.lock_folder(var)
            start_check.check_port(host, port)
            programs = [*broker_program(var), *worker_programs(), web_program(host, port)]
        except (start_check.CannotStart, OSError) as error:
            raise CommandError(str(error)) from None
        with lock:
            status = Supervisor(programs, var / "log").run(lambda: announce(host, port, var))
            broker.leave_socket_folder(settings.BROKER_SOCKET, var)
        sys.exit(status)


def broker_program(var: Path) -> list[Program]:
    """Return the embedded broker, or nothing where REDIS_URL names one."""
    if env.redis("REDIS_URL"):
        return []
    data = var / "broker"
    data.mkdir(exist_ok=True)
    path = settings.BROKER_SOCKET
    broker.make_socket_folder(path)
    path.unlink(missing_ok=True)  # left by a broker that was killed; the folder is locked
    command = [broker.server_program(), *broker.server_arguments(path, data)]
    return [Program("broker", command, ready=lambda: answers_ping(path))]


def worker_programs() -> list[Program]:
    """Return the worker, the runner that keeps calls to models in flight, and the clock."""
    celery = [sys.executable, "-m", "celery", "-A", "sonovqa"]
    workers = env.whole("SONOVQA_WORKERS", 2, low=1, high=256)
    level = ["--loglevel", settings.LOG_LEVEL]
    names = ["--hostname", "main@%h", "--queues", "celery"]
    worker = [*celery, "worker", *level, "--concurrency", str(workers), *names]
    # Calls wait for the network: threads of one process carry hundreds of them.
    threads = ["--pool", "threads", "--concurrency", "8"]
    names = ["--hostname", "runs@%h", "--queues", "runs"]
    runner = [*celery, "worker", *level, *threads, *names]
    beat = [*celery, "beat", *level, "--pidfile", ""]
    return [
        # Asked to stop, it gives running tasks its soft shutdown's time and no more.
        Program("worker", worker, grace=20, environment={"REMAP_SIGTERM": "SIGQUIT"}),
        Program("runner", runner, grace=20, environment={"REMAP_SIGTERM": "SIGQUIT"}),
        Program("beat", beat, grace=5),
    ]


def web_program(host: str, port: int) -> Program:
    # Python runs one thread of a process at a time, so each core gets a process of its own.
    workers = env.whole("SONOVQA_WEB_WORKERS", min(os.cpu_count() or 1, 4), low=1, high=64)
    threads = env.whole("SONOVQA_WEB_THREADS", 8, low=1, high=256)
    bracketed = f"[{host}]" if ":" in host else host
    command = [
        *(sys.executable, "-m", "gunicorn", "sonovqa.wsgi"),
        *("--bind", f"{bracketed}:{port}"),
        *("--worker-class", "gthread", "--workers", str(workers), "--threads", str(threads)),
        *("--keep-alive", "30"),  # a reader comes back within seconds, over the same connection
        *("--timeout", "60", "--graceful-timeout", "5", "--no-control-socket"),
    ]
    return Program("web", command, ready=lambda: answers_http(address(host, port) + "healthz"))


def address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104 compared
    return f"http://{shown}:{port}/"


def answers_ping(path: Path) -> bool:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        probe.connect(str(path))
        probe.sendall(b"PING\r\n")
        return probe.recv(7) == b"+PONG\r\n"
    return False


def answers_http(url: str) -> bool:
    with contextlib.suppress(OSError):
        request = urllib.request.Request(url, headers={"Host": "localhost"})  # noqa: S310 ours
        with urllib.request.urlopen(request, timeout=2) as response:  # noqa: S310
            return bool(response.status == 200)
    return False


def announce(host: str, port: int, var: Path) -> None:
    say(f"\nsonovqa runs at {address(host, port)}")
    logins = var / "logins.txt"
    if logins.is_file():
        say(f"Logins made at the first start ({logins}):")
        say(logins.read_text(encoding="utf-8").rstrip())
    say(f"Logs: {var / 'log'}. Ctrl-C stops everything.\n")
