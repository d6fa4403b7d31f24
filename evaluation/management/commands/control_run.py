"""manage.py control_run: pause, resume or cancel a run, or ask again what failed."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.actions.run_checks import RunRefused
from evaluation.management.commands.show_run import find_run
from evaluation.management.commands.start_run import account
from evaluation.run_actions import CONTROLS, control


class Command(BaseCommand):
    help = "Pause, resume or cancel a run, or ask again what failed. Twice changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, help="number of the run")
        parser.add_argument("action", choices=CONTROLS)
        parser.add_argument("--by", default="", help="account that does it; default: an admin")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        run = find_run(options["run"])
        try:
            done = control(name=options["action"], run=run, by=account(options["by"]))
        except RunRefused as error:
            raise CommandError(str(error)) from None
        run.refresh_from_db()
        if options["json"]:
            facts = {"run": run.pk, "state": run.state, "changed": done.changed}
            self.stdout.write(json.dumps(facts | {"steps": done.steps}))
            return
        again = f" {done.steps} steps are asked again." if done.steps else ""
        still = "" if done.changed else " Nothing was changed."
        self.stdout.write(f"Run {run.pk} is {run.state}.{again}{still}")
