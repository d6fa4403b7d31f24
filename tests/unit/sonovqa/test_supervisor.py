"""The supervisor restarts, gives up and stops clean, with real processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sonovqa import supervisor

# A program that keeps a child of its own, as Celery and gunicorn do.
SLEEPER = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()} {child.pid}\\n")
time.sleep(300)
"""
# Deaf to the polite signal.
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
time.sleep(300)
"""
CRASHER = "print('no luck today', flush=True); raise SystemExit(3)"
SERVE = """
import sys
from pathlib import Path
from sonovqa.supervisor import Program, Supervisor, say
folder = Path(sys.argv[1])
programs = [
    Program(f"program{i}", [sys.executable, "-c", code, str(folder / f"pids{i}")], grace=1)
    for i, code in enumerate(sys.argv[2:])
]
sys.exit(Supervisor(programs, folder / "log").run(lambda: say("all up")))
"""


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def wait_for(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def pid_rows(path: Path, count: int) -> list[list[int]]:
    def enough():
        rows = path.read_text().splitlines() if path.exists() else []
        return len(rows) >= count and [[int(pid) for pid in row.split()] for row in rows]

    return wait_for(enough)


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(*codes):
        command = [sys.executable, "-c", SERVE, str(tmp_path), *codes]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_stop_leaves_no_process(serve, tmp_path, number):
    process = serve(SLEEPER, SLEEPER)
    pids = [*pid_rows(tmp_path / "pids0", 1)[0], *pid_rows(tmp_path / "pids1", 1)[0]]

    os.kill(process.pid, number)

    assert process.wait(60) == 0
    wait_for(lambda: not any(map(alive, pids)))


def test_a_killed_program_comes_back_and_what_it_had_started_goes(serve, tmp_path):
    process = serve(SLEEPER)
    (first, grandchild), *_ = pid_rows(tmp_path / "pids0", 1)

    os.kill(first, signal.SIGKILL)

    second = pid_rows(tmp_path / "pids0", 2)[1][0]
    assert second != first
    assert alive(second)
    wait_for(lambda: not alive(grandchild))
    process.terminate()
    assert "program0 was killed by signal 9; starting it again" in process.communicate()[0]


def test_a_crash_loop_is_given_up_with_the_last_words(serve, tmp_path):
    process = serve(SLEEPER, CRASHER)

    out, _ = process.communicate(timeout=120)

    assert process.returncode == 1
    assert "program1 ended with status 3, 5 times within 60 s: giving up." in out
    assert "program1: no luck today" in out
    (pid, grandchild), *_ = pid_rows(tmp_path / "pids0", 1)
    wait_for(lambda: not alive(pid) and not alive(grandchild))


def test_a_stubborn_program_is_killed_after_its_grace(serve, tmp_path):
    process = serve(STUBBORN)
    (pid,) = pid_rows(tmp_path / "pids0", 1)[0]

    process.terminate()

    assert process.wait(60) == 0, "it sleeps for 300 s of its own"
    assert not alive(pid)


def test_a_killed_supervisor_takes_its_programs_along(serve, tmp_path):
    if sys.platform != "linux":
        pytest.skip("only Linux tells children that their parent died")
    process = serve(SLEEPER)
    pid = pid_rows(tmp_path / "pids0", 1)[0][0]

    process.kill()

    process.wait(60)
    wait_for(lambda: not alive(pid))
    os.kill(pid_rows(tmp_path / "pids0", 1)[0][1], signal.SIGKILL)  # its own child, by hand


def test_a_program_that_is_not_there_is_named(serve, tmp_path, capsys):
    program = supervisor.Program("ghost", [str(tmp_path / "no-such-program")])

    status = run_here([program], tmp_path)

    assert status == 1
    assert "ghost cannot be started" in capsys.readouterr().out


def test_a_program_that_never_answers_is_named(tmp_path, capsys):
    program = supervisor.Program(
        "mute",
        ["/bin/sh", "-c", "echo thinking; exec sleep 300"],  # says it soon on a busy machine too
        ready=lambda: False,
        ready_within=3.0,
    )

    status = run_here([program], tmp_path)

    assert status == 1
    out = capsys.readouterr().out
    assert "mute does not answer after 3 s" in out
    assert "mute: thinking" in out


def run_here(programs, folder):
    before = {number: signal.getsignal(number) for number in supervisor.STOP_SIGNALS}
    try:
        return supervisor.Supervisor(programs, folder / "log").run(lambda: None)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_a_long_log_is_put_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "LOG_LIMIT", 10)
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "x.log").write_text("from before" * 10)
    program = supervisor.Program("x", [sys.executable, "-c", "pass"], ready=lambda: False)

    assert run_here([program], tmp_path) == 1

    assert "from before" in (tmp_path / "log" / "x.log.1").read_text()
    assert "from before" not in (tmp_path / "log" / "x.log").read_text()
