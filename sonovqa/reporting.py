"""Commands that print a report, for people or machines, and end with status 1 on a refusal."""

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from annotation.domain.import_report import ImportReport


class PartlyRefused(CommandError):
    """Rows or files were refused; the rest was taken and stands."""


class ReportingCommand(BaseCommand):
    """Adds --json. `handle` ends with `show`, or with `refuse` where nothing could be done."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def show(self, report: ImportReport, *, as_json: bool) -> None:
        """Print `report`; raise PartlyRefused (status 1) where a row or file was refused."""
        if as_json:
            self.stdout.write(json.dumps(report.as_dict()))
        else:
            self.stdout.write("\n".join(report.lines()))
        if not report.ok:
            count = sum(tally.refused for tally in report.tallies.values())
            what = "row or file was" if count == 1 else "rows or files were"
            raise PartlyRefused(f"{count} {what} refused; the rest stands.")

    def refuse(self, reason: object, *, as_json: bool) -> CommandError:
        """Return the error to raise where nothing was done; for machines, print it too."""
        if as_json:
            self.stdout.write(json.dumps({"ok": False, "error": str(reason)}))
        return CommandError(str(reason))
