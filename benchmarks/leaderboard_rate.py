"""Server time and queries of the leaderboard's page, with few entries and with many.

A fresh SQLite file; 5 entries of 657 items, and 200 entries whose stored aggregates stand for
1,000,000 items each. The page is asked for as a browser does, through all middleware, in one
process. "First" is the first request after an entry was published: it builds the board. Something
is committed before each later one, so that none is answered from what is at rest; "at rest" is the
page while nothing is committed.

    python benchmarks/leaderboard_rate.py [--quick]
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LIMIT_MS, LIMIT_QUERIES = 30.0, 8
PATTERNS = 10  # runs with predictions of their own
COUNTED = 5  # requests whose queries are counted and whose time is not


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="30 requests instead of 200")
    return parser.parse_args()


def prepare(var: str) -> None:
    os.environ.update(SONOVQA_VAR=var, DJANGO_SETTINGS_MODULE="sonovqa.settings")
    os.environ.pop("DATABASE_URL", None)
    sys.path.insert(0, str(ROOT))
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    call_command("migrate", verbosity=0)


def made_release(slug: str) -> Any:
    """A small real release: 35 sources, MCQs and free responses of three types."""
    from annotation.models import Release
    from tests import factories

    bench = factories.benchmark(slug=slug, name=slug)
    types = ("Type1_ActionGoalReasoning", "Type2_ArtifactResolution", "Type3_ProcedureContext")
    for number in range(35):
        vid = factories.video(bench)
        for question_type in types:
            window = (5.0, 8.0 + number % 25)
            factories.kept(factories.mcq_item(vid, question_type=question_type, window=window))
            factories.kept(factories.free_item(vid, question_type=question_type, window=window))
    release = factories.release(bench)
    return Release.objects.select_related("benchmark").get(pk=release.pk)


def publish(release: Any, count: int, items: int) -> None:
    """Publish `count` entries; the aggregates of `items` items are scaled from the release.

    A few runs are real; the figures of the others are theirs under other names.
    """
    from django.utils import timezone

    from evaluation.leaderboard import compute_entry
    from evaluation.models import LeaderboardEntry
    from tests import evaluation_factories as make

    kept = release.kept_mcq + release.kept_free
    scale = max(1, items // kept)
    patterns = []
    for number in range(min(count, PATTERNS)):
        scores = [int((number * 7 + place * 13) % 10 < 3 + number % 6) for place in range(kept)]
        patterns.append(compute_entry(make.scored_run(release, scores)))
    for number in range(count):
        pattern = patterns[number % len(patterns)]
        LeaderboardEntry.objects.create(
            run=make.run(release),
            release=release,
            hash=f"{number:064d}",
            figures=scaled(pattern.figures, scale),
            clusters=scaled(pattern.clusters, scale),
            published_at=timezone.now(),
        )


def scaled(value: Any, factor: int, name: str = "") -> Any:
    """Multiply counts and sums; means, intervals and ids stay."""
    if isinstance(value, dict):
        return {key: scaled(part, factor, key) for key, part in value.items()}
    if isinstance(value, list) and name in ("sizes", "sums"):
        return [part * factor for part in value]
    counts = ("points", "n", "scored", "items")
    return value * factor if name in counts and value is not None else value


def measure(slug: str, rounds: int) -> dict[str, float]:
    from django.test import Client

    from annotation.models import Benchmark, User

    client, url = Client(), f"/b/{slug}/leaderboard/"
    start = time.perf_counter()
    first = client.get(url)
    first_ms = 1000 * (time.perf_counter() - start)
    assert first.status_code == 200, first.status_code
    reader = Client()
    reader.force_login(User.objects.create_user(f"reader-{slug}", role="reviewer"))
    found = {"rows": len(re.findall(rb"<tr", first.content)), "first": first_ms}
    found["at rest"], _ = asked(client, url, rounds, lambda _: None)

    def write(number: int) -> None:
        """Commit something of which the page shows nothing."""
        Benchmark.objects.filter(slug=slug).update(extra={"round": number})

    anonymous, queries = asked(client, url, rounds, write)
    signed_in, more = asked(reader, url, rounds, write)
    return found | {
        "anonymous": anonymous, "signed in": signed_in,
        "median": max(anonymous, signed_in), "queries": max(queries, more),
    }  # fmt: skip


def asked(client: Any, url: str, rounds: int, before: Callable[[int], None]) -> tuple[float, int]:
    """Return the median milliseconds of a request and the most queries of one; `before` is done
    before each."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    times, most = [], 0
    for number in range(rounds):
        before(number)
        if number < COUNTED:
            with CaptureQueriesContext(connection) as queries:
                client.get(url)
                most = max(most, len(queries))  # the log is emptied by the next request
            continue
        start = time.perf_counter()
        client.get(url)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times), most


def main() -> int:
    chosen = parse()
    rounds = 30 if chosen.quick else 200
    worst: dict[str, float] = {"median": 0.0, "queries": 0.0}
    with tempfile.TemporaryDirectory(prefix="leaderboard-rate-") as var:
        prepare(var)
        from django.db import connection, transaction

        for slug, entries, items in (("few", 5, 657), ("many", 200, 1_000_000)):
            with transaction.atomic():
                publish(made_release(slug), entries, items)
            found = measure(slug, rounds)
            print(
                f"{entries} entries of {items} items: median {found['anonymous']:.1f} ms, "
                f"signed in {found['signed in']:.1f} ms, at rest {found['at rest']:.1f} ms, "
                f"first {found['first']:.0f} ms, at most "
                f"{found['queries']:.0f} queries, {found['rows']:.0f} table rows"
            )
            worst = {name: max(worst[name], found[name]) for name in worst}
        connection.close()
    held = worst["median"] < LIMIT_MS and worst["queries"] <= LIMIT_QUERIES
    print(
        json.dumps(
            {
                "name": "leaderboard_rate",
                "figure": round(worst["median"], 2),
                "unit": f"ms server time at the worse size, {worst['queries']:.0f} queries",
                "wanted": f"< {LIMIT_MS:g} ms, <= {LIMIT_QUERIES} queries",
                "held": held,
            }
        )
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
