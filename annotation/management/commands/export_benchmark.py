"""Exports a benchmark in the published layout."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.exporter import ExportRefused, export_benchmark
from annotation.queries.named import NotFound, benchmark_named, release_named
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = "Write a benchmark, or one of its releases, in the published layout."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("path", type=Path, help="the folder to write; made where missing")
        parser.add_argument("--release", default="", metavar="TAG", help="as frozen under TAG")
        parser.add_argument(
            "--public", action="store_true", help="leave out what is held out, for publishing"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["slug"])
            tag = options["release"]
            release = release_named(benchmark, tag) if tag else None
            report = export_benchmark(
                benchmark, options["path"], release=release, public=options["public"]
            )
        except (NotFound, ExportRefused) as error:
            raise self.refuse(error, as_json=options["json"]) from None
        self.show(report, as_json=options["json"])
