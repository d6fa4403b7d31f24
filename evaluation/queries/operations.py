"""Figures for those who run the site: runs, calls, workers, money. Bounded queries."""

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Count, Sum
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import workers
from evaluation.engine.months import MICRO, month_of
from evaluation.models import Call, MonthSpend, Provider, PumpLease, Run, WorkItem
from evaluation.models.run import RunState
from evaluation.models.spending import SITE

RECENT = 300  # seconds in which calls are counted
ALIVE = (RunState.QUEUED, RunState.RUNNING, RunState.PAUSED, RunState.CANCELLING)

Figure = tuple[str, str, dict[str, str], float]  # name, help, labels, value


def figures() -> Iterator[Figure]:
    """Give every figure; names are those of Prometheus without the prefix."""
    yield from _runs()
    yield from _calls()
    yield from _workers()
    yield from _money()


def _runs() -> Iterator[Figure]:
    states = dict(Run.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in RunState.values:
        yield "runs", "Runs by state.", {"state": state}, states.get(state, 0)
    steps = WorkItem.objects.filter(run__state__in=ALIVE).order_by()
    for state, count in steps.values_list("state").annotate(Count("pk")):
        yield "work_items", "Steps of runs under way by state.", {"state": state}, count
    flying = PumpLease.objects.filter(lease_until__gt=Now()).aggregate(n=Sum("in_flight"))["n"]
    yield "calls_in_flight", "Calls to models under way.", {}, flying or 0
    yield "stuck_runs", "Runs that stand still.", {}, len(workers.stuck_runs())


def _calls() -> Iterator[Figure]:
    since = timezone.now() - timedelta(seconds=RECENT)
    recent = Call.objects.filter(settled_at__gte=since).order_by()
    for error_class, count in recent.values_list("error_class").annotate(Count("pk")):
        labels = {"outcome": error_class or "reply"}
        yield "calls_recent", "Calls settled in the last five minutes.", labels, count


def _workers() -> Iterator[Figure]:
    crew = workers.crew()
    for state, names in (("alive", crew.alive), ("silent", crew.silent), ("dead", crew.dead)):
        yield "workers", "Workers; silent ones are alive too.", {"state": state}, len(names)
    resting = Provider.objects.exclude(breaker={}).count()
    yield "providers_resting", "Providers left alone because they fail.", {}, resting


def _money() -> Iterator[Figure]:
    names = dict(Provider.objects.values_list("pk", "name")) | {SITE: "all"}
    rows = MonthSpend.objects.filter(month=month_of(timezone.now()))
    for row in rows.order_by("scope"):
        labels = {"provider": names.get(row.scope, str(row.scope))}
        spent, reserved = float(row.spent / MICRO), float(row.reserved / MICRO)
        yield "month_spent_dollars", "Settled cost of this month.", labels, spent
        yield "month_reserved_dollars", "Reserved of this month.", labels, reserved
