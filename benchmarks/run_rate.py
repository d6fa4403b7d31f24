"""How near a run comes to the limit ceil(calls / in flight) × latency.

Blind calls against a stand-in with a fixed latency, in a process of its own; real Celery
workers on a real broker, warmed by a short run; from the first claim to the last commit.

    python benchmarks/run_rate.py [--quick] [--calls N] [--in-flight N] [--workers N]
                                  [--latency SECONDS] [--dialect gemini|openai_compatible]
                                  [--free N] [--clip] [--faults]
    python benchmarks/run_rate.py --flat     100,000 items: first tenth against last, and memory
    python benchmarks/run_rate.py --table    every row of what is promised, beside a bare client,
                                             on SQLite and PostgreSQL

`--free`: so many of the items are free responses, judged by the same model in calls of their own.
`--clip`: each call carries the same clip of some 290 KB, cut before. `--faults`: 5 % of the calls
meet a 429, 2 % a 503, 1 % a dropped connection. DATABASE_URL names another database than a
fresh SQLite file; its tables are made if need be.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent
WANTED = {64: 0.85, 256: 0.80}
OPTIONS = ["Slide cranially.", "Rotate to the long axis.", "Raise the gain.", "Freeze."]
FLAT_ITEMS = 100_000
FAULTS = {"rate_limit": 0.05, "overload": 0.02, "drop": 0.01}
FILM = "rate.mp4"
TICK = os.sysconf("SC_CLK_TCK")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="1,280 calls")
    parser.add_argument("--calls", type=int, default=657)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0, help="worker processes; 0: as needed")
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--dialect", default="openai_compatible")
    parser.add_argument("--wanted", type=float, default=0.0)
    parser.add_argument("--free", type=int, default=0, help="so many of the items are judged")
    parser.add_argument("--clip", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--flat", action="store_true", help="100,000 items")
    parser.add_argument("--table", action="store_true")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.calls = 1280
    if chosen.flat:
        chosen.calls, chosen.latency = FLAT_ITEMS, 0.2
    chosen.workers = chosen.workers or max(1, math.ceil(chosen.in_flight / 128))
    return chosen


@contextmanager
def process(command: list[str], **options: Any) -> Iterator[subprocess.Popen]:
    child = subprocess.Popen(command, cwd=ROOT, **options)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak_megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


def start_broker(stack: ExitStack, var: Path) -> int:
    from django.conf import settings

    from sonovqa import broker

    data = var / "broker"
    data.mkdir()
    broker.make_socket_folder(settings.BROKER_SOCKET)
    command = [broker.server_program(), *broker.server_arguments(settings.BROKER_SOCKET, data)]
    child = stack.enter_context(process(command, stdout=subprocess.DEVNULL))
    while not settings.BROKER_SOCKET.exists():
        time.sleep(0.02)
    return child.pid


def start_workers(stack: ExitStack, count: int) -> list[int]:
    pids = []
    for number in range(count):
        command = [
            *(sys.executable, "-m", "celery", "-A", "sonovqa", "worker"),
            *("-Q", "runs", "--pool", "threads", "--concurrency", "4", "--loglevel", "WARNING"),
            *("--hostname", f"bench{number}@%h", "--without-gossip", "--without-mingle"),
        ]
        pids.append(stack.enter_context(process(command, stdout=subprocess.DEVNULL)).pid)
    return pids


def make_release(calls: int, free: int = 0, film: str = "") -> Any:
    """Return a release of `calls` items, the last `free` of them free responses; all show the
    same eight seconds of `film`."""
    from annotation.actions.versions import Content, build_version, mirror
    from annotation.models import Benchmark, Item, ItemVersion, Release, ReleaseItem, Source, Video

    number = Benchmark.objects.count()
    bench = Benchmark.objects.create(slug=f"rate-{number}", name="Rate")
    kind, key = ("file", film) if film else ("youtube", "aaaaaaaaaaa")
    source = Source.objects.create(benchmark=bench, kind=kind, key=key)
    video = Video.objects.create(
        benchmark=bench, source=source, name="v", title="v", position=0, start=0, end=100
    )
    kinds = ["mcq"] * (calls - free) + ["free"] * free
    items = Item.objects.bulk_create(
        Item(
            benchmark=bench, video=video, kind=kind, index=place, key=f"{kind}/v/{place}",
            position=place, ordinal=place, video_position=0,
        )
        for place, kind in enumerate(kinds)
    )  # fmt: skip
    versions = ItemVersion.objects.bulk_create(
        build_version(
            item, video, number=1, by=None,
            content=Content(f"What happens in step {item.index}?", "Type1", 1.0, 9.0,
                            tuple(OPTIONS), 0)
            if item.kind == "mcq"
            else Content(f"Why is step {item.index} done?", "Type1", 1.0, 9.0,
                         reference_answer=f"To find the vessel of step {item.index}."),
        )
        for item in items
    )  # fmt: skip
    Item.objects.bulk_update([mirror(i, v) for i, v in zip(items, versions, strict=True)],
                             ["current"], batch_size=500)  # fmt: skip
    release = Release.objects.create(benchmark=bench, tag="r1", hash="0" * 64,
                                     kept_mcq=calls - free, kept_free=free)  # fmt: skip
    ReleaseItem.objects.bulk_create(
        ReleaseItem(release=release, item_version=version, keep=True, position=place)
        for place, version in enumerate(versions)
    )
    return release


def carry_out(
    release: Any,
    contestant: Any,
    by: Any,
    patience: float,
    *,
    clip: bool = False,
    look: Callable[[Any], None] = lambda _: None,
) -> Any:
    """Start a run and wait until it is settled, sweeping as the clock would."""
    from evaluation.actions.runs import create_run, start_run
    from evaluation.engine.sweep import sweep

    run: Any = create_run(
        benchmark=release.benchmark, release=release, contestant=contestant,
        condition="video" if clip else "blind", by=by,
        judge=contestant if release.kept_free else None,
    )  # fmt: skip
    run.enqueued = time.time()
    start_run(run=run, by=by)
    swept = time.monotonic()
    deadline = swept + patience
    while run.state not in ("done", "failed", "paused"):
        if time.monotonic() > deadline:
            raise SystemExit(f"the run is {run.state} after {patience:.0f} s")
        time.sleep(0.25)
        run.refresh_from_db(fields=["state", "finished_at", "state_reason"])
        look(run)
        if time.monotonic() - swept > 5:
            sweep()
            swept = time.monotonic()
    return run


def environment(folder: str) -> dict[str, str]:
    """What the processes of a measurement in `folder` are told."""
    return {
        "SONOVQA_VAR": folder,
        "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
        "PYTHONPATH": str(ROOT),
        "SONOVQA_LOG_LEVEL": "WARNING",
        "SONOVQA_BENCH_KEY": "a-key-for-the-stand-in",
    }


def main() -> None:
    chosen = parse()
    if chosen.table:
        sys.path.insert(0, str(ROOT))
        from benchmarks.rate_table import print_table

        sys.exit(print_table())
    with tempfile.TemporaryDirectory(prefix="sonovqa-rate-") as folder, ExitStack() as stack:
        var = Path(folder)
        os.environ |= environment(folder)
        sys.path.insert(0, str(ROOT))
        report(chosen, *measure(chosen, var, stack))


@dataclass
class Stage:
    """What a run needs: a stand-in, a broker and warm workers, by their process ids."""

    url: str
    standin: int
    broker: int
    workers: list[int]
    contestant: Any
    by: Any

    def cpu(self) -> list[float]:
        """Seconds of workers, broker, database and stand-in so far."""
        mine = cpu_of(self.workers), cpu_of([self.broker])
        return [*mine, cpu_of_database(), cpu_of([self.standin])]


def set_the_stage(chosen: argparse.Namespace, var: Path, stack: ExitStack) -> Stage:
    """Start all that a run needs, and give its workers a short run to warm up."""
    import django

    django.setup()
    from django.core.management import call_command

    from annotation.models import User
    from evaluation.models import Contestant, Provider

    call_command("migrate", verbosity=0)
    standin = stack.enter_context(
        process(
            [sys.executable, "-m", "tests.standins.model_server", "--latency", str(chosen.latency)],
            stdout=subprocess.PIPE, text=True,
        )
    )  # fmt: skip
    assert standin.stdout is not None
    url = standin.stdout.readline().strip()
    broker_pid = start_broker(stack, var)
    pids = start_workers(stack, chosen.workers)
    by = User.objects.create_user(f"bench-{time.time_ns()}", role="admin")
    suffix = "/v1" if chosen.dialect == "openai_compatible" else ""
    provider = Provider.objects.create(
        name=f"standin-{time.time_ns()}", dialect=chosen.dialect, base_url=url + suffix,
        max_in_flight=chosen.in_flight, key_env="SONOVQA_BENCH_KEY",
    )  # fmt: skip
    contestant = Contestant.objects.create(
        name=f"m-{provider.pk}", slug=f"m-{provider.pk}", provider=provider, model_id="m-1",
        can_judge=True,
    )  # fmt: skip
    film = make_film() if chosen.clip else ""
    carry_out(make_release(2 * chosen.in_flight, film=film), contestant, by, 60, clip=chosen.clip)
    return Stage(url, standin.pid, broker_pid, pids, contestant, by)


def measure(chosen: argparse.Namespace, var: Path, stack: ExitStack) -> tuple[Any, dict[str, Any]]:
    stage = set_the_stage(chosen, var, stack)
    release = make_release(chosen.calls, chosen.free, FILM if chosen.clip else "")
    set_script(stage.url, chosen)
    time.sleep(0.5)
    before = stage.cpu()
    limit = math.ceil((chosen.calls + chosen.free) / chosen.in_flight) * chosen.latency
    memory: list[tuple[float, float]] = []
    run = carry_out(
        release, stage.contestant, stage.by, limit * 4 + 60, clip=chosen.clip,
        look=lambda _: memory.append((time.time(), sum(map(megabytes, stage.workers)))),
    )  # fmt: skip
    worker, broker, database, asked = (b - a for a, b in zip(before, stage.cpu(), strict=True))
    return run, {
        "limit": limit, "worker": worker, "broker": broker, "database": database,
        "standin": asked, "peak": sum(map(peak_megabytes, stage.workers)), "memory": memory,
        "stats": stats_of(stage.url),
    }  # fmt: skip


def cpu_of(pids: list[int]) -> float:
    return sum(map(cpu_seconds, pids))


def cpu_of_database() -> float:
    """CPU time of the PostgreSQL server that SONOVQA_RATE_PG_PID names, with all its backends."""
    import psutil

    if "SONOVQA_RATE_PG_PID" not in os.environ:
        return 0.0  # SQLite works in the workers
    main = psutil.Process(int(os.environ["SONOVQA_RATE_PG_PID"]))
    ended, alive = main.cpu_times(), [one.cpu_times() for one in main.children(recursive=True)]
    return sum(
        [ended.children_user, ended.children_system, *(one.user + one.system for one in alive)]
    )


def megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def make_film() -> str:
    """Put a film into the store whose first eight seconds make a clip of some 290 KB."""
    import numpy as np
    from django.conf import settings

    from sonovqa.adapters.ffmpeg_encode import encode

    sources = Path(settings.MEDIA_STORE) / "sources"
    sources.mkdir(parents=True)
    grain = np.random.default_rng(5)
    still = grain.integers(40, 200, (120, 160, 3)).repeat(4, 0).repeat(4, 1)
    pictures = (
        np.clip(still + grain.integers(-10, 12, still.shape), 0, 255).astype(np.uint8).tobytes()
        for _ in range(100)
    )
    encode(pictures, sources / FILM, size=(640, 480), fps=10, crf=20)
    return FILM


def set_script(url: str, chosen: argparse.Namespace) -> None:
    """Let the stand-in count anew, and be as faulty as is asked for."""
    faults = [{"kind": kind, "share": share} for kind, share in FAULTS.items()]
    script = {
        "latency": chosen.latency,
        "jitter": getattr(chosen, "jitter", 0.0),
        "faults": faults if chosen.faults else [],
    }
    body = json.dumps(script).encode()
    with urlopen(Request(f"{url}/_script", body, method="PUT")):  # noqa: S310
        pass


def stats_of(url: str) -> dict[str, Any]:
    with urlopen(f"{url}/_stats") as reply:  # noqa: S310
        found: dict[str, Any] = json.load(reply)
        return found


def clip_bytes(run: Any) -> int:
    """Return how large the clip of a call was, 0 where none was sent."""
    extra = run.predictions.values_list("extra", flat=True).first() or {}
    return int(extra.get("clip", {}).get("bytes", 0))


def flatness(run: Any, memory: list[tuple[float, float]]) -> dict[str, float]:
    """Compare the last tenth of a run with the first: calls a second, megabytes."""
    from evaluation.models import Call

    moments = sorted(
        moment.timestamp()
        for moment in Call.objects.filter(work_item__run=run).values_list("settled_at", flat=True)
        if moment
    )
    tenth = len(moments) // 10
    first, last = moments[tenth] - moments[0], moments[-1] - moments[-tenth - 1]
    early = [size for at, size in memory if at <= moments[tenth]]
    return {
        "last_to_first_tenth": round(first / last, 3),
        "megabytes_after_first_tenth": round(early[-1] if early else memory[0][1], 1),
        "megabytes_at_end": round(memory[-1][1], 1),
    }


def report(chosen: argparse.Namespace, run: Any, found: dict[str, Any]) -> None:
    from django.db.models import Min

    from evaluation.models import Call, Judgement, Prediction

    own_calls = Call.objects.filter(work_item__run=run)
    first = own_calls.aggregate(first=Min("started_at"))["first"]
    answered = Prediction.objects.filter(run=run, outcome="answered").count()
    judged = Judgement.objects.filter(prediction__run=run, failed=False).count()
    asked, due, limit = own_calls.count(), chosen.calls + chosen.free, found["limit"]
    faults = sum(found["stats"]["faults"].values())
    elapsed = (run.finished_at - first).total_seconds()
    share = limit / elapsed
    everything = found["worker"] + found["broker"] + found["database"]
    figures = {
        "seconds": round(elapsed, 2), "share": round(share, 3),
        "worker_ms": round(found["worker"] / due * 1000, 2),
        "all_ms": round(everything / due * 1000, 2),
        "megabytes": round(found["peak"]), "unscored": due - answered - judged,
        "clip_bytes": clip_bytes(run), "extra_calls": asked - due, "faults_met": faults,
        "startup": round(first.timestamp() - run.enqueued, 2),
    }  # fmt: skip
    if chosen.flat:
        figures |= flatness(run, found["memory"])
    print(f"state            {run.state}: {run.state_reason}")
    print(f"answered         {answered} of {chosen.calls}, judged {judged}, in {asked} calls")
    print(f"elapsed          {elapsed:.2f} s, limit {limit:.2f} s")
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):<16} {value}")
    print(f"stand-in         {found['standin'] / due * 1000:.2f} ms of CPU a call")
    wanted = chosen.wanted or WANTED.get(chosen.in_flight, 0.85)
    held = share >= wanted and not figures["unscored"] and asked - due == faults
    print(json.dumps({
        "name": f"run_rate_{chosen.calls}_at_{chosen.in_flight}",
        "figure": round(share, 3), "unit": "share of the limit", "wanted": wanted, "held": held,
        **figures,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
