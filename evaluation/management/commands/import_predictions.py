"""Imports predictions that were made elsewhere."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.actions.trail import IMPORT
from annotation.queries.named import NotFound, benchmark_named, release_named
from evaluation.importer import JUDGE, PredictionsRefused, import_predictions
from evaluation.models.run import Condition
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Import pred_*.json or score_pred_*.json as a run of a named model. Bad files and rows "
        "are reported by file, position, field and reason; the good ones come in all the same, "
        "and the exit status is then 1. Answers, keep flags and MCQ scores of the files are "
        "never used. Calls for one model, condition and release fill one run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("path", type=Path, help="the folder with the prediction files")
        parser.add_argument("--benchmark", required=True, metavar="SLUG")
        parser.add_argument("--model", required=True, metavar="NAME")
        parser.add_argument("--condition", choices=Condition.values, default=Condition.VIDEO.value)
        parser.add_argument("--release", default="", metavar="TAG", help="default: the newest")
        parser.add_argument("--judge", default=JUDGE, metavar="NAME", help=f"default: {JUDGE}")
        parser.add_argument("--no-publish", action="store_true", help="leave the entry private")
        parser.add_argument("--dry-run", action="store_true", help="compare; write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["benchmark"])
            report = import_predictions(
                options["path"],
                benchmark=benchmark,
                model=options["model"],
                condition=options["condition"],
                release=release_named(benchmark, options["release"]),
                dry_run=options["dry_run"],
                publish=not options["no_publish"],
                judge=options["judge"],
                by=IMPORT,
            )
        except (NotFound, PredictionsRefused) as error:
            raise self.refuse(error, as_json=options["json"]) from None
        self.show(report, as_json=options["json"])
