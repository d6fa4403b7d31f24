"""What went wrong in a run, by cause, and how long its calls took. Bounded queries."""

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.db.models import Count, Max, Q

from evaluation.engine.replies import NO_ANSWER
from evaluation.engine.work import CLIP_ERROR
from evaluation.models import Call, Prediction, Run, WorkItem
from evaluation.models.prediction import Outcome
from evaluation.models.run import Stage, WorkState

LATENCIES = 2_000
CLIP_REASONS = 12  # distinct ones shown
OPEN = (WorkState.WAITING, WorkState.CLAIMED)


@dataclass(frozen=True)
class ErrorRow:
    """One cause of failures: calls that met it, steps that got over it, steps that wait for a
    retry, and steps that stay without a result."""

    error_class: str
    seen: int
    recovered: int
    retrying: int
    open: int
    last: datetime | None
    is_reply: bool = False


def errors(run: Run) -> list[ErrorRow]:
    """Return the failures of `run` by class, and the replies without an answer. Three queries."""
    done = Q(work_item__state=WorkState.DONE)
    waiting = Q(work_item__state__in=OPEN)
    is_reply = Q(work_item__stage=Stage.PREDICT, error_class__in=NO_ANSWER, work_item__state="done")
    called = (
        Call.objects.filter(work_item__run=run)
        .exclude(error_class="")
        .exclude(is_reply)
        .order_by()
        .values_list("error_class")
        .annotate(
            seen=Count("pk"),
            recovered=Count("work_item", filter=done, distinct=True),
            retrying=Count("work_item", filter=waiting, distinct=True),
            stuck=Count("work_item", filter=~done & ~waiting, distinct=True),
            last=Max("settled_at"),
        )
    )
    rows = [ErrorRow(*row) for row in called]
    known = {row.error_class for row in rows}
    uncalled = (
        WorkItem.objects.filter(run=run)
        .exclude(error_class="")
        .exclude(error_class__in=known)
        .order_by()
        .values_list("error_class")
        .annotate(
            seen=Count("pk"),
            waiting=Count("pk", filter=Q(state__in=OPEN)),
            stuck=Count("pk", filter=~Q(state__in=OPEN)),
            last=Max("finished_at"),
        )
    )
    rows += [
        ErrorRow(name, seen, 0, wait, stuck, last) for name, seen, wait, stuck, last in uncalled
    ]
    silent = (
        Prediction.objects.filter(run=run, outcome__in=[Outcome.ABSTAINED, Outcome.REFUSED])
        .order_by()
        .values_list("outcome")
        .annotate(seen=Count("pk"), last=Max("created_at"))
    )
    rows += [ErrorRow(name, seen, 0, 0, seen, last, is_reply=True) for name, seen, last in silent]
    return sorted(rows, key=lambda row: (-row.open, -row.seen, row.error_class))


def clip_reasons(run: Run) -> list[tuple[str, int]]:
    """Return why clips of `run` cannot be had and what to do, with how many steps each keeps
    from a result, the commonest first. One query."""
    stuck = WorkItem.objects.filter(run=run, error_class=CLIP_ERROR).exclude(state=WorkState.DONE)
    counted = stuck.order_by().values_list("error_message").annotate(count=Count("pk"))
    return list(counted.order_by("-count", "error_message")[:CLIP_REASONS])


@dataclass(frozen=True)
class Latencies:
    """The latest calls' latencies in doubling bins: `bins` holds (from, to, count), seconds."""

    bins: list[tuple[float, float, int]]
    median: float
    p95: float
    count: int


def latencies(run: Run) -> Latencies | None:
    """Return the latencies of the last calls of `run`; None before the first. One query."""
    recent = (
        Call.objects.filter(work_item__run=run, latency__gt=0)
        .order_by("-pk")
        .values_list("latency", flat=True)[:LATENCIES]
    )
    values = np.array(list(recent), dtype=float)
    if not len(values):
        return None
    low = math.floor(math.log2(max(values.min(), 2**-6)))
    high = max(low + 1, math.floor(math.log2(max(values.max(), 2**-6))) + 1)
    edges = [2.0**power for power in range(low, high + 1)]
    counts, _ = np.histogram(np.clip(values, edges[0], None), bins=edges)
    return Latencies(
        [(edges[i], edges[i + 1], int(n)) for i, n in enumerate(counts)],
        float(np.median(values)),
        float(np.percentile(values, 95)),
        len(values),
    )
