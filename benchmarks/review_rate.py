"""How long the server takes from a vote to the next item, on a benchmark of a million items.

One step is what a reader waits for: the vote, the item column with the opened evidence, the
page of the next item. The reader has voted on 5,000 items already. Own time of the server, no
network; the median of the steps.

    python benchmarks/review_rate.py [--quick] [--items N]
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

ITEMS, QUICK_ITEMS = 1_000_000, 50_000
VOTED = 5_000
STEPS = 40
WANTED = 0.3  # seconds
SLUG = "many"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ITEMS:,} items")
    parser.add_argument("--items", type=int, default=0)
    return parser.parse_args()


def set_up(folder: str) -> None:
    os.environ["SONOVQA_VAR"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "sonovqa.settings"
    os.environ.pop("DATABASE_URL", None)
    os.environ["SONOVQA_LOG_LEVEL"] = "ERROR"
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def make(items: int) -> int:
    """Make the benchmark and the reader's votes; return the id of its first item."""
    from annotation.models import Review
    from benchmarks import many_items
    from tests import factories

    made = many_items.make(SLUG, items)
    reader = factories.account("reader")
    Review.objects.bulk_create(
        Review(
            item_id=made.first + n,
            item_version_id=made.first_version + n,
            benchmark_id=made.benchmark,
            version_number=1,
            reviewer=reader,
            verdict="keep",
        )
        for n in range(VOTED)
    )
    return made.first


def step(client: Any, item_id: int, next_id: int) -> float:
    """Vote on one item and read the next; return seconds."""
    page = f"/b/{SLUG}/review"
    vote = f"/api/v1/items/{item_id}/votes/{uuid.uuid4()}/"
    body = json.dumps({"version": 1, "verdict": "keep"})
    start = time.perf_counter()
    answers = [
        client.put(vote, body, content_type="application/json"),
        client.get(f"{page}/{item_id}/item/"),
        client.get(f"{page}/{next_id}/"),
    ]
    seconds = time.perf_counter() - start
    if any(answer.status_code != 200 for answer in answers):
        raise SystemExit(f"a step failed: {[answer.status_code for answer in answers]}")
    return seconds


def main() -> int:
    chosen = parse()
    items = chosen.items or (QUICK_ITEMS if chosen.quick else ITEMS)
    with tempfile.TemporaryDirectory(prefix="sonovqa-review-") as folder:
        set_up(folder)
        from django.test import Client

        from annotation.models import User

        start = time.perf_counter()
        first = make(items) + items // 2
        print(f"{items:,} items made in {time.perf_counter() - start:.0f} s")
        client = Client(HTTP_HOST="localhost")
        client.force_login(User.objects.get(username="reader"))
        step(client, first, first + 1)  # what is read once a process is read
        taken = [step(client, first + n, first + n + 1) for n in range(1, STEPS + 1)]
    middle = statistics.median(taken)
    print(f"slowest of {STEPS} steps: {max(taken) * 1000:.0f} ms")
    figure = {"name": "review_rate", "figure": round(middle, 3), "unit": "s from vote to next item"}
    print(json.dumps(figure | {"wanted": f"< {WANTED}", "held": middle < WANTED}))
    return 0 if middle < WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
