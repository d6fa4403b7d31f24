"""Figures over a whole large benchmark, which a worker counts and pages only read.

A benchmark is large above EXACT_UP_TO items or votes: then no page counts over all of it, but
shows what was counted last, with the time, and asks for it anew where that is old: older than a
minute, and than SHARE times what counting took. `annotation.figures` counts.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.core.cache import cache
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.models import Benchmark, Review

EXACT_UP_TO = 20_000
RENEW_AFTER = timedelta(minutes=1)
SHARE = 100  # counting takes one per cent of the time and no more
KEPT_FOR = 7 * 86_400  # seconds; whatever is shown says how old it is
ASKED_FOR = 300  # seconds in which a worker is not asked again
AWAY_FOR = 20  # seconds in which a broker that is away is not looked for again
TASK = "annotation.count_figures"
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Kept:
    """`values` by the names of `annotation.figures.FIGURES`; `as_of` is when they were counted,
    None where that is now, and `took` how long it took."""

    values: dict[str, Any]
    as_of: datetime | None = None
    took: timedelta = timedelta(0)

    @property
    def is_old(self) -> bool:
        age = timezone.now() - self.as_of if self.as_of else timedelta(0)
        return age > max(RENEW_AFTER, SHARE * self.took)


def is_large(benchmark: Benchmark, *, items: int) -> bool:
    """Say whether a benchmark of `items` items is too large to be counted while one waits."""
    if items > EXACT_UP_TO:
        return True
    votes = Review.objects.filter(item__benchmark=benchmark).order_by()
    return votes[: EXACT_UP_TO + 1].count() > EXACT_UP_TO


def read(benchmark_id: int) -> Kept | None:
    """Return what was counted last; ask a worker where that is nothing, or old."""
    found: Kept | None = cache.get(f"figures/{benchmark_id}")
    if found is None or found.is_old:
        ask_worker(benchmark_id)
    return found


def keep(benchmark_id: int, values: dict[str, Any], *, took: timedelta) -> None:
    """Store what a worker has counted now."""
    cache.set(f"figures/{benchmark_id}", Kept(values, timezone.now(), took), KEPT_FOR)
    cache.delete(f"figures-asked/{benchmark_id}")


def ask_worker(benchmark_id: int) -> None:
    """Wake a worker, unless one was asked and has not answered yet."""
    if not cache.add(f"figures-asked/{benchmark_id}", 1, ASKED_FOR):
        return
    try:
        current_app.send_task(TASK, args=[benchmark_id], retry=False)
    except (OperationalError, OSError) as error:
        cache.touch(f"figures-asked/{benchmark_id}", AWAY_FOR)
        log.warning("figures of benchmark %s: no broker (%s)", benchmark_id, error)
