"""Finds its way in what a narrow filter found among a million items.

What rather few items match is gathered once, by the index of words, and everything asked about
its order is taken from there. What many match is mostly dense, so the list is walked by its own
index, at most WALKED items from where the reader is and from its beginning; only where such a
walk finds too little is it gathered all the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection, transaction
from django.db.models import BooleanField, F, Func, QuerySet, Value

from annotation.models import Item
from annotation.queries.compiled import Given
from annotation.queries.expected import expected

BY_TIME = ("start", "position")  # the order within a video
IN_ORDER = ("video_position", *BY_TIME)
BACK = tuple(f"-{field}" for field in IN_ORDER)
GATHERED = 50_000  # items; what PostgreSQL expects to be more is walked through
WALKED = 5_000  # items
LISTED = 100  # items told from the beginning of the list, and from a place in it on
PLAN = (
    "SET LOCAL enable_bitmapscan TO {bitmaps};"
    " SET LOCAL max_parallel_workers_per_gather TO {workers}"
)

Place = tuple[int, float, int]
GivenPlace = tuple[Given, Given, Given]


@dataclass(frozen=True)
class NarrowList:
    """Ids in order: the `first` LISTED of all, the last one `before` a place, and the first
    LISTED `after` it."""

    first: list[int]
    before: int | None
    after: list[int]


def place_of(item: Item) -> Place:
    return (item.video_position, item.start, item.position)


class Beyond(Func):
    """Whether an item comes after a place in the list, or before it with `back`."""

    output_field = BooleanField()

    def __init__(
        self, place: Place | GivenPlace, *, back: bool = False, inclusive: bool = False
    ) -> None:
        values = (one if isinstance(one, Given) else Value(one) for one in place)
        super().__init__(*(F(field) for field in IN_ORDER), *values)
        self.sign = ("<" if back else ">") + ("=" if inclusive else "")

    def as_sql(self, compiler: Any, *_connection: Any, **_more: Any) -> tuple[str, tuple[Any, ...]]:
        parts = [compiler.compile(one) for one in self.get_source_expressions()]
        left, right = (", ".join(sql for sql, _ in half) for half in (parts[:3], parts[3:]))
        return f"({left}) {self.sign} ({right})", tuple(one for _, given in parts for one in given)


def narrow_list(
    listed: QuerySet[Item],
    every: QuerySet[Item],
    here: Place | None,
    *,
    part: QuerySet[Item] | None = None,
) -> NarrowList:
    """Return what is asked about the order of `listed`, which is a part of `every` item of its
    benchmark; without a place, its beginning alone. `part` is one of `listed` of which the
    database may know better how large it is."""
    try:
        common = is_common(listed) or (part is not None and is_common(part))
        found = None if common else gather(listed, here, most=GATHERED)
        if found is None:
            with in_list_order():
                found = walk(listed, every, here)
        return found or gather(listed, here) or NarrowList([], None, [])
    except EmptyResultSet:
        return NarrowList([], None, [])


def is_common(listed: QuerySet[Item]) -> bool:
    """Say whether so many items are expected that a walk finds some soon."""
    return connection.vendor != "postgresql" or expected(listed) > GATHERED


def walk(listed: QuerySet[Item], every: QuerySet[Item], here: Place | None) -> NarrowList | None:
    """Return what a walk of WALKED items each way finds; None where that does not tell all."""
    first = step(listed, every, None, limit=LISTED)
    if first is None or here is None:
        return None if first is None else NarrowList(first, None, [])
    after = step(listed, every, here, limit=LISTED)
    before = step(listed, every, here, limit=1, back=True)
    if after is None or before is None:
        return None
    return NarrowList(first, before[0] if before else None, after)


def step(
    listed: QuerySet[Item],
    every: QuerySet[Item],
    here: Place | None,
    *,
    limit: int,
    back: bool = False,
) -> list[int] | None:
    """Return the first `limit` of `listed` from a place on; None where WALKED items on they are
    not found and the list goes on."""
    order = BACK if back else IN_ORDER
    if here is not None:
        every = every.filter(Beyond(here, back=back))
        listed = listed.filter(Beyond(here, back=back))
    end: Place | None = every.order_by(*order).values_list(*IN_ORDER)[WALKED : WALKED + 1].first()
    near = listed.filter(Beyond(end, back=not back, inclusive=True)) if end else listed
    found = list(near.order_by(*order).values_list("pk", flat=True)[:limit])
    return found if len(found) == limit or end is None else None


@contextmanager
def in_list_order() -> Iterator[None]:
    """Have the index of the list read, and not all that hold a word beside it.

    Of a common word PostgreSQL would read half a million places in the index of words, to keep
    those of a few thousand items; that index is read by bitmaps alone.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PLAN.format(bitmaps="off", workers="0"))  # which are not worth starting
        try:
            yield
        finally:
            if not connection.needs_rollback:
                cursor.execute(PLAN.format(bitmaps="DEFAULT", workers="DEFAULT"))


def gather(
    listed: QuerySet[Item], here: Place | None, *, most: int | None = None
) -> NarrowList | None:
    """Return what is asked about the order of `listed`, finding its items once; one query. None
    where there are more than `most`, which are then not looked at further."""
    rows = listed.values_list("pk", *IN_ORDER)
    sql, given = (rows if most is None else rows[: most + 1]).query.sql_with_params()
    names = ", ".join(("id", *IN_ORDER))
    order, back = ", ".join(IN_ORDER), ", ".join(f"{field} DESC" for field in IN_ORDER)
    parts = {"first": f"ORDER BY {order} LIMIT {LISTED}"}
    if here is not None:
        parts["before"] = f"WHERE ({order}) < (%s, %s, %s) ORDER BY {back} LIMIT 1"
        parts["after"] = f"WHERE ({order}) > (%s, %s, %s) ORDER BY {order} LIMIT {LISTED}"
    asked = " UNION ALL ".join(
        f"SELECT * FROM (SELECT '{name}', found.* FROM found {part}) AS {name}_ones"  # noqa: S608  our own names
        for name, part in parts.items()
    )
    asked += " UNION ALL SELECT 'count', COUNT(*), 0, 0, 0 FROM found"
    with connection.cursor() as cursor:
        places = [*here, *here] if here else []
        cursor.execute(f"WITH found({names}) AS ({sql}) {asked}", [*given, *places])
        told = sorted(cursor.fetchall(), key=lambda row: row[2:])
    ids = {name: [row[1] for row in told if row[0] == name] for name in (*parts, "count")}
    if most is not None and ids["count"][0] > most:
        return None
    return NarrowList(ids["first"], next(iter(ids.get("before", ())), None), ids.get("after", []))
