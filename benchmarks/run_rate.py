"""How near a run comes to the limit ceil(calls / in flight) × latency.

Blind calls against a stand-in with a fixed latency, in a process of its own; real Celery
workers on a real broker, warmed by a short run; from the first claim to the last commit.

    python benchmarks/run_rate.py [--quick] [--calls N] [--in-flight N] [--workers N]
                                  [--latency SECONDS] [--dialect gemini|openai_compatible]

DATABASE_URL names another database than a fresh SQLite file; its tables are made if need be.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WANTED = {64: 0.85, 256: 0.80}
OPTIONS = ["Slide cranially.", "Rotate to the long axis.", "Raise the gain.", "Freeze."]
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
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.calls = 1280
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


def make_release(calls: int, free: int = 0) -> Any:
    """Return a release of `calls` items, the last `free` of them free responses."""
    from annotation.actions.versions import Content, build_version, mirror
    from annotation.models import Benchmark, Item, ItemVersion, Release, ReleaseItem, Source, Video

    number = Benchmark.objects.count()
    bench = Benchmark.objects.create(slug=f"rate-{number}", name="Rate")
    source = Source.objects.create(benchmark=bench, kind="youtube", key="aaaaaaaaaaa")
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


def carry_out(release: Any, contestant: Any, by: Any, patience: float) -> Any:
    """Start a run and wait until it is settled, sweeping as the clock would."""
    from evaluation.actions.runs import create_run, start_run
    from evaluation.engine.sweep import sweep

    run: Any = create_run(
        benchmark=release.benchmark, release=release, contestant=contestant,
        condition="blind", by=by,
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
        if time.monotonic() - swept > 5:
            sweep()
            swept = time.monotonic()
    return run


def main() -> None:
    chosen = parse()
    with tempfile.TemporaryDirectory(prefix="sonovqa-rate-") as folder, ExitStack() as stack:
        var = Path(folder)
        os.environ |= {
            "SONOVQA_VAR": folder,
            "DJANGO_SETTINGS_MODULE": "sonovqa.settings",
            "PYTHONPATH": str(ROOT),
            "SONOVQA_LOG_LEVEL": "WARNING",
            "SONOVQA_BENCH_KEY": "a-key-for-the-stand-in",
        }
        sys.path.insert(0, str(ROOT))
        report(chosen, *measure(chosen, var, stack))


def measure(chosen: argparse.Namespace, var: Path, stack: ExitStack) -> tuple:
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
        name=f"m-{provider.pk}", slug=f"m-{provider.pk}", provider=provider, model_id="m-1"
    )
    carry_out(make_release(2 * chosen.in_flight), contestant, by, 60)
    release = make_release(chosen.calls)
    time.sleep(0.5)
    before = sum(map(cpu_seconds, pids)), cpu_seconds(broker_pid)
    limit = math.ceil(chosen.calls / chosen.in_flight) * chosen.latency
    run = carry_out(release, contestant, by, limit * 4 + 60)
    cpu = sum(map(cpu_seconds, pids)) - before[0], cpu_seconds(broker_pid) - before[1]
    return run, limit, cpu, sum(map(peak_megabytes, pids)), cpu_seconds(standin.pid)


def report(
    chosen: argparse.Namespace, run: Any, limit: float, cpu: tuple, peak: float, standin: float
) -> None:
    from django.db.models import Min

    from evaluation.models import Call, Prediction

    own_calls = Call.objects.filter(work_item__run=run)
    first = own_calls.aggregate(first=Min("started_at"))["first"]
    answered = Prediction.objects.filter(run=run, outcome="answered").count()
    asked = own_calls.count()
    elapsed = (run.finished_at - first).total_seconds()
    share = limit / elapsed
    print(f"state            {run.state}: {run.state_reason}")
    print(f"answered         {answered} of {chosen.calls}, in {asked} calls")
    print(f"elapsed          {elapsed:.2f} s, limit {limit:.2f} s")
    print(f"start-up         {first.timestamp() - run.enqueued:.2f} s from enqueue to first claim")
    print(f"worker           {cpu[0] / chosen.calls * 1000:.2f} ms of CPU a call, "
          f"{peak:.0f} MB at the peak, {chosen.workers} process(es)")  # fmt: skip
    print(f"broker           {cpu[1] / chosen.calls * 1000:.2f} ms of CPU a call")
    print(
        f"stand-in         {standin / chosen.calls * 1000:.2f} ms of CPU a call, warm-up included"
    )
    wanted = chosen.wanted or WANTED.get(chosen.in_flight, 0.85)
    held = share >= wanted and answered == chosen.calls == asked
    print(json.dumps({
        "name": f"run_rate_{chosen.calls}_at_{chosen.in_flight}",
        "figure": round(share, 3), "unit": "share of the limit", "wanted": wanted, "held": held,
    }))  # fmt: skip


if __name__ == "__main__":
    main()
