"""Faults of a database: which pass by themselves, and what a person does about the others.

Sources: PostgreSQL's appendix "Error Codes" (five letters, the first two a class), SQLite's
"Result and Error Codes".
"""

from dataclasses import dataclass

# Connection, transaction rolled back, resources (disk, memory, connections), object in use,
# intervention (shutdown, recovery, timeout), system (input/output).
PASSING_CLASSES = ("08", "40", "53", "55", "57", "58")
PASSING_STATES = ("25006", "25P03")  # a standby that takes over, an idle session that was ended
PASSING_SQLITE = (
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN"),
    *("SQLITE_PROTOCOL", "SQLITE_NOMEM", "SQLITE_INTERRUPT"),
)
SCHEMA = "Run manage.py migrate with the code that the workers run, restart them, then resume."
RIGHTS = "Give the user of the database its rights back, then resume."
RULE = "A rule of the database refused a row: report the log of the worker, then resume."
OTHER = "See the log of the worker, mend the database, then resume."
# What comes first is looked for first.
ADVICE = (
    (("42P01", "42703", "42883", "3F000", "no such table", "no such column"), SCHEMA),
    (("no column named", "values were supplied"), SCHEMA),
    (("42501", "28", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_AUTH"), RIGHTS),
    (("22", "23", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_TOOBIG"), RULE),
)


@dataclass(frozen=True)
class Fault:
    """What the driver said: PostgreSQL's SQLSTATE or SQLite's name of the error, each "" where
    there is none; `of_connection`: an operational or interface error by the DB-API."""

    message: str
    state: str = ""
    sqlite: str = ""
    of_connection: bool = False

    @property
    def passes(self) -> bool:
        """Say whether waiting may help."""
        if self.state:
            return self.state.startswith(PASSING_CLASSES) or self.state in PASSING_STATES
        if self.sqlite:
            return self.sqlite.startswith(PASSING_SQLITE)
        return self.of_connection  # a lost connection has no code

    @property
    def advice(self) -> str:
        """Return what a person does about a fault that does not pass."""
        for signs, advice in ADVICE:
            if (self.state or self.sqlite).startswith(signs) or self._says(signs):
                return advice
        return OTHER

    def _says(self, signs: tuple[str, ...]) -> bool:
        return any(" " in sign and sign in self.message for sign in signs)
