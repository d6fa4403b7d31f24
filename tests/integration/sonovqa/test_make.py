"""`make run` on a machine that lacks something says in one line what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OLD = 'case "$2" in *version_info*) exit 1;; esac'
NO_VENV = 'case "$2" in *ensurepip*) exit 1;; esac'
FULL = 'case "$1$2" in -mvenv) exit 1;; esac'


@pytest.fixture
def made(tmp_path):
    """Return a function that runs the Makefile's first step with a Python that lacks something."""
    shutil.copy(ROOT / "Makefile", tmp_path)

    def run(lack: str) -> subprocess.CompletedProcess[str]:
        python = tmp_path / "python3"
        python.write_text(f'#!/bin/sh\n{lack}\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
        return subprocess.run(
            ["make", "--no-print-directory", ".venv/.made", f"PYTHON={python}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    return run


@pytest.mark.parametrize(
    ("lack", "advice"),
    [(OLD, "Python 3.11 or newer"), (NO_VENV, "apt install python3-venv"), (FULL, "disk full")],
)
def test_what_is_missing_is_said_in_one_line(made, tmp_path, lack, advice):
    done = made(lack)

    assert done.returncode != 0
    first, *rest = done.stderr.splitlines()
    assert advice in first
    assert all(line.startswith("make") for line in rest)
    assert not (tmp_path / ".venv/.made").exists()


def test_requirements_that_cannot_be_installed_are_asked_for_again(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "requirements.txt").write_text("./no-such-folder\n")
    venv = tmp_path / ".venv"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to(sys.executable)
    (venv / ".made").touch()

    done = subprocess.run(
        ["make", "install"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )

    assert done.returncode != 0
    assert "The requirements cannot be installed" in done.stderr
    assert not (venv / ".installed").exists()
