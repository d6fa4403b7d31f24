"""Fifty clinicians at once, each acting every 4 s on average, while a run is active.

The whole site as `manage.py up` starts it, on a PostgreSQL of its own; the clinicians on the same
machine, each with a session and connections that are kept. They look at the next item, vote,
edit and search. Then the same fifty edit ten items as fast as it goes, again on top of what
stands where somebody was faster: none of these edits may be lost.

Stages are told with the time. It takes about three minutes, at a million items about five,
on two cores with little else to do, and eight where six others work beside it. It ends by
itself: a request ends after 30 s, the race after RACE_ENDS at the latest.

    python benchmarks/review_load.py [--quick] [--items N] [--clinicians N] [--seconds N]
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import httpx2

from benchmarks import load_site, many_items
from benchmarks.load_readers import REASON, Clinician, Measured

ITEMS = 657
EVERY = 4.0  # seconds between two actions of a clinician, on average
RACED, EDITS, QUICK_EDITS = 10, 1_000, 100
READ = 30  # videos
RACE_ENDS = 300  # seconds after which edits that still race are given up, and count as lost
READS, SAVES = 0.3, 0.5  # seconds, wanted at the 95th percentile
LARGE, COUNTING = 20_000, 15  # items; seconds in which a worker counts them, every five minutes
SLUG = "load"


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"6 s and {QUICK_EDITS} edits")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--clinicians", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=0)
    chosen = parser.parse_args()
    chosen.seconds = chosen.seconds or (6 if chosen.quick else 60)
    chosen.edits = QUICK_EDITS if chosen.quick else EDITS
    return chosen


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def sessions(count: int) -> list[str]:
    """Sign accounts in, without the login page: hashing passwords is not what is measured."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    from annotation.models import User

    keys = []
    for number in range(count):
        user = User(username=f"clinician-{number}", role="reviewer")
        user.set_unusable_password()
        user.save()
        store = SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.create()
        keys.append(str(store.session_key))
    return keys


@dataclass
class Result:
    """`spent` are CPU seconds by part over the ordinary work, `raced` seconds of the race."""

    work: Measured
    race: Measured
    spent: dict[str, float]
    raced: float
    asked: int
    loads: tuple[float, float]


async def load(
    chosen: argparse.Namespace, people: list[Clinician], items: list[int], cpu: Any
) -> Result:
    """Let the clinicians work, then race; `cpu` tells CPU seconds by part."""
    work, race = Measured(), Measured()
    for one in people[:8]:
        await asyncio.gather(one.look(), people[-1].search())  # what a process reads only once
    await asyncio.gather(*(one.look() for one in people[8:]))
    await asyncio.sleep(COUNTING if chosen.items > LARGE else 0)
    for one in people:
        one.into = work
    before, first = cpu(), os.getloadavg()[0]
    await asyncio.gather(*(one.work(chosen.seconds, EVERY) for one in people))
    after = cpu()
    for place, one in enumerate(people):
        one.into, one.place, one.versions = race, place, {}
    share = chosen.edits // len(people)
    start = time.monotonic()
    try:
        async with asyncio.timeout(RACE_ENDS):
            await asyncio.gather(
                *(one.edit_again_and_again(items[:RACED], share) for one in people)
            )
    except (TimeoutError, httpx2.HTTPError) as error:
        race.errors.append(f"the race did not end: {error!r}")
    raced = time.monotonic() - start
    await asyncio.gather(*(one.leave() for one in people))
    spent = {part: after[part] - before[part] for part in after}
    return Result(work, race, spent, raced, share * len(people), (first, os.getloadavg()[0]))


def in_history(items: list[int]) -> tuple[int, int]:
    """Return how many edits of the race are versions, and how many are in the trail."""
    from annotation.models import ItemVersion, Revision

    versions = ItemVersion.objects.filter(item_id__in=items, reason=REASON)
    trail = Revision.objects.filter(target_kind="item", verb="edit_item", reason=REASON)
    return versions.values("stem").distinct().count(), trail.count()


