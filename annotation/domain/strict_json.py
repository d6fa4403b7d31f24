"""Reads JSON files that strangers wrote: bounded before parsing, strict while parsing."""

import json
import math
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEGABYTE = 1_048_576
DIGITS = 18  # what a 64-bit column holds, whatever the digits are
# One string; the closing quote is optional, so that an open one is read in one go and
# left to the parser to refuse. Possessive, so that no input makes it try twice.
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
NOT_STRUCTURE = bytes(set(range(256)) - set(b"[]{},"))
SUSPICIOUS = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
MARKS_OF_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Limits:
    """What a file may hold: bytes, levels of nesting, and values."""

    size: int = 64 * MEGABYTE
    depth: int = 16
    nodes: int = 4_000_000


class BadJson(ValueError):
    """A file that is not taken. `name` is the file, `position` says where in it ("line 3,
    column 7", "[4].question", or empty for the whole file), `reason` why."""

    def __init__(self, name: str, position: str, reason: str) -> None:
        self.name, self.position, self.reason = name, position, reason
        super().__init__(": ".join(part for part in (name, position, reason) if part))


def read_json(path: Path, *, name: str = "", limits: Limits | None = None) -> Any:
    """Return the value in the regular file at `path`; links are not followed.

    Raises BadJson, which names the file by `name` (default: its file name).
    """
    name, limits = name or path.name, limits or Limits()
    return parse_json(_read(path, name, limits.size), name=name, limits=limits)


def parse_json(data: bytes, *, name: str, limits: Limits | None = None) -> Any:
    """Return the value of `data`, UTF-8 with or without a byte order mark.

    Raises BadJson for anything but one JSON value within `limits` that has no duplicate key,
    no NaN or infinity, no number of more than 18 digits, no NUL and no lone surrogate.
    """
    limits = limits or Limits()
    text = _decode(data, name, limits)
    _refuse_deep_or_many(data, name, limits)
    value = _parse(text, name)
    if SUSPICIOUS.search(data):
        _refuse_unstorable_text(value, name)
    return value


def _read(path: Path, name: str, size: int) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        reason = "is a symbolic link" if path.is_symlink() else str(error.strerror).lower()
        raise BadJson(name, "", f"cannot be opened: {reason}") from None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadJson(name, "", "is not a regular file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(size + 1)
    if len(data) > size:
        raise BadJson(name, "", _too_big(size))
    return data


def _too_big(size: int) -> str:
    return f"is larger than {size / MEGABYTE:g} MB"


def _decode(data: bytes, name: str, limits: Limits) -> str:
    if len(data) > limits.size:
        raise BadJson(name, "", _too_big(limits.size))
    if data.startswith(MARKS_OF_UTF_16):
        raise BadJson(name, "byte 0", "is written in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadJson(name, f"byte {error.start}", "is not UTF-8") from None


def _refuse_deep_or_many(data: bytes, name: str, limits: Limits) -> None:
    """Count brackets and commas outside strings, before anything is built from them.

    Where those inside strings and out are few together, as in nearly every line of a file of
    lines, that is enough.
    """
    brackets = data.count(b"[") + data.count(b"{")
    if brackets <= limits.depth and brackets + data.count(b",") < limits.nodes:
        return
    structure = STRING.sub(b"", data).translate(None, NOT_STRUCTURE)
    openers = structure.count(b"[") + structure.count(b"{")
    if openers + structure.count(b",") + 1 > limits.nodes:
        raise BadJson(name, "", f"holds more than {limits.nodes} values")
    depth = 0
    for bracket in structure.replace(b",", b""):
        depth += 1 if bracket in b"[{" else -1
        if depth > limits.depth:
            raise BadJson(name, "", f"is nested more than {limits.depth} levels deep")
        if depth < 0:
            return  # out of balance: the parser says where


class _Refused(ValueError):
    """What a hook of the parser does not take; it does not know the place."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Refused(f"the key {twice[:80]!r} stands twice in one object")
    return found


def _fraction(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _Refused(f"the number {digits[:40]} is too large")
    return number


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > DIGITS:
        raise _Refused(f"the number {digits[:40]} has more than {DIGITS} digits")
    return int(digits)


def _constant(word: str) -> Any:
    raise _Refused(f"{word} is no JSON number")


# Made once: a file of lines is parsed a million times, and each decoder costs as much as a line.
DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_float=_fraction,
    parse_int=_whole,
    parse_constant=_constant,
)


def _parse(text: str, name: str) -> Any:
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadJson(name, where, f"is not JSON: {error.msg}") from None
    except _Refused as error:
        raise BadJson(name, "", str(error)) from None
    except RecursionError:
        raise BadJson(name, "", "is nested too deep") from None


def _refuse_unstorable_text(value: Any, name: str) -> None:
    for place, text in _texts(value):
        if "\0" in text:
            raise BadJson(name, place, "holds a NUL character, which PostgreSQL cannot store")
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise BadJson(name, place, "holds half of a surrogate pair, which is no text")


def _texts(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield (place, text) for every key and string; the depth is bounded by now."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _texts(part, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, part in value.items():
            yield f"{place} (a key)", key
            yield from _texts(part, f"{place}.{key[:80]}")
