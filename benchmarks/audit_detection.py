"""Whether the audit sees leaks, and only leaks: made benchmarks of 250 MCQs without and with one.

Of 20 benchmarks without a leak p <= .05 may come up 3 times at most; 20 with one planted leak
each, half of them of kinds that no rule of the library looks for, must be found 18 times. A
leak followed alone is right in 45 % of the items; chance is 25 %.

    python benchmarks/audit_detection.py [--quick] [--seed N]
"""

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from annotation.domain.audit.items import keyed  # noqa: E402
from annotation.domain.audit.learned import Learned, learn  # noqa: E402
from benchmarks.planted import LEAKS, Leak, made  # noqa: E402

ITEMS = 250
SHARE = 0.45
LEVEL = 0.05
MOST_FALSE = 3 / 20
FEWEST_FOUND = 18 / 20
QUICK = 5  # of each; enough to see that it works, not to measure


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} of each instead of 20")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def audited(seed: int, leak: Leak | None = None) -> Learned:
    return learn(keyed(made(ITEMS, seed=seed, leak=leak, share=SHARE)))


def count(leaks: list[Leak | None], seed: int) -> int:
    """Audit one made benchmark a leak (None for none); return how often p <= LEVEL."""
    found = 0
    for number, leak in enumerate(leaks):
        start = time.perf_counter()
        result = audited(seed * 1000 + number, leak)
        found += result.p <= LEVEL
        name = f"{leak.name}{'' if leak.known else ' (no rule)'}" if leak else "no leak"
        seconds = time.perf_counter() - start
        print(f"{name:30} {result.estimate.mean:6.1%}  p = {result.p:.2f}  {seconds:.1f} s")
    return found


def main() -> int:
    chosen = parse()
    leaks: list[Leak | None] = list(LEAKS)
    if chosen.quick:
        leaks = leaks[:: len(LEAKS) // QUICK]
    found = count(leaks, chosen.seed)
    false = count([None] * len(leaks), chosen.seed + 500)
    held = found >= FEWEST_FOUND * len(leaks) and false <= MOST_FALSE * len(leaks)
    print(f"found {found} of {len(leaks)}; false alarms {false} of {len(leaks)}")
    print(
        json.dumps(
            {
                "name": "audit_detection",
                "figure": found,
                "unit": f"of {len(leaks)} leaks found, {false} of {len(leaks)} false alarms",
                "wanted": f">= {FEWEST_FOUND:.0%} found, <= {MOST_FALSE:.0%} false",
                "held": held,
            }
        )
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
