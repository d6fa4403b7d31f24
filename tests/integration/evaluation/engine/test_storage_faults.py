"""A full disk, a locked database and one that refuses for good: the run says so, waits or pauses,
and neither loses nor repeats."""

import shutil
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections

from evaluation.actions.runs import resume_run
from evaluation.engine import finish, ledger_thread, trouble
from evaluation.engine.pump import pump
from evaluation.engine.sweep import reclaim, sweep
from evaluation.models import Call, Prediction, Run
from tests.standins.model_script import Script

pytestmark = pytest.mark.django_db(transaction=True)
ITEMS, CALLS = 12, 18
SIZE = "24m"


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A tmpfs of its own; the test is skipped where nothing may be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill(disk: Path) -> Path:
    """Leave no byte free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while file.write(b"x" * size) == size:
                    pass
            except OSError:
                continue
    return filler


def in_a_thread(work: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """Work on connections of its own."""
    found: list[Any] = []

    def do() -> None:
        try:
            found.append(work())
        finally:
            connections.close_all()

    thread = threading.Thread(target=do)
    thread.start()
    return thread, found


def wait_for(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def outcome(run: Run) -> dict[str, Any]:
    answers = Prediction.objects.filter(run=run, outcome="answered")
    return {
        "state": Run.objects.get(pk=run.pk).state,
        "answers": answers.count(),
        "open": Call.objects.filter(work_item__run=run, state="intent").count(),
        "lost": Call.objects.filter(work_item__run=run, state="lost").count(),
    }


WHOLE = {"state": "done", "answers": ITEMS, "open": 0, "lost": 0}


@pytest.mark.sqlite
@pytest.mark.privileged
def test_full_disk_is_told_and_nothing_is_asked_twice(
    queued: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script(Script(latency=0.3, jitter=0.3))
    run = queued(videos=ITEMS // 2)
    with small_disk(tmp_path / "disk") as disk:
        with closing(sqlite3.connect(disk / "db.sqlite3")) as copy:
            connection.connection.backup(copy)
        monkeypatch.setitem(connections.settings["default"], "NAME", str(disk / "db.sqlite3"))
        thread, _ = in_a_thread(lambda: pump(run.pk))
        wait_for(lambda: server.counted.calls >= 4)
        filler = fill(disk)
        wait_for(lambda: trouble.of(run.pk))
        assert "full" in trouble.of(run.pk)
        wait_for(lambda: server.counted.in_flight == 0)
        asked = server.counted.calls
        time.sleep(1.2)
        assert server.counted.calls == asked, "calls begin whose intent cannot be kept"
        filler.unlink()
        thread.join(60)
        looking, found = in_a_thread(lambda: outcome(run))
        looking.join()
    assert found == [WHOLE]
    assert server.counted.calls == CALLS


@pytest.mark.sqlite
@pytest.mark.privileged
def test_full_clip_store_pauses_the_run_and_spends_no_attempt(
    queued: Any, server: Any, filmed: Any, tmp_path: Path, settings: Any, admin_user: Any
) -> None:
    server.script(Script())
    run = queued(benchmark=filmed, condition="video")
    with small_disk(tmp_path / "disk") as disk:
        shutil.copytree(settings.MEDIA_STORE, disk / "media")
        settings.MEDIA_STORE = disk / "media"
        filler = fill(disk)
        pump(run.pk)
        run.refresh_from_db()
        assert run.state == "paused"
        assert "cache is full" in run.state_reason and "MEDIA_GIGABYTES" in run.state_reason
        assert not run.work_items.exclude(state="waiting", faults=0).exists()
        assert run.work_items.filter(error_class="store_full").exists()
        assert not list(disk.rglob("*.part"))
        filler.unlink()
        resume_run(run=run, by=admin_user)
        assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert run.work_items.filter(stage="clip", state="done").count() == 2


@contextmanager
def locked() -> Iterator[None]:
    """Let nobody write to the tables of the runs."""
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        with closing(sqlite3.connect(name, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            yield
            other.execute("ROLLBACK")
        return
    other = connection.copy()
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("LOCK TABLE evaluation_run, evaluation_workitem IN ACCESS EXCLUSIVE MODE")
    yield
    other.rollback()
    other.close()


def test_locked_database_is_waited_for_beyond_the_lease(
    queued: Any, server: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ENGINE_LEASE_SECONDS = 2
    if connection.vendor == "sqlite":
        options = connections.settings["default"]["OPTIONS"]
        monkeypatch.setitem(options, "timeout", 0.5)
    server.script(Script(latency=0.3, jitter=0.3))
    run = queued(videos=ITEMS // 2)
    thread, _ = in_a_thread(lambda: pump(run.pk))
    wait_for(lambda: server.counted.calls >= 4)
    with locked():
        if connection.vendor == "sqlite":
            wait_for(lambda: "locked" in trouble.of(run.pk))
        time.sleep(3)
    reclaim(run.pk)  # the sweep may well be the first to get through
    thread.join(60)
    found = outcome(run)
    assert found == WHOLE
    assert server.counted.calls == CALLS


TABLE = "evaluation_prediction"
KINDS = {
    "no table": (
        {"": f"ALTER TABLE {TABLE} RENAME TO elsewhere"},
        {"": f"ALTER TABLE elsewhere RENAME TO {TABLE}"},
        "migrate",
    ),
    "rule": (
        {
            "sqlite": f"CREATE TRIGGER shut BEFORE INSERT ON {TABLE}"
            " BEGIN SELECT RAISE(ABORT, 'shut'); END",
            "postgresql": f"ALTER TABLE {TABLE} ADD CONSTRAINT shut CHECK (false) NOT VALID",
        },
        {"sqlite": "DROP TRIGGER shut", "postgresql": f"ALTER TABLE {TABLE} DROP CONSTRAINT shut"},
        "refused a row",
    ),
}


@contextmanager
def refusing(kind: str) -> Iterator[str]:
    """Let the database refuse every reply; give what the run is to say."""
    shut, opened, words = KINDS[kind]
    with connection.cursor() as cursor:
        cursor.execute(shut.get(connection.vendor) or shut[""])
    try:
        yield words
    finally:
        with connection.cursor() as cursor:
            cursor.execute(opened.get(connection.vendor) or opened[""])


def state_of(run: Run) -> tuple[str, str]:
    run.refresh_from_db()
    return run.state, run.state_reason


def go_on(run: Run, by: Any) -> dict[str, Any]:
    resume_run(run=run, by=by)
    thread, found = in_a_thread(lambda: pump(run.pk))
    thread.join(60)
    assert found == [True]
    return outcome(run)


@pytest.mark.parametrize("kind", KINDS)
def test_refusal_pauses_the_run_and_no_reply_is_paid_twice(
    queued: Any, server: Any, admin_user: Any, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    server.script(Script(latency=0.3, jitter=0.3))
    run = queued(videos=ITEMS // 2)
    thread, _ = in_a_thread(lambda: pump(run.pk))
    wait_for(lambda: server.counted.calls >= 4)
    with refusing(kind) as words:
        wait_for(lambda: state_of(run)[0] == "paused")
        assert "The database refuses" in run.state_reason and words in run.state_reason
        assert f"run {run.pk}: {run.state_reason}" in caplog.messages
        wait_for(lambda: server.counted.in_flight == 0)
        assert thread.is_alive(), "the replies in hand are given up"
    thread.join(60)
    assert state_of(run)[0] == "paused"
    assert go_on(run, admin_user) == WHOLE
    assert server.counted.calls == CALLS


def test_pump_with_nothing_in_hand_ends_at_a_refusal(
    queued: Any, server: Any, admin_user: Any
) -> None:
    run = queued(videos=ITEMS // 2)
    with refusing("no table"):
        thread, found = in_a_thread(lambda: pump(run.pk))
        thread.join(60)
        assert found == [True] and state_of(run)[0] == "paused"
        assert server.counted.calls == 0
    assert go_on(run, admin_user) == WHOLE


def test_replies_that_are_refused_too_long_are_asked_again(
    queued: Any, server: Any, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger_thread, "HELD_FOR", 0.5)
    run = queued(videos=ITEMS // 2)
    with refusing("rule"):
        thread, _ = in_a_thread(lambda: pump(run.pk))
        thread.join(60)
        assert not thread.is_alive() and state_of(run)[0] == "paused"
        asked = server.counted.calls
    run.work_items.filter(state="claimed").update(lease_until="2020-01-01T00:00:00+00:00")
    assert reclaim(run.pk) == asked
    assert go_on(run, admin_user) == WHOLE | {"lost": asked}
    assert server.counted.calls == CALLS + asked


def test_page_says_what_hinders_the_workers(queued: Any, client_for: Any, admin_user: Any) -> None:
    run = queued(videos=1)
    trouble.tell(run.pk, "database or disk is full")
    page = client_for(admin_user).get(f"/runs/{run.pk}/").content.decode()
    assert "The database cannot be written: database or disk is full." in page


def test_entry_that_is_refused_is_told_and_stored_once_it_can_be(
    queued: Any, server: Any, client_for: Any, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(run: Run) -> None:
        raise IntegrityError(f"no room for the entry of {run.pk}")

    def page() -> str:
        return str(client_for(admin_user).get(f"/runs/{run.pk}/").content.decode())

    run = queued(videos=1)
    with monkeypatch.context() as patch:
        patch.setattr(finish, "compute_entry", refused)
        assert pump(run.pk)
        sweep()
        assert state_of(run)[0] == "done" and not run.entries.exists()
        assert f"cannot be stored: no room for the entry of {run.pk}." in page()
    sweep()
    assert run.entries.count() == 1
    assert "cannot be stored" not in page()
    assert server.counted.calls == Call.objects.filter(work_item__run=run).count()
