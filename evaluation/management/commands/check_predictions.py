"""Validates prediction files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.queries.named import NotFound, benchmark_named, release_named
from evaluation.importer import PredictionsRefused, check_predictions
from evaluation.submission_rows import check_lines
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Say what import_predictions would take and refuse; nothing is changed. The exit status "
        "is 1 where a file or row would be refused."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("path", type=Path, help="the folder, or one .jsonl file")
        parser.add_argument("--benchmark", required=True, metavar="SLUG")
        parser.add_argument("--release", default="", metavar="TAG", help="default: the newest")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["benchmark"])
            release = release_named(benchmark, options["release"])
            check = check_lines if options["path"].suffix == ".jsonl" else check_predictions
            report = check(options["path"], benchmark=benchmark, release=release)
        except (NotFound, PredictionsRefused) as error:
            raise self.refuse(error, as_json=options["json"]) from None
        self.show(report, as_json=options["json"])
