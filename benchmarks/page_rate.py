"""How long the server takes for each page of the annotation room at a million items.

On a PostgreSQL server of its own, with 20,000 votes of ten readers; own time of the server, no
network; the median of several requests. The queue of a reader and a search in it have a limit.
Figures that a worker counts are counted once before, and how long that takes is told.

    python benchmarks/page_rate.py [--quick] [--items N]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import load_site, many_items

ITEMS, QUICK_ITEMS = 1_000_000, 50_000
VOTES, READERS = 20_000, 10
TIMES = 15
WANTED = 0.1  # seconds, of each page in LIMITED
LIMITED = ("queue", "queue, voted item", "queue, to do", "search, rare", "search, nothing")
SLUG = "many"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ITEMS:,} items")
    parser.add_argument("--items", type=int, default=0)
    chosen = parser.parse_args()
    chosen.items = chosen.items or (QUICK_ITEMS if chosen.quick else ITEMS)
    return chosen


def pages(made: many_items.Made, voted: int) -> dict[str, str]:
    """Addresses by what they are; the item is in the middle of the benchmark."""
    room = f"/b/{SLUG}"
    item = made.first + made.items // 2
    here = f"{room}/review/{item}/"
    return {
        "queue": here,
        "queue, voted item": f"{room}/review/{voted}/",
        "queue, to do": f"{here}?show=todo",
        "queue, disagreements": f"{here}?show=disagree",
        "search, rare": f"{here}?q={made.items - 7}",
        "search, nothing": f"{here}?q=zzz",
        "search, in each item": f"{here}?q=shown",
        "item column": f"{room}/review/{voted}/item/",
        "next item": f"{room}/review/",
        "item as JSON": f"/api/v1/items/{item}/",
        "history": f"{here}history/",
        "box": f"{here}roi/",
        "home": "/review/",
        "done": f"{room}/review/done/",
        "benchmark": f"{room}/",
        "adjudication": f"{room}/adjudication/",
        "readers": f"{room}/readers/",
        "audit": f"{room}/audit/",
    }


def median_of(client: Any, url: str) -> float:
    """Return the median seconds of TIMES requests, after one that is not counted."""
    taken = []
    for _ in range(TIMES + 1):
        start = time.perf_counter()
        answer = client.get(url)
        taken.append(time.perf_counter() - start)
        if answer.status_code not in (200, 302):
            raise SystemExit(f"{url} answered {answer.status_code}")
    return statistics.median(taken[1:])


def measure(items: int) -> float:
    """Print a line for each page; return the slowest of those with a limit, in seconds."""
    from django.test import Client

    from annotation.figures import count_figures
    from annotation.models import Benchmark, Review
    from tests import factories

    start = time.perf_counter()
    made = many_items.make(SLUG, items)
    readers = [factories.account(f"reader-{number}") for number in range(READERS)]
    many_items.vote(made, readers, VOTES)
    print(f"{items:,} items and {VOTES:,} votes made in {time.perf_counter() - start:.0f} s")
    start = time.perf_counter()
    count_figures(Benchmark.objects.get(slug=SLUG).pk)
    print(f"a worker counts the figures in {time.perf_counter() - start:.1f} s")
    admin = factories.account("admin", role="admin", is_staff=True, is_superuser=True)
    voted = Review.objects.filter(reviewer=readers[0]).earliest("pk").item_id
    slowest = 0.0
    for name, url in pages(made, voted).items():
        client = Client(HTTP_HOST="localhost")
        own = name.split(",")[0] in ("benchmark", "adjudication", "readers", "audit")
        client.force_login(admin if own else readers[0])
        seconds = median_of(client, url)
        limit = f"  wanted < {1000 * WANTED:.0f}" if name in LIMITED else ""
        print(f"{name:<22} {1000 * seconds:6.0f} ms{limit}")
        slowest = max(slowest, seconds if name in LIMITED else 0)
    return slowest


def main() -> int:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-pages-") as folder, ExitStack() as stack:
        load_site.set_up(stack, Path(folder))
        slowest = measure(chosen.items)
    print(f"load average {os.getloadavg()[0]:.1f}")
    print(json.dumps({
        "name": "page_rate", "figure": round(slowest, 3),
        "unit": f"s of the server for the slowest page of queue and search, {chosen.items:,} items",
        "wanted": f"< {WANTED}", "held": slowest < WANTED,
    }))  # fmt: skip
    return 0 if slowest < WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
