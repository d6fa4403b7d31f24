"""Public pages under load: 200 requests a second on two cores, the load on the same machine.

The whole site as `manage.py up` starts it, on a PostgreSQL of its own, with a release of 40
entries. Requests come at fixed times whether or not earlier ones were answered, on connections
that are kept: the leaderboard, a model's page, the list of benchmarks, a comparison, an entry, the
leaderboard of the API. Every 2 s an entry is withdrawn or published again, and the next page has
to show it.

Wall times say little on a machine that is busy with other things: then look at the CPU time of a
request, of which two cores have 10 ms at 200 a second, ours and the load's together.

    python benchmarks/page_load.py [--quick] [--rate N] [--seconds N]
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import load_site
from benchmarks.review_load import free_port, told
from benchmarks.visitors import Crowd

RATE, SECONDS, QUICK = 200, 30.0, 6.0
LIMIT = 0.1  # seconds at the 95th percentile
CORES, SLUG, ENTRIES, ITEMS = 2, "load", 40, 657
CONNECTIONS = 32
CHANGE_EVERY = 2.0  # seconds


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK:.0f} s")
    parser.add_argument("--rate", type=int, default=RATE, help="requests a second")
    parser.add_argument("--seconds", type=float, default=0)
    chosen = parser.parse_args()
    chosen.seconds = chosen.seconds or (QUICK if chosen.quick else SECONDS)
    return chosen


def make_pages() -> tuple[dict[str, str], Any]:
    """Return what is asked for by name, and an entry to withdraw and publish again."""
    from benchmarks.leaderboard_rate import made_release, publish
    from evaluation.actions.entries import publish_entry
    from evaluation.leaderboard import compute_entry
    from evaluation.models import LeaderboardEntry
    from tests import evaluation_factories as make

    made_release(f"{SLUG}-other")  # else the list of benchmarks leads on to the only one
    release = made_release(SLUG)
    publish(release, ENTRIES, ITEMS)
    scores = [int(place % 3 > 0) for place in range(release.kept_mcq + release.kept_free)]
    for shift in range(2):  # these two have predictions, so they can be compared
        run = make.scored_run(release, scores[shift:] + scores[:shift])
        publish_entry(entry=compute_entry(run), by="system")
    stored = LeaderboardEntry.objects.filter(published_at__isnull=False)
    rows = list(stored.order_by("-pk").select_related("run__contestant"))
    first = rows[0].run.contestant.slug
    board = f"/b/{SLUG}/"
    pages = {
        "leaderboard": f"{board}leaderboard/",
        "model": f"{board}models/{first}/",
        "benchmarks": "/",
        "compare": f"{board}compare/?a={rows[0].run_id}&b={rows[1].run_id}",
        "entry": f"{board}entry/{rows[0].hash}/",
        "api": f"/api/v1/benchmarks/{SLUG}/releases/{release.tag}/leaderboard/",
    }
    return pages, rows[-1]


@dataclass
class Seen:
    """Seconds by page, from the moment a request was due; what went wrong, in words."""

    times: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    stale: int = 0
    changes: int = 0
    bytes: int = 0


class Load:
    """Asks for pages at fixed times. `turn` says what each second holds."""

    def __init__(self, port: int, pages: dict[str, str]) -> None:
        self.crowd = Crowd("127.0.0.1", port, CONNECTIONS)
        self.pages, self.seen, self.draw = list(pages.items()), Seen(), random.Random(1)

    def visitor(self) -> dict[str, str]:
        """Return what the proxy before the site says of one of many visitors."""
        return {"X-Forwarded-For": f"10.0.{self.draw.randrange(8)}.{self.draw.randrange(250)}"}

    async def ask(self, name: str, url: str, due: float) -> None:
        try:
            answer = await self.crowd.get(url, self.visitor())
        except OSError as error:
            self.seen.errors.append(f"{name}: {error}")
            return
        self.seen.times.setdefault(name, []).append(time.perf_counter() - due)
        self.seen.bytes += len(answer.body)
        if answer.status != 200:
            self.seen.errors.append(f"{name}: {answer.status}")

    async def run(self, rate: int, seconds: float) -> None:
        start, asked = time.perf_counter(), set()
        for number in range(int(rate * seconds)):
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            name, url = self.pages[number % len(self.pages)]
            task = asyncio.create_task(self.ask(name, url, due))
            asked.add(task)
            task.add_done_callback(asked.discard)
        await asyncio.gather(*asked)

    async def change(self, entry: Any, seconds: float) -> None:
        """Withdraw an entry and publish it again; what is asked for afterwards has to know."""
        from asgiref.sync import sync_to_async

        end = time.monotonic() + seconds
        name = entry.run.contestant.name
        while time.monotonic() < end:
            shown = self.seen.changes % 2 == 1
            await sync_to_async(turn)(entry, shown)
            for key, url in self.pages:
                if key in ("leaderboard", "api"):
                    text = (await self.crowd.get(url)).body.decode()
                    self.seen.stale += (f">{name}<" in text or f'"{name}"' in text) is not shown
            self.seen.changes += 1
            await asyncio.sleep(CHANGE_EVERY)


def turn(entry: Any, shown: bool) -> None:
    from evaluation.actions.entries import publish_entry, withdraw_entry
    from evaluation.models import LeaderboardEntry

    (publish_entry if shown else withdraw_entry)(
        entry=LeaderboardEntry.objects.get(pk=entry.pk), by="system", note="load"
    )


async def measure(
    chosen: argparse.Namespace, port: int, pages: dict[str, str], entry: Any, cpu: Any
) -> tuple[Seen, dict[str, float]]:
    load = Load(port, pages)
    await load.run(50, 2)  # what a process makes only once
    load.seen = Seen()
    before, own = cpu(), time.process_time()
    await asyncio.gather(
        load.run(chosen.rate, chosen.seconds), load.change(entry, chosen.seconds - CHANGE_EVERY)
    )
    spent = {part: value - before[part] for part, value in cpu().items()}
    load.crowd.close()
    return load.seen, spent | {"load": time.process_time() - own}


def report(chosen: argparse.Namespace, seen: Seen, spent: dict[str, float]) -> int:
    times = [one for found in seen.times.values() for one in found]
    count = max(len(times), 1)
    print(f"{chosen.rate} requests/s for {chosen.seconds:.0f} s, {seen.bytes / count:,.0f} B each")
    for name, found in sorted(seen.times.items()):
        print(f"  {name:<12} {told(found)}")
    shares = {part: 1000 * value / count for part, value in spent.items()}
    total, room = sum(shares.values()), CORES * 1000 / chosen.rate
    print(f"CPU ms a request: {', '.join(f'{k} {v:.2f}' for k, v in shares.items())}; "
          f"together {total:.2f} of {room:.1f}; load average {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{seen.changes} changes of the board, {seen.stale} pages that did not know")
    for error in seen.errors[:10]:
        print(f"ERROR {error}")
    p95 = statistics.quantiles(times, n=100)[94] if len(times) > 1 else 0.0
    held = p95 < LIMIT and not seen.errors and not seen.stale and len(times) > 1
    print(json.dumps({
        "name": "page_load",
        "figure": round(1000 * p95, 1),
        "unit": f"ms for 95 % of {chosen.rate} requests/s; {total:.1f} ms CPU each, "
                f"{len(seen.errors)} errors, {seen.stale} stale",
        "wanted": f"< {1000 * LIMIT:.0f} ms, < {room:.0f} ms CPU, 0 errors, 0 stale",
        "held": held,
    }))  # fmt: skip
    return 0 if held else 1


def main() -> int:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-pages-") as folder, ExitStack() as stack:
        os.environ["SONOVQA_PROXIES"] = "1"  # so that each visitor has an address of their own
        postgres = load_site.set_up(stack, Path(folder))
        pages, entry = make_pages()
        port = free_port()
        supervisor = stack.enter_context(load_site.site(port))
        seen, spent = asyncio.run(measure(
            chosen, port, pages, entry,
            lambda: load_site.cpu_by_part(supervisor, postgres),
        ))  # fmt: skip
    return report(chosen, seen, spent)


if __name__ == "__main__":
    sys.exit(main())
