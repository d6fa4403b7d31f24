"""manage.py show_run: the figures of a run, as its page shows them."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.management.commands.start_run import progress_line
from evaluation.models import Run
from evaluation.queries.run_progress import progress
from evaluation.run_report import report


class Command(BaseCommand):
    help = "Show how far a run is, what failed, and what repeats its numbers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, help="number of the run")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        run = find_run(options["run"])
        found = report(run)
        if options["json"]:
            self.stdout.write(json.dumps(found))
            return
        title = f"{found['model']}, {found['condition']}, {found['benchmark']} {found['release']}"
        self.stdout.write(f"Run {run.pk}: {title}")
        self.stdout.write(f"{run.state}. {run.state_reason}".strip())
        self.stdout.write(progress_line(progress(run)))
        for row in found["errors"]:
            self.stdout.write(
                f"  {row['class']}: seen {row['seen']}, recovered {row['recovered']},"
                f" retrying {row['retrying']}, open {row['open']}"
            )
        if found["latency"]:
            median, p95 = found["latency"]["median"], found["latency"]["p95"]
            self.stdout.write(f"latency: median {median:.2f} s, 95th percentile {p95:.2f} s")


def find_run(number: int) -> Run:
    """Return a run with what it names. Raises CommandError."""
    path = ("contestant__provider", "judge__provider", "release", "benchmark")
    run = Run.objects.select_related(*path).filter(pk=number).first()
    if run is None:
        raise CommandError(f"There is no run {number}.")
    return run
