"""What was spent in the present month, beside its caps."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.utils import timezone

from evaluation.engine.months import month_of
from evaluation.models import MonthSpend, Provider
from evaluation.models.spending import SITE

MICRO = Decimal(1_000_000)


@dataclass(frozen=True)
class Month:
    """Money of this month in US dollars; `cap` None: no cap."""

    name: str
    spent: Decimal
    reserved: Decimal
    cap: Decimal | None


def month_spending(providers: Collection[int]) -> list[Month]:
    """Return the month of each provider, then of the whole site. Two queries."""
    rows = MonthSpend.objects.filter(
        month=month_of(timezone.now()), scope__in=[SITE, *providers]
    ).values_list("scope", "spent", "reserved")
    sums = {scope: (spent / MICRO, reserved / MICRO) for scope, spent, reserved in rows}
    nothing = (Decimal(0), Decimal(0))
    named = Provider.objects.filter(pk__in=providers).values_list("pk", "name", "month_cap")
    found = [Month(name, *sums.get(pk, nothing), cap) for pk, name, cap in named.order_by("name")]
    site = Decimal(settings.MONTH_BUDGET) if settings.MONTH_BUDGET else None
    return [*found, Month("All providers", *sums.get(SITE, nothing), site)]
