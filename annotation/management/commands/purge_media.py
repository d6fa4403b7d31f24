"""Removes cached clips and stills."""

import json
from argparse import ArgumentParser
from dataclasses import asdict

from django.core.management.base import BaseCommand

from annotation.media_purge import purge


class Command(BaseCommand):
    help = (
        "Remove clips and stills beyond their life time or beyond the store's size; "
        "they are made again when needed. Sources are never removed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="remove all of them")
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: object, **options: bool) -> None:
        done = purge(everything=options["all"], dry_run=options["dry_run"])
        if options["json"]:
            self.stdout.write(json.dumps(asdict(done)))
            return
        verb = "would be removed" if options["dry_run"] else "removed"
        self.stdout.write(
            f"{done.files} files ({done.bytes / 1e6:.1f} MB) {verb}, {done.left / 1e6:.1f} MB left"
        )
