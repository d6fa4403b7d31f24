"""Fetches what windows need of a source on the web, once, and keeps it as a file with holes.

ffmpeg then reads a file of ours: it opens no address, and an address that goes stale midway
costs nothing that was fetched before. A part that is there is never fetched again.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from annotation import media_store, source_access
from annotation.domain import mp4_index
from annotation.domain.byte_ranges import ByteRange, merged, missing
from annotation.domain.clips import Span
from annotation.source_access import OpenSource
from sonovqa.adapters import ffmpeg
from sonovqa.adapters.byte_server import ByteServer, FileChangedError

HEAD = 32 * 1024  # bytes read at least, so that tables come in few requests
PIECE = 4 * 1024 * 1024  # bytes of one request; noted down when they are there
KIND = "parts"


@dataclass
class _Copy:
    """The file with holes: `held` says which bytes are there."""

    path: Path
    notes: Path
    server: ByteServer
    handle: BinaryIO
    held: list[ByteRange] = field(default_factory=list)
    has_tables: bool = False

    def read(self, first: int, length: int) -> bytes:
        """Return bytes of the file, fetched where they are missing."""
        if length < 1:
            return b""
        self.fetch(ByteRange(first, first + length - 1))
        self.handle.seek(first)
        return self.handle.read(length)

    def fetch(self, wanted: ByteRange) -> None:
        for hole in missing(wanted, self.held):
            for first in range(hole.first, hole.last + 1, PIECE):
                self._fetch_piece(ByteRange(first, min(first + PIECE - 1, hole.last)))

    def _fetch_piece(self, piece: ByteRange) -> None:
        if piece.length < HEAD and not self.has_tables:
            piece = ByteRange(piece.first, piece.first + HEAD - 1)
        content = self.server.read(piece)
        self.handle.seek(piece.first)
        self.handle.write(content)
        self.handle.flush()
        got = ByteRange(piece.first, piece.first + len(content) - 1)
        self.held = merged([*self.held, got] if content else self.held)
        self.note()

    def note(self) -> None:
        held = [asdict(one) for one in self.held]
        media_store.write_json(self.notes, {"size": self.server.size, "held": held})

    def index(self) -> mp4_index.Samples | mp4_index.Fragments:
        """Read the index, and shape the file so that ffmpeg finds it whole."""
        if not self.server.size:
            self.fetch(ByteRange(0, HEAD - 1))
        index = mp4_index.read_index(self.read, self.server.size)
        self.has_tables = True
        whole = self.server.size
        if isinstance(index, mp4_index.Fragments):
            whole = int(index.offsets[-1])  # ffmpeg trusts an index only if it ends with the file
        self.handle.truncate(whole)
        return index


@contextmanager
def local_copy(
    source: tuple[str, str], opened: OpenSource, spans: Iterable[Span]
) -> Iterator[ffmpeg.MediaInput]:
    """Give an input that holds all that `spans` need: the source itself, where it is a file.

    Where the file has no index that can be read, that is the address itself. Raises
    UnreadableInputError where the server refuses, or gives no parts of files.
    """
    if not opened.fleeting:
        yield opened.media
        return
    name = media_store.name_of(source, "parts", opened.identity)
    path = media_store.place(KIND, name, ".mp4")
    try:
        with media_store.locked(KIND, name):
            _fetch(path, opened, spans)
    except mp4_index.BadMp4:
        yield opened.media
        return
    media_store.mark_used(path, path.with_suffix(".json"))
    yield ffmpeg.local_file(path)


def _fetch(path: Path, opened: OpenSource, spans: Iterable[Span]) -> None:
    notes = path.with_suffix(".json")
    known = media_store.read_json(notes) if path.is_file() else None
    if known is None:
        path.unlink(missing_ok=True)
        path.touch(mode=0o600)
    headers = dict(opened.media.headers)
    hosts = source_access.SITE.hosts
    with (
        ByteServer(opened.media.location, headers, hosts=hosts) as server,
        path.open("r+b") as handle,
    ):
        copy = _Copy(path, notes, server, handle)
        if known:
            server.size = known["size"]
            copy.held = [ByteRange(**one) for one in known["held"]]
        try:
            index = copy.index()
            for span in spans:
                copy.fetch(index.bytes_of(span.start, span.end))
        except FileChangedError:
            path.unlink()
            raise
