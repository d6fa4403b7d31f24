"""A run under faults: what is lost, what is scored twice, what is paid for twice.

A judged run on a real PostgreSQL, a real broker, real Celery workers and the real clock, against
a stand-in that counts what it bills for each item. At random moments, spread over the run: kill -9
of a worker, FLUSHALL, kill -9 of the broker, a crash of the database (as `pg_ctl stop -m immediate`
does, or kill -9 of all its processes). What dies is started again at once, as a supervisor would.

    python benchmarks/soak.py [--quick] [--strict] [--seed N] [--items N] [--kills N]

10,000 items, 300 kills, 13 flushes, 18 broker kills and 10 database crashes; --quick: 500 items,
20 kills and one of each of the others. A call that a killed worker had in flight may be asked a
second time: the bound is the number of intents that its pumps held when it died. With --strict
none is: the item is listed as unknown. Needs the packages of tests/requirements.txt.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

FULL = {"items": 10_000, "kill": 300, "flush": 13, "broker": 18, "database": 10}
QUICK = {"items": 500, "kill": 20, "flush": 1, "broker": 1, "database": 1}
CREW, SLOTS = 3, 16
IN_FLIGHT = 2 * CREW * SLOTS  # twice the places: those of the dead are held until their leases end
FIRST_CLAIM_WITHIN = 60.0  # seconds
T = TypeVar("T")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 items, 20 kills")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--seed", type=int, default=0, help="0: drawn, and printed")
    parser.add_argument("--items", type=int, default=0)
    parser.add_argument("--kills", type=int, default=-1)
    chosen = parser.parse_args()
    chosen.counts = dict(QUICK if chosen.quick else FULL)
    chosen.items = chosen.items or chosen.counts["items"]
    del chosen.counts["items"]
    if chosen.kills >= 0:
        chosen.counts["kill"] = chosen.kills
    chosen.seed = chosen.seed or random.SystemRandom().randrange(1, 1_000_000)
    return chosen


def sure(question: Callable[[], T]) -> T:
    """Ask the database until it answers: it may be down just now."""
    from django.db import DatabaseError, connections

    for _ in range(600):
        try:
            return question()
        except DatabaseError:
            connections.close_all()
            time.sleep(0.1)
    raise SystemExit("the database does not come back")


class Site:
    """The processes of one installation, and what is done to them."""

    def __init__(self, stack: ExitStack, var: Path, chance: random.Random) -> None:
        from django.conf import settings

        from tests.standins.nursery import Nursery
        from tests.standins.servers import Broker

        self.chance, self.log = chance, var / "workers.log"
        self.broker = Broker(settings.BROKER_SOCKET, var / "broker")
        stack.callback(lambda: self.broker.stop())
        self.nursery = stack.enter_context(Nursery(dict(os.environ), self.log))
        self.clock = self.nursery.start("beat", "--loglevel", "WARNING", "--pidfile", "")
        self.crew = [self.nursery.worker() for _ in range(CREW)]
        self.bound = self.held_at_crashes = 0

    def intents(self, pid: int | None = None) -> int:
        """Return how many calls the pumps of a process, or of all that live, have begun and not
        settled."""
        from django.db.models import F

        from evaluation.models import Call, PumpLease

        # A slow pump's call may count as lost already, while its reply would still be taken.
        calls = Call.objects.filter(state__in=["intent", "lost"], attempt=F("work_item__attempt"))
        places = PumpLease.objects.exclude(token="")
        if pid is not None:
            places = places.filter(worker__endswith=f":{pid}")
        return calls.filter(work_item__token__in=places.values("token")).count()

    def kill(self) -> None:
        from tests.standins import nursery

        busy = [pid for pid in self.crew if sure(partial(self.intents, pid))]
        victim = self.chance.choice(busy or self.crew)
        nursery.kill(victim)
        self.bound += sure(lambda: self.intents(victim))
        self.crew.remove(victim)
        self.crew.append(self.nursery.worker())

    def flush(self) -> None:
        self.broker.flush()

    def kill_broker(self) -> None:
        self.broker.kill()
        time.sleep(self.chance.uniform(0.1, 1.5))
        self.broker.start()

    def crash_database(self, postgres: Any) -> None:
        self.held_at_crashes += sure(self.intents)
        postgres.crash(kill=self.chance.random() < 0.5)
        time.sleep(self.chance.uniform(0.0, 1.5))
        postgres.start()


class Faults:
    """Which fault comes when: each at a share of the run's calls that chance has drawn."""

    def __init__(self, counts: dict[str, int], chance: random.Random, calls: int) -> None:
        kinds = [kind for kind, count in counts.items() for _ in range(count)]
        chance.shuffle(kinds)
        moments = sorted(chance.uniform(0.02, 0.92) * calls for _ in kinds)
        self.to_come = list(zip(moments, kinds, strict=True))
        self.met: Counter[str] = Counter()
        self.waiting: list[tuple[str, float]] = []
        self.slowest: dict[str, float] = {}

    def due(self, done: int) -> str | None:
        if self.to_come and done >= self.to_come[0][0]:
            return self.to_come.pop(0)[1]
        return None

    def note(self, kind: str) -> None:
        self.met[kind] += 1
        self.waiting.append((kind, time.time()))

    def look(self, run: Any) -> None:
        """Note the first claim after each fault."""
        from django.db.models import Max

        from evaluation.models import Call

        if not self.waiting:
            return
        calls = Call.objects.filter(work_item__run=run)
        last = sure(lambda: calls.aggregate(last=Max("started_at"))["last"])
        moment = last.timestamp() if last else 0.0
        for kind, since in [one for one in self.waiting if one[1] < moment]:
            first = sure(partial(first_claim, calls, since))
            self.slowest[kind] = max(self.slowest.get(kind, 0.0), first - since)
            self.waiting.remove((kind, since))


