"""Moves money on a run: reserved before a call, spent after it."""

from decimal import Decimal

from evaluation.engine.statements import LockedRun
from evaluation.models import Run

NOTHING = Decimal(0)


def move(run: LockedRun, *, spent: Decimal = NOTHING, reserved: Decimal = NOTHING) -> None:
    """Add to what is spent and reserved, in dollars; either may be negative.

    Call it with the run's row locked: sums are made here and not in the database, because
    SQLite adds decimals as floats and so would end a hair below zero.
    """
    if not spent and not reserved:
        return
    run.spent += spent
    run.reserved += reserved
    Run.objects.filter(pk=run.pk).update(spent=run.spent, reserved=run.reserved)
