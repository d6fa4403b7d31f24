"""The store of clips and stills: names by content, locks, and writes that are whole or absent."""

import fcntl
import hashlib
import json
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

from django.conf import settings

CACHED = ("clips", "stills", "parts", "asked")


def root() -> Path:
    return Path(settings.MEDIA_STORE)


def name_for(*parts: object) -> str:
    """Return the name (64 hex digits) of the thing that `parts` (JSON values) make."""
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def name_of(source: tuple[str, str], *parts: object) -> str:
    """Return the name of what `parts` make of a source, which is given as kind and key. It
    begins with a mark of the source, so that all that came from it can be found."""
    return f"{_mark(source)}-{name_for(*source, *parts)}"


def _mark(source: tuple[str, str]) -> str:
    return name_for(*source)[:16]


def remove_all_of(source: tuple[str, str]) -> int:
    """Remove all that was made of a source from this machine; return how many files."""
    mark, removed = _mark(source), 0
    for kind in CACHED:
        for path in (root() / kind / mark[:2]).glob(f"{mark}-*"):
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def notes_of(source: tuple[str, str]) -> Iterator[Path]:
    """Give the notes of all clips that are kept of a source on this machine."""
    mark = _mark(source)
    yield from (root() / "clips" / mark[:2]).glob(f"{mark}-*.json")


def place(kind: str, name: str, suffix: str) -> Path:
    """Return where the thing `name` of `kind` lies, its folder made."""
    folder = root() / kind / name[:2]
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}{suffix}"


@contextmanager
def locked(kind: str, *names: str, wait: bool = True) -> Iterator[bool]:
    """Hold the locks of things of one kind, among all threads and processes of this machine.
    Gives False where another holds one of them and `wait` is off.

    Locks are some files shared by many names, always taken in the same order; different kinds
    never wait for one another. Twelve names of one job seldom meet twelve of another in 4,096.
    """
    folder = root() / "locks" / kind
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        locks = sorted({hashlib.sha256(name.encode()).hexdigest()[:3] for name in names})
        yield all(_lock(stack.enter_context((folder / lock).open("w")), wait) for lock in locks)


def _lock(handle: TextIO, wait: bool) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def part_of(target: Path) -> Iterator[Path]:
    """Give a name beside `target` to write to. What is left there in the end is removed."""
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)


def write_whole(target: Path, make: Callable[[Path], Any]) -> Any:
    """Let `make` write a file beside `target`, then put it in place at once.

    Returns what `make` returns. A failure leaves no trace.
    """
    with part_of(target) as part:
        made = make(part)
        part.replace(target)
    return made


def write_json(target: Path, value: dict[str, Any]) -> None:
    """Write `value` so that only this account may read it; it can hold a signed address."""

    def make(part: Path) -> None:
        part.touch(mode=0o600)
        part.write_text(json.dumps(value), encoding="utf-8")

    write_whole(target, make)


def read_json(path: Path) -> dict[str, Any] | None:
    """Return the object stored at `path`, None where there is none or it is damaged."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def mark_used(*paths: Path) -> None:
    """Note that a thing was used now; the least used go first when the store is full."""
    for path in paths:
        try:
            os.utime(path)
        except FileNotFoundError:
            continue


def file_sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
