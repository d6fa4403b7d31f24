"""The figures of a run as its page shows them, for programs."""

from typing import Any

from evaluation.models import Run
from evaluation.queries.run_errors import Latencies, errors, latencies
from evaluation.queries.run_progress import Progress, progress
from evaluation.run_page import provenance


def report(run: Run) -> dict[str, Any]:
    """Return the figures of `run`, JSON-ready: money in US dollars as text, times in seconds. A
    bounded number of queries."""
    return figures(run, progress(run), latencies(run)) | {
        "model": run.contestant.name,
        "condition": run.condition,
        "benchmark": run.benchmark.slug,
        "release": run.release.tag,
        "errors": [
            {
                "class": row.error_class,
                "seen": row.seen,
                "recovered": row.recovered,
                "retrying": row.retrying,
                "open": row.open,
                "scored_0": row.is_reply,
            }
            for row in errors(run)
        ],
        "provenance": provenance(run),
    }


def figures(run: Run, now: Progress, found: Latencies | None) -> dict[str, Any]:
    """Return what changes while a run works, JSON-ready."""
    return {
        "run": run.pk,
        "state": run.state,
        "reason": run.state_reason,
        "counts": vars(now.counts),
        "speed": now.speed,
        "items_per_second": now.items_speed,
        "seconds_left": now.seconds_left,
        "next_retry_seconds": now.next_retry,
        "tokens": {"in": now.tokens_in, "out": now.tokens_out},
        "spent": str(now.spent),
        "reserved": str(now.reserved),
        "budget": None if now.budget is None else str(now.budget),
        "latency": {"median": found.median, "p95": found.p95} if found else None,
    }
