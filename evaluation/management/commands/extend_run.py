"""manage.py extend_run: bring a finished run to another release."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Release
from evaluation.actions.extending import check_extension, extend_run
from evaluation.actions.run_checks import RunRefused
from evaluation.management.commands.show_run import find_run
from evaluation.management.commands.start_run import (
    account,
    is_settled,
    progress_line,
    read_budget,
    work_here,
)
from evaluation.models import Run
from evaluation.queries.extending import extension
from evaluation.queries.run_progress import progress


class Command(BaseCommand):
    help = (
        "Extend a finished run to another release: answers to items that did not change are taken"
        " over without a call, new and changed items are asked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, help="number of the run")
        parser.add_argument("--release", required=True, help="tag")
        parser.add_argument("--budget", default="", help="US dollars that are never exceeded")
        parser.add_argument("--here", action="store_true", help="work in this process, and wait")
        parser.add_argument("--dry-run", action="store_true", help="only show what it takes")
        parser.add_argument("--by", default="", help="account that starts it; default: an admin")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        run = find_run(options["run"])
        tag, budget = options["release"], read_budget(options["budget"])
        release = Release.objects.filter(benchmark=run.benchmark_id, tag=tag).first()
        if release is None:
            raise CommandError(f"The benchmark {run.benchmark.slug!r} has no release {tag!r}.")
        try:
            check_extension(run=run, release=release, budget=budget)
            if options["dry_run"]:
                self.tell(run, release, as_json=options["json"])
                return
            by = account(options["by"])
            made = extend_run(run=run, release=release, by=by, budget=budget)
        except RunRefused as error:
            raise CommandError(str(error)) from None
        if options["here"]:
            work_here(made, is_settled)
            made.refresh_from_db()
        self.finish(made, as_json=options["json"])

    def tell(self, run: Run, release: Release, *, as_json: bool) -> None:
        """Print what it would take."""
        found = extension(run, release)
        if as_json:
            facts = {"answers": found.answers, "taken": found.taken}
            self.stdout.write(json.dumps(facts | {"estimate": found.estimate.as_json()}))
            return
        cost = found.estimate.cost
        money = "unknown, no price is set" if cost is None else f"${cost:.2f}"
        self.stdout.write(
            f"{found.answers} answers, {found.taken} of them taken over;"
            f" {found.estimate.calls} calls, cost {money}. Nothing was started."
        )

    def finish(self, made: Run, *, as_json: bool) -> None:
        """Print what was made."""
        taken = made.extra.get("taken_over", 0)
        if as_json:
            self.stdout.write(json.dumps({"run": made.pk, "state": made.state, "taken": taken}))
            return
        line = progress_line(progress(made))
        self.stdout.write(f"Run {made.pk} is {made.state}, {taken} answers taken over. {line}")
