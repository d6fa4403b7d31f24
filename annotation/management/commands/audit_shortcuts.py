"""Audits a benchmark for shortcuts and prints what was found."""

import json
from argparse import ArgumentParser
from typing import Any

from annotation.actions.audits import request_audit
from annotation.actions.trail import SYSTEM
from annotation.audit import make_audit
from annotation.domain.audit.summary import lines
from annotation.queries.named import NotFound, benchmark_named, release_named
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Measure how much of a benchmark's key can be found without its videos, and keep the "
        "report. Without --release the benchmark is audited as it stands."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--release", default="", metavar="TAG")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["slug"])
            tag = options["release"]
            release = release_named(benchmark, tag) if tag else None
        except NotFound as error:
            raise self.refuse(error, as_json=options["json"]) from None
        asked = request_audit(benchmark=benchmark, release=release, by=SYSTEM)
        report = make_audit(asked.pk)
        if report is None:
            reason = f"{benchmark.slug} is being audited already; see its audit page."
            raise self.refuse(reason, as_json=options["json"])
        if options["json"]:
            names = {"benchmark": benchmark.slug, "release": release.tag if release else None}
            self.stdout.write(json.dumps(names | report))
        else:
            self.stdout.write("\n".join(lines(report)))
