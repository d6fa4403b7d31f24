"""manage.py rewrite_options: let a text model propose wrong options of the key's length."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from annotation.queries.named import NotFound, benchmark_named
from evaluation.actions.run_checks import RunRefused
from evaluation.management.commands.start_run import account, find_model, read_budget
from evaluation.rewriting import MOST, rewrite_options, uneven_versions
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Let a text model rewrite the wrong options of kept MCQs whose key stands out by its"
        " length. What it says waits among the repairs; nothing is changed without a person."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--model", required=True, help="name or slug of a text model")
        parser.add_argument("--budget", default="", help="US dollars that are never exceeded")
        parser.add_argument("--most", type=int, default=100, help=f"items, at most {MOST}")
        parser.add_argument("--dry-run", action="store_true", help="only count the items")
        parser.add_argument("--by", default="", help="account that pays; default: an admin")

    def handle(self, *args: Any, **options: Any) -> None:
        as_json = options["json"]
        try:
            benchmark = benchmark_named(options["slug"])
            model = find_model(options["model"])
            if options["dry_run"]:
                count = sum(1 for _ in uneven_versions(benchmark))
                said = f"{count} kept MCQs have a key that stands out by its length."
                self.stdout.write(json.dumps({"uneven": count}) if as_json else said)
                return
            budget = read_budget(options["budget"])
            if budget is None:
                raise CommandError("Say with --budget how many dollars it may cost at most.")
            by = account(options["by"])
            found = rewrite_options(
                benchmark=benchmark, model=model, budget=budget, most=options["most"], by=by
            )
        except (NotFound, RunRefused) as error:
            raise self.refuse(error, as_json=as_json) from None
        if as_json:
            self.stdout.write(json.dumps(asdict(found) | {"spent": str(found.spent)}))
            return
        stopped = f" Stopped: {found.stopped}." if found.stopped else ""
        self.stdout.write(
            f"{found.uneven} items stand out, {found.asked} asked, {found.proposed} proposals,"
            f" {sum(found.refused.values())} replies refused, ${found.spent:.4f}.{stopped}"
        )
        for why, count in found.refused.most_common():
            self.stdout.write(f"  {count}: {why}")
