"""How fast a large submission is read to "checked", and with how much memory.

Each figure is taken in a process of its own on a fresh SQLite file:

- lines: the limit: the same file by `json.loads`, line by line, nothing else
- raw: the peer: the same replies parsed by `json.loads` and written with one bare
  `executemany`, with no look at items, no reading of replies, no check and no hash
- submission: `receive_submission` and `check_submission`, from the upload to "checked", that is
  with every row bounded, strictly parsed, joined with its item, read, scored and stored
- entry: what a worker does after that, the private figures; its memory has a bar of its own

All items are MCQs, the dearer kind to read; half of the replies are a letter, half a reasoned
sentence. Memory is the peak of the process above what it had when Django was up, and in all.
The rate that is held against the bar is by processor time, which a busy machine does not bend;
the rate by the clock stands beside it.

    python benchmarks/submission_rate.py [--quick] [--rows N]
"""

import argparse
import hashlib
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WANTED_RATE, WANTED_MB = 20_000, 300
ENTRY_MB = 600
SENTENCE = (
    "The beam meets the vessel wall at a right angle while the operator slides cranially, "
    "and the artefact below it fades with every step. The correct answer is {}."
)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100,000 rows instead of 1,000,000")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    chosen.rows = chosen.rows or (100_000 if chosen.quick else 1_000_000)
    return chosen


def write_lines(path: Path, rows: int) -> None:
    """Write `rows` replies; what a line says beside item and reply is to be ignored."""
    with path.open("w") as file:
        for n in range(1, rows + 1):
            said = "ABCD"[n % 4] if n % 2 else SENTENCE.format("ABCD"[n % 4])
            file.write(json.dumps({"item": f"k{n}", "prediction": said, "score": 9}) + "\n")


class Upload:
    """The file as a form hands it over."""

    name: str | None = "predictions.jsonl"

    def __init__(self, path: Path) -> None:
        self.path = path

    def chunks(self) -> Iterable[bytes]:
        with self.path.open("rb") as file:
            while part := file.read(65_536):
                yield part


# What is measured, each in its own process.


def read_alone(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for line in file if json.loads(line))


def write_bare(path: Path) -> int:
    base = sqlite3.connect(path.with_suffix(".raw.sqlite3"))
    base.execute("CREATE TABLE p (item TEXT, reply TEXT, digest TEXT)")
    with path.open("rb") as file:
        rows = (json.loads(line) for line in file)
        found = base.executemany("INSERT INTO p VALUES (?, ?, '')", map(bare, rows)).rowcount
    base.commit()
    return found


def bare(row: dict[str, Any]) -> tuple[str, str]:
    return row["item"], row["prediction"]


def prepare(rows: int) -> None:
    """Make a public benchmark of `rows` items, a release of all of them, and a sender."""
    from annotation.models import Benchmark, Release, ReleaseItem
    from benchmarks.many_items import make, settle
    from tests import factories

    made = make("large", rows)
    bench = Benchmark.objects.get(slug=made.slug)
    release = Release.objects.create(
        benchmark=bench, tag="r1", hash=hashlib.sha256(b"large").hexdigest(), kept_mcq=rows
    )
    for start in range(0, rows, 10_000):
        numbers = range(start, min(rows, start + 10_000))
        ReleaseItem.objects.bulk_create(
            ReleaseItem(
                release=release, item_version_id=made.first_version + n, keep=True, position=n
            )
            for n in numbers
        )
    settle()
    factories.account("sender", role="")


def submit(path: Path) -> int:
    from annotation.models import Release, User
    from evaluation import submissions
    from evaluation.actions.submissions import receive_submission
    from evaluation.models import Prediction, Submission
    from evaluation.models.submission import SubmissionState

    vars(submissions)["compute_entry"] = lambda _run: None  # measured by itself
    made = receive_submission(
        release=Release.objects.get(),
        files=[Upload(path)],
        model_name="Large",
        condition="video",
        by=User.objects.get(username="sender"),
    )
    submissions.check_submission(made.pk)
    made = Submission.objects.get(pk=made.pk)
    assert made.state == SubmissionState.CHECKED, made.reason
    return Prediction.objects.filter(run=made.run).count()


def entry(_: Path) -> int:
    from evaluation.leaderboard import compute_entry
    from evaluation.models import Run

    return int(compute_entry(Run.objects.get()).figures["scored"])


WAYS: dict[str, Callable[[Path], int]] = {
    "lines": read_alone,
    "raw": write_bare,
    "submission": submit,
    "entry": entry,
}


def set_up() -> None:
    import django

    sys.path.insert(0, str(ROOT))
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def child(what: str, path: Path) -> None:
    """Do one thing in this process; print rows, seconds, and memory in MB."""
    if what in ("prepare", "submission", "entry"):
        set_up()
    if what == "prepare":
        prepare(int(path.name))
        return
    base = peak_mb()
    start, cpu = time.perf_counter(), time.process_time()
    rows = WAYS[what](path)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps({"s": seconds, "cpu": cpu, "rows": rows, "base": base, "peak": peak_mb()}))


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_child(what: str, path: str | Path, var: Path) -> str:
    env = {**os.environ, "SONOVQA_VAR": str(var), "DJANGO_SETTINGS_MODULE": "sonovqa.settings"}
    env.pop("DATABASE_URL", None)
    command = [sys.executable, __file__, "--child", what, str(path)]
    return subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout


def measure(what: str, path: Path, var: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(run_child(what, path, var).splitlines()[-1])
    clock, cpu = found["rows"] / found["s"], found["rows"] / found["cpu"]
    rates = f"{clock:9,.0f} rows/s {cpu:9,.0f} a CPU s"
    memory = f"peak {found['peak']:.0f} MB, {found['peak'] - found['base']:.0f} above the start"
    print(f"  {what:<11}{found['s']:7.1f} s {found['cpu']:7.1f} s CPU {rates}  {memory}")
    return found


def main() -> int:
    chosen = parse_arguments()
    if chosen.child:
        child(chosen.child[0], Path(chosen.child[1]))
        return 0
    with tempfile.TemporaryDirectory(prefix="submission-rate-") as name:
        scratch = Path(name)
        path = scratch / "predictions.jsonl"
        write_lines(path, chosen.rows)
        run_child("prepare", str(chosen.rows), scratch / "var")
        print(f"{chosen.rows:,} replies, {path.stat().st_size / 1e6:.0f} MB")
        found = {what: measure(what, path, scratch / "var") for what in WAYS}
    return conclude(found, chosen.rows)


def conclude(found: dict[str, dict[str, float]], rows: int) -> int:
    ours = found["submission"]
    rate, limit = rows / ours["cpu"], rows / found["lines"]["cpu"]
    held = ours["rows"] == rows and rate >= WANTED_RATE and ours["peak"] < WANTED_MB
    held = held and found["entry"]["peak"] < ENTRY_MB
    unit = (
        f"rows a CPU second to checked ({rows / ours['s']:,.0f} by the clock), "
        f"peak {ours['peak']:.0f} MB, entry {found['entry']['peak']:.0f} MB, "
        f"{rate / limit:.1%} of json.loads alone"
    )
    wanted = f">= {WANTED_RATE} rows/s, < {WANTED_MB} MB, entry < {ENTRY_MB} MB"
    result = {"name": "submission_rate", "figure": round(rate), "unit": unit}
    print(json.dumps({**result, "wanted": wanted, "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
