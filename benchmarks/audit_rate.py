"""How long an audit takes, and how much memory: a small benchmark, and 100,000 MCQs.

The small one is as large as the published one (249 kept MCQs of 35 sources); the large one has
2,000 sources. Both are made, with a planted leak; texts are read from memory.

    python benchmarks/audit_rate.py [--quick] [--items N]
"""

import argparse
import json
import resource
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from annotation.domain.audit.report import audit  # noqa: E402
from benchmarks.planted import LEAKS, made  # noqa: E402

SMALL = 249
LARGE = 100_000
ITEMS_A_SOURCE = 50
SMALL_LIMIT = 30.0  # seconds
LARGE_LIMIT = 600.0  # seconds
MEMORY_LIMIT = 2048.0  # MB


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the small benchmark alone")
    parser.add_argument("--items", type=int, default=LARGE, help="MCQs of the large benchmark")
    return parser.parse_args()


def timed(items: int, sources: int) -> tuple[float, float]:
    """Audit a made benchmark; return the seconds by the clock and those of the processor."""
    made_items = made(items, sources=sources, seed=20260407, leak=LEAKS[1])
    clock, processor = time.perf_counter(), time.process_time()
    found = audit(made_items)
    seconds = time.perf_counter() - clock, time.process_time() - processor
    accuracy = found.learned.estimate.mean if found.learned else 0.0
    print(
        f"{items:,} MCQs of {sources:,} sources: {seconds[0]:.1f} s ({seconds[1]:.1f} s of one "
        f"processor), {accuracy:.1%} of the keys found, {len(found.flags):,} flags"
    )
    return seconds


def main() -> int:
    chosen = parse()
    small, _ = timed(SMALL, 35)
    held, figure, unit = small < SMALL_LIMIT, small, f"s for {SMALL} MCQs"
    wanted = f"< {SMALL_LIMIT:g}"
    if not chosen.quick:
        large, _ = timed(chosen.items, max(35, chosen.items // ITEMS_A_SOURCE))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory {memory:.0f} MB")
        held = held and large < LARGE_LIMIT and memory < MEMORY_LIMIT
        figure, unit = large, f"s for {chosen.items} MCQs, {memory:.0f} MB, {small:.1f} s for 249"
        wanted = f"< {LARGE_LIMIT:g} and < {MEMORY_LIMIT:g} MB, < {SMALL_LIMIT:g} for 249"
    result = {"name": "audit_rate", "figure": round(figure, 1), "unit": unit, "wanted": wanted}
    print(json.dumps({**result, "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
