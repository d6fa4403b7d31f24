"""What must hold before anything starts: each failure is one line that says what to do."""

import fcntl
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path
from typing import IO

MEGABYTE = 1_000_000
LEAST_FREE = 200 * MEGABYTE


class CannotStart(Exception):
    """Its text is one line for the person at the terminal."""


def check_folder(var: Path) -> None:
    """Raise CannotStart where `var` cannot be written or its disk is nearly full."""
    try:
        var.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=var) as probe:
            probe.write(b"x" * 4096)
    except OSError as error:
        raise CannotStart(
            f"Cannot write to {var} ({error.strerror}); make it writable or name another folder "
            "in SONOVQA_VAR."
        ) from None
    free = shutil.disk_usage(var).free
    if free < LEAST_FREE:
        raise CannotStart(
            f"The disk of {var} has {free // MEGABYTE} MB left and "
            f"{LEAST_FREE // MEGABYTE} are needed; free some or name another folder in SONOVQA_VAR."
        )


def check_port(host: str, port: int) -> None:
    """Raise CannotStart where the web server could not listen on `host`:`port`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotStart(
                f"Port {port} on {host} cannot be used ({error.strerror}); choose another: "
                f"make run PORT={port + 1}"
            ) from None


def lock_folder(var: Path) -> IO[str]:
    """Return the locked file that marks `var` as served; keep it open as long as it is.

    Raises CannotStart where another supervisor serves the folder.
    """
    file = (var / "up.lock").open("a+", encoding="ascii")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise CannotStart(
            f"{var} is served already (process {file.read().strip() or 'unknown'}); stop that "
            "first or name another folder in SONOVQA_VAR."
        ) from None
    file.seek(0)
    file.truncate()
    file.write(str(os.getpid()))
    file.flush()
    return file


if __name__ == "__main__":  # asked by `make run` before anything is installed
    try:
        check_port("127.0.0.1", int(sys.argv[1]))
    except CannotStart as reason:
        sys.exit(str(reason))
