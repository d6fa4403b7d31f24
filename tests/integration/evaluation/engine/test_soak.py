"""A run of 500 items: 20 kills of workers, a flush, a killed broker, a crashed database."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_run_under_faults_loses_nothing_and_pays_twice_for_no_more_than_was_in_flight() -> None:
    soak = subprocess.run(
        [sys.executable, "benchmarks/soak.py", "--quick"],
        cwd=ROOT, capture_output=True, text=True, timeout=380, check=False,
    )  # fmt: skip
    if "no PostgreSQL here" in soak.stderr:
        pytest.skip(soak.stderr.splitlines()[-1])
    assert soak.returncode == 0, f"{soak.stdout[-3000:]}\n{soak.stderr[-3000:]}"
    found = json.loads(soak.stdout.splitlines()[-1])
    assert found["held"]
    assert (found["lost"], found["scored_twice"], found["foreign_replies"]) == (0, 0, 0)
