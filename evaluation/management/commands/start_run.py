"""manage.py start_run: start a run of a model on a release."""

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Benchmark, Release, User
from annotation.models.account import Role
from evaluation.actions.entries import publish_entry
from evaluation.actions.run_checks import RunRefused, check_run
from evaluation.actions.runs import NOTHING_TO_ASK, create_run, start_run
from evaluation.engine.plan import RUNNABLE
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep_run
from evaluation.models import Contestant, Run
from evaluation.models.run import RunState
from evaluation.queries.estimate import estimate
from evaluation.queries.run_progress import Progress, progress

SETTLED = frozenset({RunState.DONE, RunState.FAILED, RunState.CANCELLED, RunState.PAUSED})
SILENCE = 20.0  # seconds without a worker after which the command says so
LOOK = 0.5  # seconds between two looks at the run


class Command(BaseCommand):
    help = "Start a run of a model on a release; with --wait stay until it is settled."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--benchmark", required=True, help="slug")
        parser.add_argument("--release", required=True, help="tag")
        parser.add_argument("--model", required=True, help="name or slug of the model")
        shown = ", ".join(sorted(RUNNABLE))
        parser.add_argument("--condition", required=True, help=f"what the model is shown: {shown}")
        parser.add_argument("--judge", default="", help="name or slug of the judge")
        parser.add_argument("--budget", default="", help="US dollars that are never exceeded")
        parser.add_argument("--repeats", type=int, default=1)
        parser.add_argument(
            "--circular", action="store_true", help="ask every rotation of an MCQ's options"
        )
        parser.add_argument("--strict", action="store_true", help="never pay twice for an item")
        parser.add_argument("--wait", action="store_true", help="until the run is settled")
        parser.add_argument("--here", action="store_true", help="work in this process, and wait")
        parser.add_argument("--publish", action="store_true", help="publish the entry when done")
        parser.add_argument("--dry-run", action="store_true", help="only show the estimate")
        parser.add_argument("--by", default="", help="account that starts it; default: an admin")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, **options: Any) -> None:
        self.as_json = options["json"]
        release, contestant, judge = self.find(options)
        if options["dry_run"]:
            self.show_estimate(release, contestant, judge, options)
            return
        by = account(options["by"])
        try:
            run = create_run(
                benchmark=release.benchmark,
                release=release,
                contestant=contestant,
                condition=options["condition"],
                judge=judge,
                budget=read_budget(options["budget"]),
                repeats=options["repeats"],
                circular=options["circular"],
                strict=options["strict"],
                publish_when_done=options["publish"],
                by=by,
            )
            start_run(run=run, by=by)
        except RunRefused as error:
            raise CommandError(str(error)) from None
        self.say(f"Run {run.pk} of {contestant.name} ({run.condition}) is queued.")
        if options["here"]:
            work_here(run, is_settled)
        elif options["wait"]:
            self.wait(run)
        self.finish(run, options)

    def find(self, options: dict[str, Any]) -> tuple[Release, Contestant, Contestant | None]:
        """Return release, model and judge. Raises CommandError that names what is missing."""
        slug, tag = options["benchmark"], options["release"]
        benchmark = Benchmark.objects.filter(slug=slug).first()
        if benchmark is None:
            raise CommandError(f"There is no benchmark {slug!r}.")
        release = benchmark.releases.filter(tag=tag).select_related("benchmark").first()
        if release is None:
            raise CommandError(f"The benchmark {slug!r} has no release {tag!r}.")
        judge = find_model(options["judge"]) if options["judge"] else None
        return release, find_model(options["model"]), judge

    def show_estimate(
        self,
        release: Release,
        contestant: Contestant,
        judge: Contestant | None,
        options: dict[str, Any],
    ) -> None:
        """Print the estimate. Raises CommandError where the run itself would be refused."""
        try:
            check_run(
                benchmark=release.benchmark,
                release=release,
                contestant=contestant,
                condition=options["condition"],
                judge=judge,
                budget=read_budget(options["budget"]),
                repeats=options["repeats"],
                circular=options["circular"],
                publish_when_done=options["publish"],
            )
        except RunRefused as error:
            raise CommandError(str(error)) from None
        found = estimate(
            release=release,
            contestant=contestant,
            condition=options["condition"],
            judge=judge,
            repeats=options["repeats"],
            circular=options["circular"],
        )
        if not found.items:
            raise CommandError(NOTHING_TO_ASK)
        if self.as_json:
            self.stdout.write(json.dumps(found.as_json()))
            return
        cost = "unknown, no price is set" if found.cost is None else f"${found.cost:.2f}"
        self.say(
            f"{found.items} items ({found.mcq} MCQ, {found.free} free), {found.calls} calls,"
            f" about {found.tokens_in + found.tokens_out} tokens, cost {cost},"
            f" about {found.seconds:.0f} s. Nothing was started."
        )

    def wait(self, run: Run) -> None:
        """Print the progress until workers have settled the run. Raises CommandError where
        no worker takes it up."""
        began, shown = time.monotonic(), ""
        while not is_settled(run):
            time.sleep(LOOK)
            now = progress(run)
            if not now.pumps and run.started_at is None and time.monotonic() - began > SILENCE:
                raise CommandError(
                    f"No worker has taken up run {run.pk}. It stays queued: start workers"
                    " (manage.py up), or start it with --here to work in this process."
                )
            line = progress_line(now)
            if line != shown:
                self.say(line)
                shown = line

    def finish(self, run: Run, options: dict[str, Any]) -> None:
        """Publish where asked, print the outcome. Raises CommandError where it is no success."""
        run.refresh_from_db()
        entry = run.entries.order_by("-version").first()
        if options["publish"] and entry is not None and entry.published_at is None:
            entry = publish_entry(entry=entry, by=run.started_by or account(""))
        now = progress(run)
        if self.as_json:
            published = entry is not None and entry.published_at is not None
            self.stdout.write(
                json.dumps(
                    {
                        "run": run.pk,
                        "state": run.state,
                        "reason": run.state_reason,
                        "done": now.counts.done,
                        "failed": now.counts.failed,
                        "answers": now.counts.total,
                        "spent": str(run.spent),
                        "published": published,
                    }
                )
            )
        elif options["wait"] or options["here"]:
            self.say(f"Run {run.pk} is {run.state}. {run.state_reason} {progress_line(now)}")
        if run.state in (RunState.FAILED, RunState.CANCELLED, RunState.PAUSED):
            raise CommandError(f"Run {run.pk} is {run.state}: {run.state_reason}")

    def say(self, line: str) -> None:
        """Print for people: beside the JSON where that is asked for."""
        (self.stderr if self.as_json else self.stdout).write(line)


