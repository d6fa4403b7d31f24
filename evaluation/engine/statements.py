"""The statements of every turn, in SQL that SQLite and PostgreSQL both take.

A run makes a hundred turns a second, and most of the time of a turn went into building these
same statements anew; here they are written down. Each is called inside the turn's transaction,
and all but `lock` after it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import connection
from django.utils import timezone

from evaluation.engine.clock import later
from evaluation.models import Run
from evaluation.models.run import WorkState

MONEY = Decimal("0.000001")
WORK = "evaluation_workitem"


@dataclass
class LockedRun:
    """What a turn needs to know of its run, while it holds the row; money in dollars."""

    pk: int
    state: str
    budget: Decimal | None
    spent: Decimal
    reserved: Decimal


@dataclass(frozen=True, slots=True)
class Taken:
    """A work item that has just been claimed."""

    pk: int
    version_id: int
    repeat: int
    stage: str
    attempt: int
    faults: int


def lock(run_id: int) -> LockedRun:
    """Lock the run's row: turns, sweeps and state changes of one run go one after another.

    Raises Run.DoesNotExist.
    """
    end = " FOR UPDATE" if connection.features.has_select_for_update else ""
    statement = "SELECT state, budget, spent, reserved FROM evaluation_run WHERE id = %s"
    found = _rows(statement + end, [run_id])
    if not found:
        raise Run.DoesNotExist(f"there is no run {run_id}")
    state, budget, spent, reserved = found[0]
    limit = None if budget is None else _money(budget)
    return LockedRun(run_id, state, limit, _money(spent), _money(reserved))


def take(run_id: int, stage: str, limit: int, *, token: str, lease: float) -> list[Taken]:
    """Claim up to `limit` work items of a stage that are due, for the holder of `token`.

    Items that another transaction is claiming just now are passed over, and so are those that a
    sweep took away from this very holder: their replies are still to come.
    """
    until, seconds = later(lease)
    now, none = later(0)
    skip = " FOR UPDATE SKIP LOCKED"
    end = skip if connection.features.has_select_for_update_skip_locked else ""
    # Only the dialect's clock and lock are put in; every value is a parameter. Materialized,
    # because PostgreSQL may run a subquery once a row, and each time it would skip the rows that
    # it has locked itself and find others: more than `limit` in the end.
    statement = (
        f"WITH due AS MATERIALIZED (SELECT id FROM {WORK} WHERE run_id = %s"  # noqa: S608
        " AND state = 'waiting' AND stage = %s AND token <> %s AND (not_before IS NULL"
        f" OR not_before <= {now}) LIMIT %s{end})"
        f" UPDATE {WORK} SET state = 'claimed', token = %s, attempt = attempt + 1,"
        f" lease_until = {until} WHERE id IN (SELECT id FROM due)"
        " RETURNING id, item_version_id, repeat, stage, attempt, faults"
    )
    found = _rows(statement, [run_id, stage, token, none, limit, token, seconds])
    return [Taken(*row) for row in sorted(found)]


def put_back(items: Iterable[int]) -> None:
    """Give back items that this very transaction has claimed."""
    ids = list(items)
    if ids:
        _run(
            f"UPDATE {WORK} SET state = 'waiting', token = '', attempt = attempt - 1,"  # noqa: S608
            f" lease_until = NULL WHERE id IN ({_marks(ids)})",
            ids,
        )


def held(items: Iterable[int], token: str) -> dict[int, tuple[int, str]]:
    """Return attempt and state of those of `items` that the holder of `token` may finish:
    claimed ones, and those that a sweep took away and nobody has claimed since."""
    ids = list(items)
    found = _rows(
        f"SELECT id, attempt, state FROM {WORK} WHERE token = %s"  # noqa: S608
        f" AND state IN ('claimed', 'unknown', 'waiting') AND id IN ({_marks(ids)})",
        [token, *ids],
    )
    return {pk: (attempt, state) for pk, attempt, state in found}


def finish(items: Iterable[int]) -> None:
    """Mark items as done. The caller has asked `held`."""
    ids = list(items)
    if ids:
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        _run(
            f"UPDATE {WORK} SET state = %s, finished_at = %s, lease_until = NULL,"  # noqa: S608
            f" error_class = '', error_message = '' WHERE id IN ({_marks(ids)})",
            [WorkState.DONE.value, now, *ids],
        )


def _rows(statement: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def _run(statement: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def _marks(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values)) or "NULL"


def _money(value: Any) -> Decimal:
    """SQLite keeps decimals as floats."""
    return Decimal(str(value)).quantize(MONEY)
