"""What stands in the way of a start is said in one line that tells what to do."""

import os
import socket
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from sonovqa import start_check
from sonovqa.start_check import CannotStart

ROOT = Path(start_check.__file__).parent.parent


@pytest.fixture
def taken_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port(taken_port):
    with pytest.raises(CannotStart, match=rf"PORT={taken_port + 1}"):
        start_check.check_port("127.0.0.1", taken_port)


def test_a_taken_port_is_said_before_anything_is_installed(taken_port):
    command = [sys.executable, "-S", "-I", str(ROOT / "sonovqa/start_check.py"), str(taken_port)]

    done = subprocess.run(command, capture_output=True, text=True)

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert f"Port {taken_port}" in done.stderr


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()

    with pytest.raises(CannotStart, match="SONOVQA_VAR"):
        start_check.check_folder(tmp_path / "file" / "var")


def test_a_folder_that_cannot_be_written(tmp_path, monkeypatch):
    def refused(**_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refused)

    with pytest.raises(CannotStart, match="make it writable"):
        start_check.check_folder(tmp_path)


def test_a_full_disk(tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda _path: usage(10**9, 10**9, 3_000_000))

    with pytest.raises(CannotStart, match="has 3 MB left"):
        start_check.check_folder(tmp_path)


def test_a_folder_is_served_once(tmp_path):
    with (
        start_check.lock_folder(tmp_path),
        pytest.raises(CannotStart, match=f"process {os.getpid()}"),
    ):
        start_check.lock_folder(tmp_path)
    start_check.lock_folder(tmp_path).close()


@pytest.mark.parametrize("command", ["prepare", "up", "migrate"])
def test_a_data_folder_that_is_a_file_is_said_in_one_line(tmp_path, command):
    (tmp_path / "var").touch()
    environment = {
        **os.environ,
        "SONOVQA_VAR": str(tmp_path / "var"),
        "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
    }

    done = subprocess.run(
        [sys.executable, "manage.py", command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "SONOVQA_VAR" in done.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SONOVQA_HTTPS", "perhaps"),
        ("DATABASE_URL", "garbage"),
        ("DATABASE_URL", "postgres://u:secret@host:99999/x"),
        ("REDIS_URL", "http://x"),
        ("REDIS_URL", "garbage"),
        ("REDIS_URL", "redis://"),
        ("REDIS_URL", "redis://:secret@host:99999/0"),
    ],
)
def test_a_wrong_setting_is_said_in_one_line(name, value):
    environment = {
        **os.environ,
        name: value,
        "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
    }

    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert "secret" not in done.stderr


def test_a_database_that_is_away_is_said_in_one_line():
    environment = {
        **os.environ,
        "DATABASE_URL": "postgres://u:secret@127.0.0.1:1/x",
        "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
    }

    done = subprocess.run(
        [sys.executable, "manage.py", "leaderboard", "b"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert "The database does not answer" in done.stderr
    assert "Traceback" not in done.stderr and "secret" not in done.stderr