def first_claim(calls: Any, since: float) -> float:
    from datetime import UTC, datetime

    later = calls.filter(started_at__gt=datetime.fromtimestamp(since, UTC))
    return float(later.order_by("started_at").values_list("started_at", flat=True)[0].timestamp())


def soak(chosen: argparse.Namespace, site: Site, server: Any, postgres: Any, run: Any) -> Faults:
    """Let the run go through its faults until it is settled and its entry computed."""
    # Free responses whose answers a strict run has lost are never judged.
    calls = chosen.items if chosen.strict else chosen.items + chosen.items // 4
    faults = Faults(chosen.counts, site.chance, calls)
    acts: dict[str, Callable[[], None]] = {
        "kill": site.kill,
        "flush": site.flush,
        "broker": site.kill_broker,
        "database": lambda: site.crash_database(postgres),
    }
    heard = time.monotonic(), 0
    while not sure(lambda: is_over(run)):
        done = len(server.counted.billed)
        while kind := faults.due(done):
            acts[kind]()
            faults.note(kind)
        faults.look(run)
        if done != heard[1]:
            heard = time.monotonic(), done
        if time.monotonic() - heard[0] > 2 * FIRST_CLAIM_WITHIN:
            tell_stall(run, site)
        time.sleep(0.05)
    faults.look(run)
    return faults


def is_over(run: Any) -> bool:
    run.refresh_from_db()
    if run.state in ("paused", "failed"):
        raise SystemExit(f"the run is {run.state}: {run.state_reason}")
    return run.state == "done" and run.entries.exists()


def tell_stall(run: Any, site: Site) -> None:
    states = Counter(sure(lambda: list(run.work_items.values_list("stage", "state"))))
    print(site.log.read_text()[-4000:], file=sys.stderr)
    raise SystemExit(f"the run stands still: {dict(states)}")


def find_faults(run: Any, server: Any, items: int) -> dict[str, Any]:
    """Compare the ledger with what the stand-in has billed."""
    from evaluation.engine import texts
    from evaluation.engine.plan import load_plan
    from evaluation.models import Call, Judgement, Prediction
    from tests.standins import model_replies

    plan = load_plan(run.pk)
    rows = list(Prediction.objects.filter(run=run).select_related("item_version__item"))
    foreign = sum(
        row.raw_reply != model_replies.answer(texts.model_texts(plan, row.item_version).user)
        for row in rows
    )
    verdicts = Counter(
        Judgement.objects.filter(prediction__run=run).values_list("prediction", flat=True)
    )
    unknown = run.work_items.filter(state="unknown")
    answered = {row.item_version_id for row in rows if row.outcome == "answered"}
    listed = set(unknown.filter(stage="predict").values_list("item_version", flat=True))
    unjudged = unknown.filter(stage="judge").count()
    judged = Judgement.objects.filter(prediction__run=run, failed=False).count()
    free_rows = sum(row.item_version.item.kind == "free" for row in rows)
    due = (items - len(answered | listed)) + (free_rows - judged - unjudged)
    billed = server.counted.billed
    return {
        "lost": due,
        "scored_twice": len(rows) - len({row.item_version_id for row in rows})
        + sum(count - 1 for count in verdicts.values()),
        "foreign_replies": foreign,
        "extra": sum(billed.values()) - len(billed),
        "paid_twice": sum(count > 1 for count in billed.values()),
        "unknown": unknown.count(),
        "open_intents": Call.objects.filter(work_item__run=run, state="intent").count(),
        "unsettled": run.work_items.exclude(state__in=["done", "unknown"]).count(),
        "reserved": float(run.reserved),
    }  # fmt: skip


