"""The database of the tests, migrated once a run: the other workers begin with a copy of it.

To migrate takes 7 s of a core; four workers on two databases would do it eight times. The copy
lies in a folder, or on a server, that goes with the run, so it is never that of older code.
"""

import fcntl
import os
import shutil
from pathlib import Path
from typing import IO

from django.db import connection

ON_SERVER = "migrated"  # its name on PostgreSQL


class Migrated:
    """What the workers of one run share, in `folder`; only one of them works on it at a time."""

    def __init__(self, folder: Path) -> None:
        self._lock: IO[str] = (folder / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.copy = folder / "migrated.sqlite3"
        self._made = folder / "made"

    def offer(self) -> None:
        """Let the setup that follows begin with the copy, where there is one."""
        if not self._made.exists():
            return
        test = connection.settings_dict["TEST"]
        if connection.vendor == "postgresql":
            test["TEMPLATE"] = ON_SERVER
        else:
            shutil.copyfile(self.copy, test["NAME"])

    def keep(self) -> None:
        """Copy what has been set up, unless there is a copy already; let the next worker go on."""
        if not self._made.exists():
            name = connection.settings_dict["NAME"]
            if connection.vendor == "postgresql":
                connection.close()
                with connection._nodb_cursor() as cursor:
                    cursor.execute(f'CREATE DATABASE "{ON_SERVER}" TEMPLATE "{name}"')
            else:
                with connection.cursor() as cursor:
                    cursor.execute("VACUUM INTO %s", [str(self.copy)])
            self._made.touch()
        self._lock.close()


def of_this_run() -> Migrated | None:
    """None on a server that was there before, where a copy would stay behind."""
    folder = os.environ.get("SONOVQA_TEST_RUN")
    return Migrated(Path(folder)) if folder else None
