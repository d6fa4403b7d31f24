"""How right the time left is that the page of a run tells, against what then really remained.

A judged run against a stand-in with random latencies, 5 % of whose calls meet a 429, 2 % a 503
and 1 % a dropped connection; real workers, as in run_rate.py. Four times a second the page's own
figure is read. Wanted: from the first tenth of the calls on never off by more than a fifth, or by
the two seconds after which the page looks again.

    python benchmarks/time_left.py [--quick] [--calls N] [--free N] [--in-flight N]
                                   [--latency SECONDS] [--jitter SECONDS] [--trace FILE]

`--trace` keeps the samples as JSON: seconds since the start, calls settled, calls in all, the
time left that was told.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.run_rate import (  # noqa: E402
    carry_out,
    environment,
    make_release,
    set_script,
    set_the_stage,
)

FROM, FIFTH, LOOK = 0.1, 0.2, 2.0  # share of the calls, share of the time left, seconds
Sample = tuple[float, int, float | None]  # moment, calls settled, seconds told


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 items, 200 of them judged")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--free", type=int, default=800)
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.3)
    parser.add_argument("--jitter", type=float, default=1.4)
    parser.add_argument("--trace", type=Path)
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.calls, chosen.free = 400, 150
    fixed = {"workers": 1, "dialect": "openai_compatible", "clip": False, "faults": True}
    vars(chosen).update(fixed)
    return chosen


def watch(chosen: argparse.Namespace, var: Path, stack: ExitStack) -> tuple[Any, list[Sample]]:
    """Carry a run out; return it and what its page told meanwhile."""
    stage = set_the_stage(chosen, var, stack)
    set_script(stage.url, chosen)
    from evaluation.models import Call
    from evaluation.queries.run_progress import progress

    samples: list[Sample] = []

    def look(run: Any) -> None:
        if run.state != "running":
            return
        run.refresh_from_db()  # as the page does, which reads the run anew
        told = progress(run).seconds_left
        settled = Call.objects.filter(work_item__run=run, settled_at__isnull=False).count()
        samples.append((time.time(), settled, told))

    release = make_release(chosen.calls, chosen.free)
    return carry_out(release, stage.contestant, stage.by, 600, look=look), samples


def report(chosen: argparse.Namespace, run: Any, samples: list[Sample]) -> bool:
    from evaluation.models import Call

    run.refresh_from_db()
    calls = Call.objects.filter(work_item__run=run).count()
    end, began = run.finished_at.timestamp(), run.started_at.timestamp()
    if chosen.trace:
        rows = [[round(at - began, 2), done, calls, told] for at, done, told in samples]
        chosen.trace.write_text(json.dumps({"took": round(end - began, 2), "samples": rows}))
    later = [(done / calls, told, end - at) for at, done, told in samples if done >= FROM * calls]
    untold = sum(told is None for _, told, _ in later)
    off = [(share, told, true, abs(told - true)) for share, told, true in later if told is not None]
    beyond = [one for one in off if one[3] > max(FIFTH * one[2], LOOK)]
    worst = max(off, key=lambda one: one[3] / max(one[2], LOOK / FIFTH))
    print(f"run              {run.state}, {calls} calls in {end - began:.1f} s")
    print(f"samples          {len(later)} after the first tenth, {untold} without a time left")
    for tenth in range(1, 10):
        near = [one for one in off if tenth <= 10 * one[0] < tenth + 1]
        if near:
            share, told, true, _ = max(near, key=lambda one: one[3] / one[2])
            print(f"worst at {share:>4.0%}    {told:.1f} s told, {true:.1f} s remained")
    figure = worst[3] / max(worst[2], LOOK / FIFTH)
    held = not beyond and not untold and run.state == "done"
    print(f"worst            at {worst[0]:.0%}: {worst[1]:.1f} s told, {worst[2]:.1f} s remained")
    print(json.dumps({
        "name": "time_left", "figure": round(figure, 3), "unit": "share of the time left",
        "wanted": FIFTH, "held": held, "beyond": len(beyond), "samples": len(later),
    }))  # fmt: skip
    return held


def main() -> None:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-left-") as folder, ExitStack() as stack:
        os.environ |= environment(folder)
        sys.exit(0 if report(chosen, *watch(chosen, Path(folder), stack)) else 1)


if __name__ == "__main__":
    main()
