"""What was made from the database, kept for as long as nothing at all was committed to it.

PostgreSQL tells which transactions a statement sees; of two statements that see the same ones,
both see the same rows. SQLite tells each connection whether another one has committed, and
counts its own changes. So one short query proves that what was read before would be read again,
whoever may have changed what by whichever way, and nothing has to say that it changed something.
Under steady writing the proof seldom succeeds: what it guards has to be cheap enough without it.

Sources: PostgreSQL's manual, "Transaction ID and Snapshot Information Functions"; SQLite's, "PRAGMA
data_version" and "sqlite3_total_changes".
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

from django.db import connection

Value = TypeVar("Value")
# The start of the server: a copy of the database that took its place may count from anywhere.
SNAPSHOT = "SELECT pg_current_snapshot()::text, pg_postmaster_start_time()::text"


class Mark(NamedTuple):
    """What the database holds. Marks of one `reader` can be compared: a connection, or 0 where
    all connections to the database tell the same."""

    reader: int
    state: tuple[Hashable, ...]


def mark() -> Mark | None:
    """Return what the database holds now; None within a transaction, which sees rows that
    nobody else does. One short query."""
    if connection.in_atomic_block or not connection.get_autocommit():
        return None
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(SNAPSHOT)
            return Mark(0, cursor.fetchone())
        cursor.execute("PRAGMA data_version")
        raw = connection.connection
        # The connection itself is part of the mark, so that no later one gets its number.
        return Mark(id(raw), (raw, raw.total_changes, *cursor.fetchone()))


class Unchanged(Generic[Value]):
    """Values by name, each beside the mark of what it was made from."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[Hashable, int], tuple[Mark, Value]] = OrderedDict()
        self._lock = Lock()

    def get(self, name: Hashable, now: Mark | None) -> Value | None:
        """Return what was put under `name` while the database held what it holds `now`."""
        if now is None:
            return None
        with self._lock:
            found = self._kept.get((name, now.reader))
            if found is None or found[0] != now:
                return None
            self._kept.move_to_end((name, now.reader))
            return found[1]

    def put(self, name: Hashable, before: Mark | None, value: Value) -> None:
        """Keep `value`; `before` is the mark taken before anything of it was read. What changed
        while it was made makes the next mark another one, so that it is never found."""
        if before is None:
            return
        with self._lock:
            self._kept[name, before.reader] = before, value
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
