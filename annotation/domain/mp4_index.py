"""Reads where the pictures of an MP4 file lie, so that a window can be fetched without the rest.

Two layouts (ISO/IEC 14496-12): a sample table in `moov`, and fragments with a `sidx` before
them, as YouTube serves them. Times are seconds of presentation, offsets bytes of the file.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from annotation.domain.byte_ranges import ByteRange

LARGEST_TABLE = 64 * 1024 * 1024  # bytes of `moov` or `sidx`
MOST_SAMPLES = 5_000_000
MOST_BOXES = 64  # that are looked at on the top level
LEAD = 0.05  # seconds before a window within which its key frame may lie by rounded times
TRAIL = 0.3  # seconds past its end for which a whole fragment more is fetched
TRAILING = 5  # pictures past its end that ffmpeg reads before it stops, beyond those held back

Read = Callable[[int, int], bytes]


class BadMp4(ValueError):
    """The file is no MP4 video that can be read in parts; the text says why."""


@dataclass(frozen=True)
class Samples:
    """The pictures in decoding order: when decoded and shown, where, and which are key frames."""

    width: int
    height: int
    decoded: np.ndarray
    shown: np.ndarray
    offsets: np.ndarray
    sizes: np.ndarray
    keys: np.ndarray

    @property
    def frames(self) -> int:
        return len(self.sizes)

    @cached_property
    def delay(self) -> int:
        """How many pictures a decoder holds back at most to show them in order."""
        return int((np.argsort(self.shown, kind="stable") - np.arange(self.frames)).max())

    def bytes_of(self, start: float, end: float) -> ByteRange:
        """Return the bytes that showing seconds `start` to `end` takes, key frame included."""
        before = self.keys[self.shown[self.keys] <= start - LEAD]
        first = int(before[-1]) if len(before) else 0
        last = int(np.searchsorted(self.decoded, end, side="right")) + TRAILING + self.delay
        last = max(first + 1, min(last, self.frames))
        begins = self.offsets[first:last]
        return ByteRange(int(begins.min()), int((begins + self.sizes[first:last]).max()) - 1)


@dataclass(frozen=True)
class Fragments:
    """The fragments of a file: where each begins, in seconds and in bytes; one more at the end."""

    width: int
    height: int
    starts: np.ndarray
    offsets: np.ndarray

    def bytes_of(self, start: float, end: float) -> ByteRange:
        """Return the bytes of the fragments that seconds `start` to `end` lie in."""
        count = len(self.starts) - 1
        first = int(np.searchsorted(self.starts, start - LEAD, side="right")) - 1
        last = int(np.searchsorted(self.starts, end + TRAIL, side="left"))
        first = max(0, min(first, count - 1))
        last = max(first + 1, min(last, count))
        return ByteRange(int(self.offsets[first]), int(self.offsets[last]) - 1)


def read_index(read: Read, size: int) -> Samples | Fragments:
    """Return the index of a file of `size` bytes; `read(first, length)` gives bytes of it.

    Raises BadMp4 where there is none that can be used.
    """
    moov, offset = b"", 0
    for _ in range(MOST_BOXES):
        if offset + 8 > size:
            break
        kind, head, length = _box(read(offset, min(16, size - offset)), size - offset)
        body = (offset + head, length - head)
        if kind == b"moov":
            moov = _table(read, *body)
            if not _find(moov, b"mvex"):
                return _samples(_video(moov), size)
        elif kind == b"sidx" and moov:
            return _fragments(_video(moov), _table(read, *body), offset + length, size)
        elif kind == b"moof":
            break
        offset += length
    raise BadMp4("there is neither a sample table nor an index of fragments")


def _box(head: bytes, left: int) -> tuple[bytes, int, int]:
    """Return kind, length of the head and length of the whole of a box."""
    length, kind = struct.unpack_from(">I4s", head)
    size = 8
    if length == 1 and len(head) >= 16:
        length, size = struct.unpack_from(">Q", head, 8)[0], 16
    elif length == 0:
        length = left
    if not size <= length <= left:
        raise BadMp4("a box is longer than what holds it")
    return kind, size, length


def _table(read: Read, offset: int, length: int) -> bytes:
    if length > LARGEST_TABLE:
        raise BadMp4(f"a table has {length} bytes")
    return read(offset, length)


def _children(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset = 0
    while offset + 8 <= len(data):
        kind, head, length = _box(data[offset : offset + 16], len(data) - offset)
        yield kind, data[offset + head : offset + length]
        offset += length


def _find(data: bytes, *path: bytes) -> bytes:
    """Return the body of the first box down `path`, empty where there is none."""
    for name in path:
        data = next((body for kind, body in _children(data) if kind == name), b"")
    return data


def _video(moov: bytes) -> bytes:
    for kind, track in _children(moov):
        if kind == b"trak" and _find(track, b"mdia", b"hdlr")[8:12] == b"vide":
            return track
    raise BadMp4("there is no track of pictures")


def _size(track: bytes) -> tuple[int, int]:
    entry = _find(track, b"mdia", b"minf", b"stbl", b"stsd")
    if len(entry) < 44:
        raise BadMp4("the track says no size")
    return struct.unpack_from(">HH", entry, 40)


def _timescale(track: bytes) -> int:
    header = _find(track, b"mdia", b"mdhd")
    at = 20 if header[:1] == b"\x01" else 12
    if len(header) < at + 4 or not (scale := struct.unpack_from(">I", header, at)[0]):
        raise BadMp4("the track says no time scale")
    return int(scale)


def _samples(track: bytes, size: int) -> Samples:
    tables = dict(_children(_find(track, b"mdia", b"minf", b"stbl")))
    sizes = _sizes(tables.get(b"stsz", b""))
    scale = _timescale(track)
    decoded = _decoded(tables.get(b"stts", b""), len(sizes))
    shown = decoded + _delays(tables.get(b"ctts", b""), len(sizes)) - _skipped(track)
    offsets = _offsets(tables, sizes)
    if (offsets + sizes).max() > size:
        raise BadMp4("a picture lies outside the file")
    marked = _numbers(tables.get(b"stss", b""), 4, 1)
    keys = np.arange(len(sizes)) if b"stss" not in tables else marked[:, 0] - 1
    if not len(keys) or keys.min() < 0 or keys.max() >= len(sizes):
        raise BadMp4("the key frames are not among the pictures")
    width, height = _size(track)
    return Samples(width, height, decoded / scale, shown / scale, offsets, sizes, keys)


def _numbers(table: bytes, at: int, columns: int, kind: str = ">u4") -> np.ndarray:
    """Return the rows of a table that states their count at byte `at`."""
    if len(table) < at + 4:
        return np.zeros((0, columns), np.int64)
    count = struct.unpack_from(">I", table, at)[0]
    width = np.dtype(kind).itemsize * columns
    if count > MOST_SAMPLES or len(table) < at + 4 + count * width:
        raise BadMp4("a table is cut short")
    rows = np.frombuffer(table, kind, count * columns, at + 4)
    return rows.astype(np.int64).reshape(count, columns)


def _sizes(table: bytes) -> np.ndarray:
    if len(table) < 12:
        raise BadMp4("the sample table has no sizes")
    same, count = struct.unpack_from(">II", table, 4)
    if not 0 < count <= MOST_SAMPLES:
        raise BadMp4(f"the sample table has {count} pictures")
    return np.full(count, same, np.int64) if same else _numbers(table, 8, 1)[:, 0]


def _repeated(rows: np.ndarray, count: int) -> np.ndarray:
    """Return the second column, each repeated as often as the first says, `count` in all."""
    if rows[:, 0].sum() < count or rows[:, 0].max(initial=0) > MOST_SAMPLES:
        raise BadMp4("the times of some pictures are missing")
    ends = np.cumsum(rows[:, 0])
    return rows[np.searchsorted(ends, np.arange(count), side="right"), 1]


def _decoded(table: bytes, count: int) -> np.ndarray:
    lasting = _repeated(_numbers(table, 4, 2), count)
    return np.concatenate(([0], np.cumsum(lasting)[:-1]))


def _delays(table: bytes, count: int) -> np.ndarray:
    if not table:
        return np.zeros(count, np.int64)
    return _repeated(_numbers(table, 4, 2).astype(np.int32).astype(np.int64), count)


def _skipped(track: bytes) -> int:
    """Return the ticks that the edit list cuts off the beginning."""
    edits = _find(track, b"edts", b"elst")
    wide = edits[:1] == b"\x01"
    if len(edits) < (28 if wide else 20):
        return 0
    return max(0, struct.unpack_from(">q" if wide else ">i", edits, 16 if wide else 12)[0])


def _offsets(tables: dict[bytes, bytes], sizes: np.ndarray) -> np.ndarray:
    chunks = _numbers(tables.get(b"stco", b""), 4, 1)[:, 0]
    if b"co64" in tables:
        chunks = _numbers(tables[b"co64"], 4, 1, ">u8")[:, 0]
    runs = _numbers(tables.get(b"stsc", b""), 4, 3)
    firsts = runs[:, 0] - 1
    if not len(chunks) or not len(runs) or firsts[0] != 0 or (np.diff(firsts) <= 0).any():
        raise BadMp4("the sample table has no places")
    held = runs[np.searchsorted(firsts, np.arange(len(chunks)), side="right") - 1, 1]
    if held.min() < 1 or held.max() > MOST_SAMPLES or held.sum() != len(sizes):
        raise BadMp4("the places of some pictures are missing")
    before = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    chunk_firsts = np.concatenate(([0], np.cumsum(held)[:-1]))
    return np.repeat(chunks - before[chunk_firsts], held) + before


def _fragments(track: bytes, sidx: bytes, anchor: int, size: int) -> Fragments:
    wide = sidx[:1] == b"\x01"
    at = 28 if wide else 20  # of the two bytes before the count
    if len(sidx) < at + 4:
        raise BadMp4("the index of fragments is cut short")
    scale = struct.unpack_from(">I", sidx, 8)[0]
    earliest, skipped = struct.unpack_from(">QQ" if wide else ">II", sidx, 12)
    count = struct.unpack_from(">H", sidx, at + 2)[0]
    if not scale or not count or len(sidx) < at + 4 + 12 * count:
        raise BadMp4("the index of fragments is cut short")
    rows = np.frombuffer(sidx, ">u4", 3 * count, at + 4).astype(np.int64).reshape(count, 3)
    if (rows[:, 0] >> 31).any():
        raise BadMp4("the index of fragments points to further ones")
    offsets = anchor + skipped + np.concatenate(([0], np.cumsum(rows[:, 0])))
    if offsets[-1] > size:
        raise BadMp4("a fragment lies outside the file")
    starts = (earliest + np.concatenate(([0], np.cumsum(rows[:, 1])))) / scale
    return Fragments(*_size(track), starts, offsets)
