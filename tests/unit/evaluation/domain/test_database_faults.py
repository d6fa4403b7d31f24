"""Which faults of a database pass, and what is advised about the others."""

import pytest

from evaluation.domain.database_faults import OTHER, RIGHTS, RULE, SCHEMA, Fault

PASSING = [
    Fault("connection lost", of_connection=True),
    Fault("shutting down", state="57P01"),
    Fault("starting up", state="57P03"),
    Fault("no space left", state="53100"),
    Fault("too many connections", state="53300"),
    Fault("deadlock", state="40P01"),
    Fault("lock timeout", state="55P03"),
    Fault("cannot execute UPDATE in a read-only transaction", state="25006"),
    Fault("database is locked", sqlite="SQLITE_BUSY_SNAPSHOT"),
    Fault("database or disk is full", sqlite="SQLITE_FULL"),
    Fault("disk I/O error", sqlite="SQLITE_IOERR_WRITE"),
]
LASTING = [
    (Fault('relation "x" does not exist', state="42P01"), SCHEMA),
    (Fault("no such table: x", sqlite="SQLITE_ERROR", of_connection=True), SCHEMA),
    (Fault("table x has no column named y", sqlite="SQLITE_ERROR", of_connection=True), SCHEMA),
    (Fault("permission denied for table x", state="42501"), RIGHTS),
    (Fault("attempt to write a readonly database", sqlite="SQLITE_READONLY"), RIGHTS),
    (Fault("violates check constraint", state="23514"), RULE),
    (Fault("UNIQUE constraint failed", sqlite="SQLITE_CONSTRAINT_UNIQUE"), RULE),
    (Fault("value too long", state="22001"), RULE),
    (Fault("database disk image is malformed", sqlite="SQLITE_CORRUPT"), OTHER),
    (Fault("the cursor was not made for this"), OTHER),
]


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.message)
def test_passing(fault: Fault) -> None:
    assert fault.passes


@pytest.mark.parametrize(("fault", "advice"), LASTING, ids=lambda one: getattr(one, "message", ""))
def test_lasting(fault: Fault, advice: str) -> None:
    assert not fault.passes
    assert fault.advice == advice
