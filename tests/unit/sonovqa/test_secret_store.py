"""Processes that start together agree on one secret, and never see half of it."""

import stat
import subprocess
import sys
import time

import pytest

from sonovqa import secret_store

RACE = """
import sys, time
from pathlib import Path
from sonovqa import secret_store
time.sleep(max(0, float(sys.argv[2]) - time.time()))
print(secret_store.read_or_make(Path(sys.argv[1])))
"""


def test_the_secret_is_made_once_and_private(tmp_path):
    path = tmp_path / "key"

    first = secret_store.read_or_make(path)

    assert secret_store.read_or_make(path) == first
    assert len(first) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["key"]


def test_processes_that_start_together_agree(tmp_path):
    start = str(time.time() + 1.0)
    command = [sys.executable, "-c", RACE, str(tmp_path / "key"), start]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(8)]
    secrets = {racer.communicate()[0].strip() for racer in racers}

    assert len(secrets) == 1
    assert len(secrets.pop()) == 64


def test_an_empty_file_is_refused_by_name(tmp_path):
    path = tmp_path / "key"
    path.touch()

    with pytest.raises(OSError, match="key is empty"):
        secret_store.read_or_make(path)


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)

    with pytest.raises(OSError, match="No space left"):
        secret_store.read_or_make(tmp_path / "key")

    assert list(tmp_path.iterdir()) == []
