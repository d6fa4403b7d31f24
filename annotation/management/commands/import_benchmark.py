"""Imports a benchmark in the published layout."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from annotation.actions.trail import IMPORT
from annotation.importer import ImportRefused, import_benchmark
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Import a benchmark in the published layout. Bad files and rows are reported by file, "
        "position, field and reason; the good ones come in all the same, and the exit status is "
        "then 1. Importing again updates by key and deletes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("path", type=Path, help="the folder with video_metadata_new.json")
        parser.add_argument("--slug", required=True, help="short name of the benchmark")
        parser.add_argument("--name", default="", help="its full name, if it is made")
        parser.add_argument("--dry-run", action="store_true", help="compare; write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = import_benchmark(
                options["path"],
                slug=options["slug"],
                name=options["name"],
                dry_run=options["dry_run"],
                by=IMPORT,
            )
        except ImportRefused as error:
            raise self.refuse(error, as_json=options["json"]) from None
        self.show(report, as_json=options["json"])
