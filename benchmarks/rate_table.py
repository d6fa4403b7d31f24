"""Every row of what a run promises at a provider's limit, each beside a bare client in the same
minute: `python benchmarks/run_rate.py --table`. A row is a process of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
RUN_RATE = ROOT / "benchmarks" / "run_rate.py"
# A row: its name, its options, and the bar of each figure; `share` is a least, the rest a most.
Row = tuple[str, Sequence[str], dict[str, float]]
ROWS: list[Row] = [
    ("657 at 16", ["--in-flight", "16"], {"seconds": 22.5, "worker_ms": 5, "all_ms": 8}),
    ("657 at 64", [], {"seconds": 7.5, "share": 0.90, "worker_ms": 5, "all_ms": 8, "startup": 2}),
    ("657 at 256", ["--in-flight", "256"], {"seconds": 6, "worker_ms": 5, "all_ms": 8}),
    ("657 + 337 judged at 64", ["--free", "337"], {"seconds": 11, "worker_ms": 5, "all_ms": 8}),
    ("657 with a clip at 64", ["--clip"], {"seconds": 8, "all_ms": 10}),
    ("994 at 64 under faults", ["--free", "337", "--faults"], {"seconds": 14}),
    ("6,400 at 64", ["--calls", "6400"], {"share": 0.95}),
    ("6,400 at 256", ["--calls", "6400", "--in-flight", "256"], {"share": 0.80}),
]
EVERY_ROW = {"megabytes": 400.0, "unscored": 0.0}
BODY = json.dumps(
    {"model": "m-1", "messages": [{"role": "user", "content": "What happens here?" + " " * 800}]}
).encode()


def print_table() -> int:
    """Measure and print all rows on both databases; return 1 where a bar is not held."""
    missed = 0
    with tempfile.TemporaryDirectory(prefix="sonovqa-rates-") as folder:
        Path(folder).chmod(0o711)
        for database, env in (("SQLite", {}), ("PostgreSQL", postgres(Path(folder) / "pg"))):
            for row in ROWS:
                missed += print_row(database, row, env)
    print(json.dumps({
        "name": "run_rate_table", "figure": missed, "unit": "bars missed", "wanted": 0,
        "held": not missed,
    }))  # fmt: skip
    return int(bool(missed))


def postgres(folder: Path) -> dict[str, str]:
    from tests.standins.servers import Postgres

    server = Postgres(folder)
    return {"DATABASE_URL": server.url, "SONOVQA_RATE_PG_PID": str(server.pid)}


def print_row(database: str, row: Row, env: dict[str, str]) -> int:
    """Print one row: figure against bar, and what a bare client takes; return the bars missed."""
    name, options, bars = row
    done = subprocess.run(
        [sys.executable, str(RUN_RATE), *options],
        cwd=ROOT, env=os.environ | env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        print(f"{database:<10} {name:<24} FAILED: {done.stderr.strip().splitlines()[-1]}")
        return 1
    found = json.loads(done.stdout.splitlines()[-1])
    pieces, missed = [], 0
    for figure, bar in (bars | EVERY_ROW).items():
        held = found[figure] >= bar if figure == "share" else found[figure] <= bar
        missed += not held
        pieces.append(f"{figure} {found[figure]:g} ({'' if held else 'MISSED '}{bar:g})")
    if "--faults" in options:
        same = found["extra_calls"] == found["faults_met"]
        missed += not same
        pieces.append(f"extra {found['extra_calls']}, faults met {found['faults_met']}")
    bare = bare_seconds(*size_of(options))
    print(f"{database:<10} {name:<24} {', '.join(pieces)}; bare client {bare:.1f} s", flush=True)
    return missed


def size_of(options: Sequence[str]) -> tuple[int, int]:
    """Return the calls of a row and how many are in flight."""
    given = dict(pairwise(options))
    calls = int(given.get("--calls", 657)) + int(given.get("--free", 0))
    return calls, int(given.get("--in-flight", 64))


def bare_seconds(calls: int, in_flight: int) -> float:
    """Return what as many calls take without any engine: the limit of this machine."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.standins.model_server", "--latency", "0.5"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        began = time.monotonic()
        asyncio.run(ask_all(url, calls, in_flight))
        seconds = time.monotonic() - began
        server.kill()
    return seconds


async def ask_all(url: str, calls: int, in_flight: int) -> None:
    left = iter(range(calls))
    await asyncio.gather(*(ask_on(url, left) for _ in range(min(in_flight, calls))))


async def ask_on(url: str, left: Any) -> None:
    """Ask on one connection until all calls are taken."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: {where.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
    ).encode()
    for _ in left:
        writer.write(head + BODY)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
    writer.close()
