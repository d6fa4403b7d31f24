"""Runs the ffmpeg program: argument lists only, a time limit, typed errors."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache

TAIL = 600  # characters of stderr that an error keeps
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "TMPDIR", "http_proxy", "https_proxy", "no_proxy")
ADDRESS = re.compile(r"\bhttps?://[^\s'\"]+")


class FfmpegError(Exception):
    """ffmpeg did not do what it was asked. `tail` is the end of its stderr, addresses removed."""

    def __init__(self, message: str, tail: str = "") -> None:
        super().__init__(message)
        self.tail = tail


class FfmpegMissingError(FfmpegError):
    """No ffmpeg program was found."""


class FfmpegTimeoutError(FfmpegError):
    """ffmpeg was stopped because it took too long."""


class UnreadableInputError(FfmpegError):
    """The input cannot be opened, is refused, or holds no video."""


class NoRoomError(FfmpegError):
    """The disk that ffmpeg writes to is full."""


class CutMismatchError(FfmpegError):
    """What came out is not what was asked for."""


@cache
def program() -> str:
    """Return the path of ffmpeg: the system's, else the one of the imageio-ffmpeg wheel."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError) as error:
        raise FfmpegMissingError("No ffmpeg: install ffmpeg or imageio-ffmpeg.") from error


def run(arguments: Sequence[str], *, timeout: float) -> str:
    """Run `arguments` (the program first) and return stderr.

    The child sees no secrets: only the variables of PASSED_ON go along.

    Raises FfmpegTimeoutError after `timeout` seconds, UnreadableInputError where the input
    cannot be read, NoRoomError where the disk is full, FfmpegError on any other failure.
    """
    environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(
            list(arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=timeout,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise FfmpegTimeoutError(f"ffmpeg took more than {timeout:.0f} s.") from None
    except OSError as error:
        raise FfmpegMissingError(f"ffmpeg could not be started: {error.strerror}.") from error
    stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        raise failure(stderr, done.returncode)
    return stderr


UNREADABLE = re.compile(
    r"Invalid data found|Error opening input|No such file|not in whitelist|not on white"
    r"|Server returned|HTTP error|Connection refused|moov atom not found|matches no streams"
    r"|Protocol not found|before EOF|received no packets|Permission denied"
    r"|Is a directory|Input/output error|timed out",
    re.IGNORECASE,
)


NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)


def failure(stderr: str, status: int) -> FfmpegError:
    """Return the typed error for a failed run; addresses (they may be signed) are cut out."""
    tail = ADDRESS.sub("<address>", stderr)[-TAIL:].strip()
    if NO_ROOM.search(stderr):
        return NoRoomError("The disk is full.", tail)
    if UNREADABLE.search(tail):
        return UnreadableInputError("The video cannot be read.", tail)
    return FfmpegError(f"ffmpeg failed with status {status}.", tail)
