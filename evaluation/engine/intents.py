"""Calls that were begun and whose end nobody will tell: lost with their worker, or never made.

Call these inside a transaction that holds the run's row.
"""

from collections.abc import Collection, Iterator
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.engine import money, months, statements
from evaluation.engine.statements import LockedRun
from evaluation.models import Call, Run, WorkItem
from evaluation.models.run import CallState, Stage, WorkState
from sonovqa.adapters.errors import ErrorClass


def lose(run: LockedRun, items: Collection[WorkItem]) -> None:
    """Count the calls under way of claimed `items` as lost, at the most they may have cost."""
    calls = _under_way(items)
    total = sum((call.reserved for call in calls), Decimal(0))
    months.move(_moves(run.pk, items, calls, billed=True))
    Call.objects.filter(pk__in=[call.pk for call in calls]).update(
        state=CallState.LOST,
        cost=F("reserved"),
        settled_at=timezone.now(),
        error_class=ErrorClass.LOST,
    )
    money.move(run, spent=total, reserved=-total)


@transaction.atomic
def give_back(run_id: int, *, token: str, known: Collection[int]) -> int:
    """Give back the work items that the pump with `token` holds and does not know of; say how
    many.

    A turn whose commit succeeded while its answer was lost has claimed them. They were never
    asked: their intents go, and so do their reservations.
    """
    run = statements.lock(run_id)
    held = WorkItem.objects.filter(run=run_id, token=token).exclude(pk__in=known)
    held.filter(state=WorkState.WAITING).update(token="")  # a sweep was quicker
    items = list(held.filter(state=WorkState.CLAIMED))
    calls = _under_way(items)
    months.move(_moves(run_id, items, calls, billed=False))
    money.move(run, reserved=-sum((call.reserved for call in calls), Decimal(0)))
    Call.objects.filter(pk__in=[call.pk for call in calls]).delete()
    statements.put_back(item.pk for item in items)
    return len(items)


def _under_way(items: Collection[WorkItem]) -> list[Call]:
    attempts = {item.pk: item.attempt for item in items}
    calls = Call.objects.filter(work_item__in=attempts, state=CallState.INTENT)
    return [call for call in calls if call.attempt == attempts[call.work_item_id]]


def _moves(
    run_id: int, items: Collection[WorkItem], calls: Collection[Call], *, billed: bool
) -> Iterator[months.Move]:
    """Give the money of calls, by the provider that each goes to."""
    found = Run.objects.select_related("contestant", "judge").get(pk=run_id)
    stages = {item.pk: item.stage for item in items}
    for call in calls:
        to_judge = stages[call.work_item_id] == Stage.JUDGE and found.judge is not None
        asked = found.judge if to_judge and found.judge else found.contestant
        spent = call.reserved if billed else Decimal(0)
        month = months.month_of(call.started_at)
        yield months.Move(asked.provider_id, month, spent, -call.reserved)
