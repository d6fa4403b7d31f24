"""Keeps a handful of programs running: starts them in order, restarts one that dies, gives up
on one that keeps dying, and stops all of them without leaving a process behind."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

TICK = 0.1  # seconds between two looks at the children
CRASHES_ALLOWED = 5
CRASH_WINDOW = 60.0  # seconds
LOG_LIMIT = 5_000_000  # bytes; a longer log is put aside when its program starts
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PARENT_DEATH_SIGNAL = 1  # Linux: prctl(PR_SET_PDEATHSIG)


@dataclass
class Program:
    """One program to keep running.

    `grace` is how many seconds it has between the polite signal and the kill.
    `ready` says whether it answers; the next program starts only then, within
    `ready_within` seconds.
    """

    name: str
    command: Sequence[str]
    grace: float = 10.0
    ready: Callable[[], bool] | None = None
    ready_within: float = 60.0
    environment: dict[str, str] = field(default_factory=dict)


class GaveUp(Exception):
    """A program does not stay up or does not answer. The text says which, and its last lines."""


class Supervisor:
    """Runs `programs` until it is told to stop; writes what they print below `logs`."""

    def __init__(self, programs: Sequence[Program], logs: Path) -> None:
        self.programs = list(programs)
        self.logs = logs
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.deaths: dict[str, deque[float]] = {}
        self.stop_asked = 0

    def run(self, announce: Callable[[], None]) -> int:
        """Start everything, call `announce` once all answer, keep watch until told to stop.

        Returns the exit status: 0 after a stop that was asked for, 1 after giving up.
        """
        for number in STOP_SIGNALS:
            signal.signal(number, self.note_signal)
        try:
            self.start_all()
            if not self.stop_asked:
                announce()
            while not self.stop_asked:
                self.revive_the_dead()
                time.sleep(TICK)
        except GaveUp as reason:
            say(str(reason))
            return 1
        finally:
            self.stop_all()
        return 0

    def note_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stop_asked += 1

    def start_all(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        for program in self.programs:
            if self.stop_asked:
                return
            self.start(program)
            self.wait_until_ready(program)

    def start(self, program: Program) -> None:
        log = self.logs / f"{program.name}.log"
        if log.exists() and log.stat().st_size > LOG_LIMIT:
            log.replace(log.with_suffix(".log.1"))
        with log.open("ab") as output:
            try:
                self.running[program.name] = subprocess.Popen(
                    program.command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **program.environment},
                    start_new_session=True,  # Ctrl-C reaches the supervisor alone
                    preexec_fn=die_with_parent,
                )
            except OSError as error:
                raise GaveUp(f"{program.name} cannot be started: {error}") from None

    def wait_until_ready(self, program: Program) -> None:
        deadline = time.monotonic() + program.ready_within
        while program.ready is not None and not self.stop_asked and not program.ready():
            self.revive_the_dead()
            if time.monotonic() > deadline:
                raise GaveUp(
                    f"{program.name} does not answer after {program.ready_within:.0f} s."
                    + self.last_lines(program)
                )
            time.sleep(TICK)

    def revive_the_dead(self) -> None:
        for program in self.programs:
            child = self.running.get(program.name)
            if child is not None and child.poll() is not None:
                end_group(child, signal.SIGKILL)  # what the dead one started itself
                self.note_death(program, child.returncode)
                self.start(program)

    def note_death(self, program: Program, status: int) -> None:
        now = time.monotonic()
        deaths = self.deaths.setdefault(program.name, deque(maxlen=CRASHES_ALLOWED))
        deaths.append(now)
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        if len(deaths) == CRASHES_ALLOWED and now - deaths[0] < CRASH_WINDOW:
            raise GaveUp(
                f"{program.name} {how}, {CRASHES_ALLOWED} times within "
                f"{CRASH_WINDOW:.0f} s: giving up." + self.last_lines(program)
            )
        say(f"{program.name} {how}; starting it again")
        time.sleep(min(0.2 * len(deaths), 1.0))

    def last_lines(self, program: Program, count: int = 8) -> str:
        log = self.logs / f"{program.name}.log"
        with contextlib.suppress(OSError):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
            return "".join(f"\n  {program.name}: {line}" for line in lines)
        return ""

    def stop_all(self) -> None:
        """Stop the programs, last started first, and the one all stand on after the others.

        A second signal kills without waiting.
        """
        for batch in (reversed(self.programs[1:]), self.programs[:1]):
            stopping = [
                (program, child)
                for program in batch
                if (child := self.running.pop(program.name, None))
            ]
            for _, child in stopping:
                with contextlib.suppress(ProcessLookupError):
                    child.terminate()
            for program, child in stopping:
                self.wait_for_end(child, program.grace)
                end_group(child, signal.SIGKILL)
                child.wait()

    def wait_for_end(self, child: subprocess.Popen[bytes], grace: float) -> None:
        deadline = time.monotonic() + grace
        while child.poll() is None and time.monotonic() < deadline and self.stop_asked < 2:
            time.sleep(TICK / 2)


def end_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the child's session: to it and to whatever it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def die_with_parent() -> None:
    """In the child: ask Linux for SIGTERM when the supervisor dies, even by kill -9."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def say(text: str) -> None:
    """Print a line; a terminal that is gone is no reason to stop tidying up."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
