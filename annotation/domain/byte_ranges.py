"""Reads the Range header of HTTP (RFC 9110, section 14), and reckons with ranges of bytes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

ONE_RANGE = re.compile(r"bytes=[ \t]*(\d{0,18})-(\d{0,18})[ \t]*", re.IGNORECASE | re.ASCII)


class UnsatisfiableRangeError(ValueError):
    """The range lies outside the file: status 416."""


@dataclass(frozen=True)
class ByteRange:
    """First and last byte, both included."""

    first: int
    last: int

    @property
    def length(self) -> int:
        return self.last - self.first + 1


def read_range(header: str, size: int) -> ByteRange | None:
    """Return the bytes asked for of a file of `size` bytes.

    None means the whole file: no header, one that is malformed, or several ranges, which
    a server may answer with the whole (RFC 9110, 14.2). Raises UnsatisfiableRangeError.
    """
    found = ONE_RANGE.fullmatch(header)
    if not found or found.groups() == ("", ""):
        return None
    first, last = found.groups()
    if not first:
        wanted = ByteRange(max(0, size - int(last)), size - 1)
        if int(last) == 0 or size == 0:
            raise UnsatisfiableRangeError(header)
        return wanted
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise UnsatisfiableRangeError(header)
    return ByteRange(int(first), min(int(last), size - 1) if last else size - 1)


def merged(ranges: Iterable[ByteRange]) -> list[ByteRange]:
    """Return the same bytes in as few ranges as possible, in order."""
    found: list[ByteRange] = []
    for one in sorted(ranges, key=lambda part: part.first):
        if found and one.first <= found[-1].last + 1:
            found[-1] = ByteRange(found[-1].first, max(found[-1].last, one.last))
        else:
            found.append(one)
    return found


def missing(wanted: ByteRange, held: Iterable[ByteRange]) -> list[ByteRange]:
    """Return what of `wanted` is not among `held`, in order."""
    found, first = [], wanted.first
    for one in merged(held):
        if one.last < first:
            continue
        if one.first > wanted.last:
            break
        if one.first > first:
            found.append(ByteRange(first, one.first - 1))
        first = one.last + 1
    if first <= wanted.last:
        found.append(ByteRange(first, wanted.last))
    return found