def work_here(run: Run, is_settled: Callable[[Run], bool]) -> None:
    """Pump in this process until the run is settled."""
    while not is_settled(run):
        if not pump(run.pk):
            time.sleep(LOOK)
        sweep_run(run.pk)


def is_settled(run: Run) -> bool:
    run.refresh_from_db()
    return run.state in SETTLED and (run.state != RunState.DONE or run.entries.exists())


def account(name: str) -> User:
    """Return the account that pays. Raises CommandError without one."""
    users = User.objects.filter(is_active=True)
    found = users.filter(username=name) if name else users.filter(role=Role.ADMIN)
    user = found.order_by("pk").first()
    if user is None:
        raise CommandError(f"There is no account {name!r}." if name else "There is no admin.")
    return user


def find_model(name: str) -> Contestant:
    """Return the model of that name or slug. Raises CommandError and lists what there is."""
    models = Contestant.objects.select_related("provider")
    found = models.filter(name=name).first() or models.filter(slug=name).first()
    if found is None:
        names = models.values_list("name", flat=True)[:20]
        known = ", ".join(f"“{one}”" for one in names) or "none yet"
        raise CommandError(f"There is no model “{name}”; there are: {known}.")
    return found


def read_budget(text: str) -> Decimal | None:
    """Return the budget in dollars. Raises CommandError where it is no number."""
    try:
        return Decimal(text) if text else None
    except InvalidOperation:
        raise CommandError(f"The budget {text!r} is no number.") from None


def progress_line(now: Progress) -> str:
    """Return one line about the progress."""
    counts = now.counts
    left = "" if now.seconds_left is None else f", {now.seconds_left:.0f} s left"
    return (
        f"{counts.settled}/{counts.total} settled, {counts.failed} failed,"
        f" {counts.in_flight} in flight, {now.speed:.1f} calls/s, ${now.spent:.4f}{left}"
    )
