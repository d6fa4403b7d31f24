"""Keeps the money of each month, of each provider and of the whole site, under its cap.

Every reservation holds the site's row first, so that turns of different runs go one after
another and never wait for one another in a circle. Calls without a price move nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q, Sum

from evaluation.models import Call, MonthSpend, Provider
from evaluation.models.run import CallState, Stage
from evaluation.models.spending import SITE

MICRO = Decimal(1_000_000)


@dataclass(frozen=True)
class Move:
    """Money of one call, in dollars: `spent` more, `reserved` more or (negative) less."""

    provider_id: int
    month: date
    spent: Decimal = Decimal(0)
    reserved: Decimal = Decimal(0)


def month_of(moment: datetime) -> date:
    """Return the first day of the month in which a call began, UTC."""
    return moment.astimezone(UTC).date().replace(day=1)


@dataclass
class Left:
    """What the caps of a month still cover, in dollars; None: no cap."""

    of_scope: dict[int, Decimal | None] = field(default_factory=dict)

    def covers(self, provider_id: int, cost: Decimal) -> bool:
        """Say whether both caps cover `cost`; if so it is taken off them."""
        scopes = [scope for scope in (SITE, provider_id) if self.of_scope.get(scope) is not None]
        if any(cost > (self.of_scope[scope] or Decimal(0)) for scope in scopes):
            return False
        for scope in scopes:
            self.of_scope[scope] = (self.of_scope[scope] or Decimal(0)) - cost
        return True


def left(providers: Collection[int], month: date) -> Left:
    """Lock the month's rows and return what their caps still cover. Call it in a transaction
    that goes on to `move` what it reserves."""
    rows = _lock({SITE, *providers}, month)
    caps: dict[int, Decimal | None] = {SITE: _site_cap()}
    found = Provider.objects.filter(pk__in=providers).values_list("pk", "month_cap")
    caps |= dict(found)
    return Left(
        {
            scope: None if cap is None else cap - Decimal(row.spent + row.reserved) / MICRO
            for scope, row in rows.items()
            for cap in (caps.get(scope),)
        }
    )


def move(moves: Iterable[Move]) -> None:
    """Add what calls reserved and cost to their months."""
    sums: dict[tuple[int, date], list[Decimal]] = {}
    for one in moves:
        for scope in (SITE, one.provider_id):
            total = sums.setdefault((scope, one.month), [Decimal(0), Decimal(0)])
            total[0] += one.spent
            total[1] += one.reserved
    for month in sorted({month for _, month in sums}):
        wanted = {scope: pair for (scope, at), pair in sums.items() if at == month and any(pair)}
        if wanted:
            _lock({SITE, *wanted}, month)
        for scope, (spent, reserved) in sorted(wanted.items()):
            MonthSpend.objects.filter(scope=scope, month=month).update(
                spent=F("spent") + int(spent * MICRO),
                reserved=F("reserved") + int(reserved * MICRO),
            )


def _site_cap() -> Decimal | None:
    return Decimal(settings.MONTH_BUDGET) if settings.MONTH_BUDGET else None


def _lock(scopes: Collection[int], month: date) -> dict[int, MonthSpend]:
    rows = MonthSpend.objects.select_for_update().filter(month=month)
    site = rows.filter(scope=SITE).first() or _begin(SITE, month)
    found = {row.scope: row for row in rows.filter(scope__in=scopes).order_by("scope")}
    for scope in sorted(set(scopes) - found.keys()):
        found[scope] = site if scope == SITE else _begin(scope, month)
    return found


def _begin(scope: int, month: date) -> MonthSpend:
    """Make a month's row, with what was spent before there were such rows."""
    spent, reserved = _so_far(scope, month)
    try:
        with transaction.atomic():
            MonthSpend.objects.create(scope=scope, month=month, spent=spent, reserved=reserved)
    except IntegrityError:
        pass  # another turn was quicker
    return MonthSpend.objects.select_for_update().get(scope=scope, month=month)


def _so_far(scope: int, month: date) -> tuple[int, int]:
    first = datetime.combine(month, time(), UTC)
    after = datetime.combine(month.replace(day=1), time(), UTC).replace(
        year=month.year + month.month // 12, month=month.month % 12 + 1
    )
    calls = Call.objects.filter(started_at__gte=first, started_at__lt=after)
    if scope != SITE:
        is_judge = Q(work_item__stage=Stage.JUDGE)
        calls = calls.filter(
            (is_judge & Q(work_item__run__judge__provider=scope))
            | (~is_judge & Q(work_item__run__contestant__provider=scope))
        )
    under_way = Q(state=CallState.INTENT)
    sums = calls.aggregate(
        spent=Sum("cost", filter=~under_way), reserved=Sum("reserved", filter=under_way)
    )
    spent, reserved = (Decimal(str(sums[name] or 0)) for name in ("spent", "reserved"))
    return round(spent * MICRO), round(reserved * MICRO)