def make_run(chosen: argparse.Namespace, url: str) -> Any:
    from decimal import Decimal

    from annotation.models import User
    from benchmarks.run_rate import make_release
    from evaluation.actions.runs import create_run, start_run
    from evaluation.models import Contestant, Provider

    by = User.objects.create_user("soak", role="admin")
    provider = Provider.objects.create(
        name="stand-in", dialect="openai_compatible", base_url=f"{url}/v1",
        max_in_flight=IN_FLIGHT, timeout_seconds=20,
    )  # fmt: skip
    contestant = Contestant.objects.create(
        name="m", slug="m", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip
    release = make_release(chosen.items, chosen.items // 4)
    run = create_run(
        benchmark=release.benchmark, release=release, contestant=contestant, condition="blind",
        judge=contestant, strict=chosen.strict, by=by,
    )  # fmt: skip
    return start_run(run=run, by=by)


def main() -> None:
    chosen, began = parse(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="sonovqa-soak-") as folder, ExitStack() as stack:
        var = Path(folder)
        var.chmod(0o711)
        os.environ |= {
            "SONOVQA_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
            "SONOVQA_LOG_LEVEL": "WARNING",
            "SONOVQA_LEASE_SECONDS": "4",
            "SONOVQA_SWEEP_SECONDS": "1",
            "SONOVQA_SLOTS": str(SLOTS),
        }
        from tests.standins.model_script import Script
        from tests.standins.model_server import ModelServer
        from tests.standins.servers import Postgres

        try:
            postgres = Postgres(var / "pg")
        except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            raise SystemExit(f"no PostgreSQL here: {error}") from None
        os.environ["DATABASE_URL"] = postgres.url
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        server = stack.enter_context(ModelServer(Script(latency=0.15, jitter=0.25)))
        site = Site(stack, var, random.Random(chosen.seed))
        print(f"ready after      {time.monotonic() - began:.0f} s")
        began = time.monotonic()
        run = make_run(chosen, server.url)
        faults = soak(chosen, site, server, postgres, run)
        found = find_faults(run, server, chosen.items)
        report(chosen, site, faults, found, time.monotonic() - began)


def report(
    chosen: argparse.Namespace, site: Site, faults: Faults, found: dict[str, Any], seconds: float
) -> None:
    bound = 0 if chosen.strict else site.bound
    slowest = max(faults.slowest.values(), default=0.0)
    clean = not any(
        found[name]
        for name in ("lost", "scored_twice", "foreign_replies", "open_intents", "unsettled",
                     "reserved")
    )  # fmt: skip
    held = clean and found["extra"] <= bound and slowest < FIRST_CLAIM_WITHIN
    held = held and faults.met == Counter(chosen.counts)
    print(f"seed             {chosen.seed}, {seconds:.0f} s, policy "
          f"{'strict' if chosen.strict else 'retry'}")  # fmt: skip
    print(f"faults           {dict(faults.met)}")
    for name, value in found.items():
        print(f"{name.replace('_', ' '):<16} {value}")
    print(
        f"extra, bound     {found['extra']} of at most {bound}; "
        f"{site.bound} in flight in killed workers, {site.held_at_crashes} at database crashes"
    )
    for kind, wait in faults.slowest.items():
        print(f"first claim      {wait:.1f} s after the slowest {kind}")
    print(json.dumps({
        "name": "soak", "figure": found["extra"], "unit": "calls paid twice", "wanted": bound,
        "held": held, "seed": chosen.seed, "slowest_first_claim": round(slowest, 1), **found,
    }))  # fmt: skip
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
