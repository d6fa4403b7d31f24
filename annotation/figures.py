"""Counts what the pages of a whole benchmark show: at once where it is small, else by a worker."""

from collections.abc import Callable
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Benchmark
from annotation.queries import kept_figures
from annotation.queries.agreement import agreement
from annotation.queries.composition import composition, problems
from annotation.queries.counts import count_again, item_count
from annotation.queries.kept_figures import Kept
from annotation.queries.pace import reader_lines
from annotation.queries.releases import draft

FIGURES: dict[str, Callable[[Benchmark], Any]] = {
    "composition": composition,
    "agreement": agreement,
    "problems": problems,
    "draft": draft,
    "readers": reader_lines,
}


def figures(benchmark: Benchmark, *names: str) -> Kept | None:
    """Return the named figures; of a large benchmark those that a worker counted last, and None
    before it has."""
    if kept_figures.is_large(benchmark, items=item_count(benchmark)):
        return kept_figures.read(benchmark.pk)
    return Kept({name: FIGURES[name](benchmark) for name in names})


def count_figures(benchmark_id: int) -> None:
    """Count everything about a benchmark anew and keep it for the pages."""
    benchmark = Benchmark.objects.filter(pk=benchmark_id).first()
    if benchmark is None:
        return
    start = timezone.now()
    with transaction.atomic():
        leave_cores_to_readers()
        count_again(benchmark)
        values = {name: count(benchmark) for name, count in FIGURES.items()}
    kept_figures.keep(benchmark.pk, values, took=timezone.now() - start)


def leave_cores_to_readers() -> None:
    """Let PostgreSQL count on one core until the transaction ends, however large the table."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
