"""manage.py up, as a newcomer meets it: everything starts, comes back when killed, and stops."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from sonovqa.broker import socket_path

ROOT = Path(__file__).resolve().parents[3]
LONG_NAME = "a-folder-whose-name-leaves-no-room-for-a-socket-" * 2


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def wait_for(condition, seconds=120.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def marked(var: Path) -> dict[int, str]:
    """The processes of this machine that work on `var`: their ids and command lines.

    The broker writes its title over its environment, but names its socket in it.
    """
    found = {}
    mark = f"SONOVQA_VAR={var}".encode()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                environment = (entry / "environ").read_bytes().split(b"\0")
                if command and (mark in environment or f"{var}/" in command):
                    found[int(entry.name)] = command
    return found


def main_process(var: Path, words: str) -> int | None:
    """The oldest process of `var` whose command line holds `words`."""
    return min((pid for pid, line in marked(var).items() if words in line), default=None)


class Site:
    """A folder, a port, and the supervisor that serves them."""

    def __init__(self, var: Path) -> None:
        self.var, self.port = var, free_port()
        inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
        self.env = {
            **inherited,
            "SONOVQA_VAR": str(var),
            "SONOVQA_WORKERS": "1",
            "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
        }
        self.process: subprocess.Popen[str] | None = None

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=240,
        )

    def start(self) -> str:
        """Start, and return what was printed up to the line that tells how to stop."""
        command = [sys.executable, "manage.py", "up", "--port", str(self.port)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, text=True
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        return "".join(lines)

    def answers(self) -> bool:
        url = f"http://127.0.0.1:{self.port}/healthz"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=30) as page:
            return page.status == 200
        return False

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(120)

    def tidy(self) -> None:
        if self.process and self.process.poll() is None:
            self.stop(signal.SIGTERM)
        if self.process:
            self.process.stdout.close()


@pytest.fixture
def site(tmp_path, request):
    made = Site(tmp_path / getattr(request, "param", "var"))
    yield made
    made.tidy()


@pytest.fixture(scope="session")
def prepared_folder(tmp_path_factory):
    """A folder with a database and first accounts, to be copied."""
    made = Site(tmp_path_factory.mktemp("prepared") / "var")
    done = made.manage("prepare", "--no-demo")
    assert done.returncode == 0, done.stderr
    return made.var


@pytest.fixture
def prepared(site, prepared_folder):
    shutil.copytree(prepared_folder, site.var)
    return site


@pytest.mark.slow
def test_from_the_first_start_to_no_process_left(prepared, prepared_folder, tmp_path):
    site = prepared
    other = Site(tmp_path / "other")
    shutil.copytree(prepared_folder, other.var)
    printed = site.start()

    assert f"http://127.0.0.1:{site.port}/" in printed
    for name in ("clinician", "adjudicator", "admin"):
        assert name in printed
    assert site.answers()

    second = site.manage("up", "--port", str(free_port()))
    taken = other.manage("up", "--port", str(site.port))
    for done, word in ((second, "served already"), (taken, f"Port {site.port}")):
        assert done.returncode == 1
        assert word in done.stderr
        assert done.stderr.count("\n") == 1
    assert marked(other.var) == {}

    worker = main_process(site.var, "main@")
    web = main_process(site.var, "gunicorn")
    broker = main_process(site.var, "unixsocket")
    for pid in (worker, web, broker):
        os.kill(pid, signal.SIGKILL)

    wait_for(lambda: main_process(site.var, "main@") not in (None, worker))
    wait_for(lambda: main_process(site.var, "unixsocket") not in (None, broker))
    wait_for(lambda: main_process(site.var, "gunicorn") not in (None, web) and site.answers())

    assert site.stop() == 0
    assert marked(site.var) == {}


@pytest.mark.slow
@pytest.mark.parametrize("site", [LONG_NAME], indirect=True)
def test_a_path_too_long_for_a_socket_works_too(prepared):
    site = prepared
    site.start()

    assert site.answers()
    assert not (site.var / "valkey.sock").exists()
    wait_for(lambda: "ready" in (site.var / "log" / "worker.log").read_text())
    assert site.stop(signal.SIGTERM) == 0
    assert marked(site.var) == {}
    assert not socket_path(site.var).parent.exists()


def test_first_accounts_are_made_once_and_kept_private(prepared):
    site = prepared
    logins = site.var / "logins.txt"
    before = logins.read_text()

    again = site.manage("prepare", "--no-demo")

    assert again.returncode == 0
    assert logins.read_text() == before
    assert logins.stat().st_mode & 0o077 == 0
    assert site.var.stat().st_mode & 0o077 == 0
    assert [row.split()[0] for row in before.splitlines()] == [
        "clinician",
        "adjudicator",
        "maintainer",
        "admin",
    ]
    assert min(len(row.split()[1]) for row in before.splitlines()) >= 20


def test_a_benchmark_folder_that_is_not_there_is_told_in_one_line(site):
    done = site.manage("prepare", "--no-demo", "--benchmark", str(site.var / "nowhere"))

    assert done.returncode == 1
    assert "is not a folder" in done.stderr
