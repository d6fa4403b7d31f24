"""Things that a page asks for and a worker makes: the page asks, and asks again.

The state of each lies beside it as files: `.pending` while a worker is at it, `.failed` with
the reason after it could not be had. Both run out, so that a lost worker or a network that
comes back needs nobody's care.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotation import media_store
from annotation.source_access import ClipUnavailable, Withheld

PENDING_LIFE = 60.0  # seconds without a sign after which a worker counts as lost
FAILURE_LIFE = 120.0  # seconds for which a failure is remembered
PERMANENT_LIFE = 86400.0


@dataclass(frozen=True)
class Failure:
    """Why a thing cannot be had, and what to do."""

    reason: str
    advice: str


def failure(kept: Path) -> Failure | None:
    """Return why `kept` could not be made lately."""
    note = media_store.read_json(_failed(kept))
    if note is None or note["until"] <= time.time():
        return None
    return Failure(note["reason"], note["advice"])


def is_claimed(kept: Path) -> bool:
    """Say whether a worker is, or was told to be, at it."""
    try:
        return time.time() - _pending(kept).stat().st_mtime < PENDING_LIFE
    except FileNotFoundError:
        return False


def claim(kept: Path) -> bool:
    """Say whether the asker has to wake a worker: among any number of askers one has to."""
    if is_claimed(kept):
        return False
    _pending(kept).unlink(missing_ok=True)
    try:
        _pending(kept).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def give_up(kept: Path) -> None:
    """Take back a claim that no worker could be told of."""
    _pending(kept).unlink(missing_ok=True)


def note_progress(kept: Path, done: int, total: int) -> None:
    """Say how far the worker is; it counts as alive for as long as it does."""
    _pending(kept).write_text(f"{done} {total}", encoding="ascii")


def progress(kept: Path) -> tuple[int, int]:
    """Return how many of how many steps are done; (0, 0) where nothing is known."""
    try:
        done, total = _pending(kept).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return 0, 0
    return int(done), int(total)


@contextmanager
def settling(kept: Path) -> Iterator[None]:
    """Remember why what is made in here cannot be had, and end the claim on it."""
    try:
        yield
    except Withheld:
        pass  # who asks knows by itself, and knows when it ends
    except ClipUnavailable as error:
        life = PERMANENT_LIFE if error.permanent else FAILURE_LIFE
        note = {"reason": error.reason, "advice": error.advice, "until": time.time() + life}
        media_store.write_json(_failed(kept), note)
    finally:
        give_up(kept)


def _pending(kept: Path) -> Path:
    return kept.with_suffix(".pending")


def _failed(kept: Path) -> Path:
    return kept.with_suffix(".failed")
