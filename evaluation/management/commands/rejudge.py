"""manage.py rejudge: let a judge mark the stored free responses of a run once more."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from evaluation.actions.rejudging import rejudge_run
from evaluation.actions.run_checks import REPEATS_LIMIT, RunRefused
from evaluation.management.commands.start_run import (
    SETTLED,
    account,
    find_model,
    read_budget,
    work_here,
)
from evaluation.models import Contestant, Run
from evaluation.models.run import RunState
from evaluation.queries.rejudging import judging_cost


class Command(BaseCommand):
    help = (
        "Let a judge mark the stored free responses of a run once more. No model is asked, and"
        " the verdicts stand beside the old ones."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", type=int, help="number of the run")
        parser.add_argument("--judge", required=True, help="name or slug of the judge")
        parser.add_argument("--budget", default="", help="US dollars that are never exceeded")
        parser.add_argument("--times", type=int, default=1, help="so often; tells how stable it is")
        parser.add_argument(
            "--swapped", action="store_true", help="the answer before the reference; tells whether"
            " the order of the fields sways the judge"
        )  # fmt: skip
        parser.add_argument("--here", action="store_true", help="work in this process, and wait")
        parser.add_argument("--dry-run", action="store_true", help="only show what it would cost")
        parser.add_argument("--by", default="", help="account that starts it; default: an admin")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        run = Run.objects.select_related("contestant").filter(pk=options["run"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run']}.")
        if not 1 <= options["times"] <= REPEATS_LIMIT:
            raise CommandError(f"--times goes from 1 to {REPEATS_LIMIT}.")
        judge = find_model(options["judge"])
        if options["dry_run"]:
            self.tell_cost(run, judge, options)
            return
        made = [self.begin(run, judge, options) for _ in range(options["times"])]
        if options["here"]:
            for one in made:
                work_here(one, is_settled)
        self.tell(run, made, as_json=options["json"])

    def tell_cost(self, run: Run, judge: Contestant, options: dict[str, Any]) -> None:
        """Print what it would take, all times together."""
        found, times = judging_cost(run, judge), options["times"]
        cost = None if found.cost is None else found.cost * times
        if options["json"]:
            facts = {"answers": found.answers, "calls": found.answers * times}
            money = {"cost": None if cost is None else str(cost)}
            self.stdout.write(json.dumps(facts | money))
            return
        price = "cost unknown, no price is set" if cost is None else f"about ${cost:.4f}"
        self.stdout.write(
            f"{found.answers} free responses, {found.answers * times} calls, {price}."
            " Nothing was started."
        )

    def begin(self, run: Run, judge: Contestant, options: dict[str, Any]) -> Run:
        """Queue one marking. Raises CommandError where it is refused."""
        budget = read_budget(options["budget"])
        if budget is None:
            raise CommandError("Say with --budget how many dollars it may cost at most.")
        try:
            return rejudge_run(
                run=run, judge=judge, budget=budget, by=account(options["by"]),
                swapped=options["swapped"], beside=options["times"] > 1,
            )  # fmt: skip
        except RunRefused as error:
            raise CommandError(str(error)) from None

    def tell(self, run: Run, made: list[Run], *, as_json: bool) -> None:
        """Print what was queued or done. Raises CommandError where one has failed."""
        for one in made:
            one.refresh_from_db()
        if as_json:
            rows = [
                {"run": one.pk, "repeat": one.judge_repeat, "state": one.state,
                 "verdicts": one.verdicts.filter(failed=False).count(), "spent": str(one.spent)}
                for one in made
            ]  # fmt: skip
            self.stdout.write(json.dumps({"rejudges": run.pk, "runs": rows}))
        else:
            for one in made:
                self.stdout.write(
                    f"Run {one.pk} judges run {run.pk} ({run.contestant.name}) by"
                    f" {one.judge_label}: {one.state}. {one.state_reason}"
                )
        bad = [one for one in made if one.state in (RunState.FAILED, RunState.PAUSED)]
        if bad:
            raise CommandError(f"Run {bad[0].pk} is {bad[0].state}: {bad[0].state_reason}")


def is_settled(run: Run) -> bool:
    run.refresh_from_db()
    return run.state in SETTLED
