"""manage.py prepare: tables, first accounts, demo benchmark, and a published benchmark."""

import os
import re
import secrets
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from annotation.actions.accounts import make_account
from annotation.models import Role, User
from evaluation.domain import result_folders
from evaluation.models import Run
from evaluation.models.run import Origin
from sonovqa import secret_store, start_check
from sonovqa.reporting import PartlyRefused

FIRST_ACCOUNTS = {
    "clinician": Role.REVIEWER,
    "adjudicator": Role.ADJUDICATOR,
    "maintainer": Role.MAINTAINER,
    "admin": Role.ADMIN,
}
NAMES = {"rexsonovqa": "ReXSonoVQA"}  # of benchmarks known by the folder of their clone


class Command(BaseCommand):
    help = "Bring the tables up to date, make the first accounts and the demo benchmark."
    requires_system_checks: list[str] = []  # migrate runs them

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--benchmark", default="", help="folder of a published benchmark")
        parser.add_argument("--slug", default="", help="its slug; by default the folder's name")
        parser.add_argument("--no-demo", action="store_true")

    def handle(self, *, benchmark: str, slug: str, no_demo: bool, **options: Any) -> None:
        try:
            start_check.check_folder(settings.VAR)
        except start_check.CannotStart as reason:
            raise CommandError(str(reason)) from None
        clone = Path(benchmark).expanduser()
        if not clone.is_dir():  # said before the demo takes its time
            raise CommandError(f"BENCHMARK={clone} is not a folder.")
        call_command("migrate", verbosity=0, interactive=False)
        self.make_first_accounts()
        if not no_demo:
            call_command("make_demo", stdout=self.stdout)
        if benchmark:
            self.bring_in(clone, slug)

    def make_first_accounts(self) -> None:
        """Make the accounts at the first start only; write the logins down for their user.

        They are printed by `up` alone, so that a first start does not show them twice.
        """
        logins = settings.VAR / "logins.txt"
        with transaction.atomic():
            if User.objects.exists():
                return
            lines = []
            for username, role in FIRST_ACCOUNTS.items():
                password = secrets.token_urlsafe(15)
                make_account(username=username, role=role, password=password)
                lines.append(f"{username:<12} {password}\n")
            logins.unlink(missing_ok=True)  # of a database that is gone
            secret_store.publish(logins, "".join(lines))
        self.stdout.write(f"Made {len(lines)} accounts; their passwords stand in {logins}.")

    def bring_in(self, clone: Path, slug: str) -> None:
        """Import a clone of the published benchmark and the results in it."""
        slug = slug or slug_of(clone)
        self.take("import_benchmark", clone, slug=slug, name=name_of(clone))
        for result_set in result_folders.find(clone):
            self.bring_in_results(slug, result_set)

    @transaction.atomic  # a model's MCQs and free responses come in together or not at all
    def bring_in_results(self, slug: str, results: result_folders.ResultSet) -> None:
        """Import the results of one model, unless they are there already."""
        runs = Run.objects.filter(benchmark__slug=slug, contestant__name=results.model)
        if runs.filter(origin=Origin.IMPORT).exists():
            return
        for folder in results.folders:
            self.take("import_predictions", folder, benchmark=slug, model=results.model)

    def take(self, command: str, folder: Path, **options: Any) -> None:
        """Import `folder`; where rows of it are refused, say so and go on with the rest."""
        try:
            call_command(command, os.fspath(folder), stdout=self.stdout, **options)
        except PartlyRefused as error:
            self.stderr.write(f"{folder.name}: {error} Going on with what came in.")


def slug_of(folder: Path) -> str:
    """Return the slug that a folder's name gives: lower case, words joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-")[:64] or "benchmark"


def name_of(folder: Path) -> str:
    """Return the full name of the benchmark that a clone is known to hold, else ""."""
    return NAMES.get(re.sub("-(main|master)$", "", slug_of(folder)), "")
