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
PER_VIDEO = 20
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


def multiply(table: str, pk: int, count: int, changes: dict[str, str]) -> None:
    """Write `count` copies of a row; `changes` are SQL expressions over n, from 1."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pragma_table_info(%s)", [table])
        columns = [name for (name,) in cursor.fetchall()]
        values = ", ".join(changes.get(name, f't."{name}"') for name in columns)
        names = ", ".join(f'"{name}"' for name in columns)
        cursor.execute(
            f"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) "  # noqa: S608 our own numbers
            f'INSERT INTO "{table}" ({names}) SELECT {values} FROM s, "{table}" t WHERE t.id = {pk}'
        )


def make(items: int) -> None:
    from django.db import connection, transaction

    from annotation.models import Review
    from tests import factories

    bench = factories.benchmark(slug=SLUG, name="Many items")
    reader = factories.account("reader")
    video = factories.video(bench, of=factories.source(bench, kind="file", key="many.mp4"))
    item = factories.mcq_item(video)
    version_id = factories.current(item).pk
    with transaction.atomic():
        connection.cursor().execute("PRAGMA defer_foreign_keys = ON")
        multiply(
            "annotation_video",
            video.pk,
            items // PER_VIDEO,
            {"id": f"{video.pk} + n", "name": "'v' || n", "position": f"{video.position} + n"},
        )
        multiply(
            "annotation_item",
            item.pk,
            items,
            {
                "id": f"{item.pk} + n",
                "video_id": f"{video.pk} + 1 + (n - 1) / {PER_VIDEO}",
                "index": f"(n - 1) % {PER_VIDEO}",
                "key": "'k' || n",
                "position": "n",
                "ordinal": "n",
                "current_id": f"{version_id} + n",
                "text": "'What is shown in item ' || n || '?'",
            },
        )
        changes = {"id": f"{version_id} + n", "item_id": f"{item.pk} + n"}
        multiply("annotation_itemversion", version_id, items, changes)
        Review.objects.bulk_create(
            Review(
                item_id=item.pk + n,
                item_version_id=version_id + n,
                reviewer=reader,
                verdict="keep",
            )
            for n in range(1, VOTED + 1)
        )
    connection.cursor().execute("ANALYZE")


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

        from annotation.models import Item, User

        start = time.perf_counter()
        make(items)
        print(f"{items:,} items made in {time.perf_counter() - start:.0f} s")
        client = Client(HTTP_HOST="localhost")
        client.force_login(User.objects.get(username="reader"))
        first = Item.objects.order_by("pk").values_list("pk", flat=True)[0] + items // 2
        step(client, first, first + 1)  # what is read once a process is read
        taken = [step(client, first + n, first + n + 1) for n in range(1, STEPS + 1)]
    middle = statistics.median(taken)
    print(f"slowest of {STEPS} steps: {max(taken) * 1000:.0f} ms")
    figure = {"name": "review_rate", "figure": round(middle, 3), "unit": "s from vote to next item"}
    print(json.dumps(figure | {"wanted": f"< {WANTED}", "held": middle < WANTED}))
    return 0 if middle < WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