def told(seconds: list[float]) -> str:
    if len(seconds) < 2:
        return "none"
    cuts = statistics.quantiles(seconds, n=100)
    p50, p95, p99 = (1000 * cuts[place - 1] for place in (50, 95, 99))
    return f"p50 {p50:4.0f}  p95 {p95:4.0f}  p99 {p99:4.0f} ms of {len(seconds):,}"


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=100)[94] if len(seconds) > 1 else 0.0


def measure(chosen: argparse.Namespace, stack: ExitStack, var: Path) -> int:
    begun = time.monotonic()

    def at(stage: str) -> None:
        print(f"{time.monotonic() - begun:4.0f} s: {stage}", file=sys.stderr, flush=True)

    postgres = load_site.set_up(stack, var)
    at(f"making {chosen.items:,} items")
    made = many_items.make(SLUG, chosen.items)
    keys = sessions(chosen.clinicians)
    port = free_port()
    at("starting the site and a run")
    supervisor = stack.enter_context(load_site.site(port))
    run = load_site.start_run(stack, chosen.seconds * 2)
    items = read_items(made)
    base, warm = f"http://127.0.0.1:{port}", Measured()
    people = [Clinician(base, SLUG, key, items, warm, seed) for seed, key in enumerate(keys)]
    at(f"{chosen.clinicians} clinicians for {chosen.seconds:.0f} s, then {chosen.edits:,} edits")
    result = asyncio.run(
        load(chosen, people, items, lambda: load_site.cpu_by_part(supervisor, postgres))
    )
    at("ending the site")
    return report(chosen, result, in_history(items[:RACED]), run_state(run))


def read_items(made: many_items.Made) -> list[int]:
    """Return the ids of the items that are read: those of READ videos from all over the
    benchmark, so that a large one is not read at its beginning alone."""
    videos = max(1, made.items // many_items.PER_VIDEO)
    places = range(0, videos, max(1, videos // READ))[:READ]
    firsts = [made.first + place * many_items.PER_VIDEO for place in places]
    each = range(min(made.items, many_items.PER_VIDEO))
    return [first + number for first in firsts for number in each]


def run_state(run: Any) -> str:
    from evaluation.models import Prediction

    run.refresh_from_db()
    return f"{run.state}, {Prediction.objects.filter(run=run).count():,} answers"


def report(chosen: argparse.Namespace, result: Result, history: tuple[int, int], run: str) -> int:
    work, race = result.work, result.race
    requests = len(work.reads) + len(work.saves)
    print(f"{chosen.clinicians} clinicians, {chosen.items:,} items, {chosen.seconds:.0f} s; {run}")
    print(f"actions   {dict(work.actions)}, {requests / chosen.seconds:.1f} requests/s")
    print(f"votes     {work.votes / chosen.seconds:.1f} items voted on a second")
    print(f"reads     {told(work.reads)}")
    print(f"saves     {told(work.saves)}")
    for name, seconds in sorted(work.by_name.items()):
        print(f"  {name:<13} {told(seconds)}")
    shares = ", ".join(f"{k} {1000 * v / requests:.1f}" for k, v in result.spent.items())
    print(f"CPU       ms a request: {shares}; load average {result.loads[0]:.1f} before, "
          f"{result.loads[1]:.1f} after")  # fmt: skip
    print(
        f"race      {result.asked:,} edits of {RACED} items in {result.raced:.1f} s, "
        f"{race.conflicts:,} conflicts; {history[0]:,} versions, {history[1]:,} in the trail"
    )
    errors = work.errors + race.errors
    for error in errors[:10]:
        print(f"ERROR     {error}")
    missing = result.asked - min(history)
    held = p95(work.reads) < READS and p95(work.saves) < SAVES and not errors and not missing
    print(json.dumps({
        "name": "review_load",
        "figure": round(1000 * p95(work.reads)),
        "unit": f"ms for 95 % of reads; saves {1000 * p95(work.saves):.0f} ms, "
                f"{len(errors)} errors, {missing} edits lost",
        "wanted": f"< {1000 * READS:.0f} ms reads, < {1000 * SAVES:.0f} ms saves, 0 errors, 0 lost",
        "held": held,
    }))  # fmt: skip
    return 0 if held else 1


def main() -> int:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-load-") as folder, ExitStack() as stack:
        return measure(chosen, stack, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
