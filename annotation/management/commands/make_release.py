"""Freezes a release."""

import json
from argparse import ArgumentParser
from typing import Any

from annotation.actions.releases import ReleaseRefused, make_release
from annotation.actions.trail import SYSTEM
from annotation.queries.named import NotFound, benchmark_named
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = "Freeze the current item versions and keep decisions of a benchmark under a tag."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("tag")
        parser.add_argument("--notes", default="")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["slug"])
            release = make_release(
                benchmark=benchmark, tag=options["tag"], notes=options["notes"], by=SYSTEM
            )
        except (NotFound, ReleaseRefused) as error:
            raise self.refuse(error, as_json=options["json"]) from None
        found = {
            "ok": True,
            "benchmark": benchmark.slug,
            "tag": release.tag,
            "hash": release.hash,
            "kept": {"mcq": release.kept_mcq, "free": release.kept_free},
        }
        if options["json"]:
            self.stdout.write(json.dumps(found))
        else:
            self.stdout.write(
                f"{benchmark.slug} {release.tag}: {release.kept_mcq} MCQs and {release.kept_free} "
                f"free-response items kept, hash {release.hash}"
            )
