"""One page of the items that a search finds, and how many there are.

Up to EXACT items are gathered, counted and sorted; a search that finds more is not counted,
stands in the order of the benchmark, and each page looks at the next WALK places alone.
So a page asks for the same few queries, and takes about the same time, at any size.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.cache import cache
from django.db import connection
from django.db.models import Exists, Max, OuterRef, QuerySet

from annotation.models import Benchmark, Item, Review, User
from annotation.queries.counts import EXACT_UP_TO, KEPT_FOR, item_count
from annotation.queries.expected import expected
from annotation.queries.find_filters import LENGTH, found_items, wanted_videos
from annotation.queries.queue import Entry, own_entries
from annotation.queries.text_search import SIFTED, sifted

A_PAGE = 50
EXACT = 10_000  # items; above it a search is not counted
DENSE = 20_000  # items; what PostgreSQL expects to be more is walked at once, and not counted
WALK = 50_000  # places of the benchmark that one page looks at, where there are more
MOST_NAMES = 200  # categories, types or readers offered
CURSOR = re.compile(r"(-?\d{1,12}(?:\.\d{1,20})?)~(\d{1,19})")
SORTS = {
    "": "Benchmark order",
    "short": "Shortest window first",
    "long": "Longest window first",
    "new": "Last edited first",
}
SORT_KEYS: dict[str, tuple[int, Any]] = {
    "": (1, "position"),
    "short": (1, LENGTH),
    "long": (-1, LENGTH),
    "new": (-1, "current_id"),
}
Key = tuple[float, int]


@dataclass(frozen=True)
class Found:
    """One item found, as its reader may see it; `length` of the window in seconds."""

    entry: Entry
    item: Item
    length: float


@dataclass(frozen=True)
class FoundPage:
    """`count` is None above EXACT. `next` and `previous` are cursors, "" where nothing follows.
    `first` is the number of the first row among all, None where they are not counted; `walked`
    says that the rows end at the place up to which the page looked."""

    rows: list[Found]
    count: int | None
    first: int | None
    next: str
    previous: str
    walked: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.rows) == A_PAGE

    @property
    def last(self) -> int | None:
        return self.first + len(self.rows) - 1 if self.first else None


def key_of(cursor: str) -> Key:
    """Return where a page begins, from the address. Raises ValueError."""
    match = CURSOR.fullmatch(cursor)
    if not match:
        raise ValueError("The place in the list cannot be understood.")
    return float(match[1]), int(match[2])


def cursor_of(key: Key) -> str:
    return f"{key[0]:.9f}".rstrip("0").rstrip(".") + f"~{key[1]}"


def find(user: User, benchmark: Benchmark, wanted: dict[str, Any]) -> FoundPage:
    """Return one page of what `wanted` (a checked FindForm) lets through."""
    items = found_items(user, benchmark, wanted)
    last = last_place(benchmark)  # outside: what sifts the words has the index of places not read
    walk = partial(walked_page, user, benchmark, items, wanted, last=last)
    with sifted(wanted.get("q") or "", state=wanted.get("settled") or "") as rare:
        likely = expected(items)
        if not rare and not wanted.get("sort") and likely > DENSE:
            page = walk(places=WALK)
            if page.is_full:
                return page
        number = items[: (SIFTED if rare else EXACT) + 1].count() if likely > EXACT else 0
        keys = gathered(items, wanted.get("sort") or "") if number <= EXACT else None
        if keys is not None:
            return counted_page(user, benchmark, keys, wanted)
        if rare and number <= SIFTED:
            return walk(places=last + 1)
    return walk(places=WALK)


def last_place(benchmark: Benchmark) -> int:
    """Return the place of the last item of a benchmark, 0 without one."""
    found = Item.objects.filter(benchmark=benchmark).aggregate(last=Max("position"))["last"]
    return int(found or 0)


def counted_page(
    user: User, benchmark: Benchmark, keys: list[Key], wanted: dict[str, Any]
) -> FoundPage:
    """Return the page of what was gathered that begins at a place."""
    if wanted.get("before"):
        start = max(0, bisect_left(keys, key_of(wanted["before"])) - A_PAGE)
    else:
        start = bisect_right(keys, key_of(wanted["after"])) if wanted.get("after") else 0
    shown = keys[start : start + A_PAGE]
    more = start + A_PAGE < len(keys)
    return FoundPage(
        rows_of(user, benchmark, [pk for _, pk in shown]),
        len(keys),
        start + 1,
        cursor_of(shown[-1]) if more else "",
        cursor_of(shown[0] if shown else (keys[-1][0], keys[-1][1] + 1)) if start and keys else "",
    )


def gathered(items: QuerySet[Item], sort: str) -> list[Key] | None:
    """Return the keys by which `items` are sorted, in order; None where they are too many."""
    sign, value = SORT_KEYS[sort]
    rows = list(items.values_list(value, "pk")[: EXACT + 1])
    if len(rows) > EXACT:
        return None
    return sorted((sign * round(float(key or 0), 6), pk) for key, pk in rows)


def walked_page(
    user: User,
    benchmark: Benchmark,
    items: QuerySet[Item],
    wanted: dict[str, Any],
    *,
    last: int,
    places: int,
) -> FoundPage:
    """Return the page from a place on, in the order of the benchmark, looking at so many places
    of those up to `last`."""
    back = bool(wanted.get("before"))
    cursor = wanted.get("before") or wanted.get("after")
    here = round(key_of(cursor)[0]) if cursor else -1
    if not back:
        here = max(here, first_place(benchmark, wanted, here + 1) - 1)
    low, high = (max(0, here - places), here - 1) if back else (here + 1, min(last, here + places))
    near = items.filter(position__range=(low, high))
    near = near.order_by(*(("-position", "-pk") if back else ("position", "pk")))
    found = list(near.values_list("position", "pk")[: A_PAGE + 1])
    more, found = len(found) > A_PAGE, sorted(found[:A_PAGE])
    if more:  # the page ends with its last row, else with the last place looked at
        low, high = (found[0][0], high) if back else (low, found[-1][0])
    return FoundPage(
        rows_of(user, benchmark, [pk for _, pk in found]),
        None,
        None,
        cursor_of((float(high), 0)) if high < last else "",
        cursor_of((float(low), 0)) if low > 0 else "",
        walked=not more and (low > 0 if back else high < last),
    )


def first_place(benchmark: Benchmark, wanted: dict[str, Any], low: int) -> int:
    """Return the place from which on videos of the wanted category or title come, `low` or
    higher: of a million items most may stand before the first of them."""
    videos = wanted_videos(benchmark, wanted)
    if videos is None:
        return low
    items = Item.objects.filter(benchmark=benchmark, position__gte=low).order_by("position")
    here = items.values_list("video_position", flat=True).first()
    if here is None:
        return low
    ahead = videos.filter(position__gte=here).order_by("position").values_list("pk", flat=True)
    found = items.filter(video=ahead.first()).values_list("position", flat=True).first()
    return low if found is None else found


def rows_of(user: User, benchmark: Benchmark, ids: list[int]) -> list[Found]:
    """Return the rows of items, in the order of `ids`; two queries."""
    items = {item.pk: item for item in Item.objects.filter(pk__in=ids).select_related("video")}
    there = [items[pk] for pk in ids if pk in items]
    lines = own_entries(user, benchmark, there)
    return [
        Found(entry, item, item.end - item.start) for item, entry in zip(there, lines, strict=True)
    ]


def categories(benchmark: Benchmark) -> list[str]:
    """Return the categories of a benchmark's videos, in order."""
    return names_in("annotation_video", "category", benchmark)


def types(benchmark: Benchmark) -> list[str]:
    """Return the question types of a benchmark's items, in order."""
    return names_in("annotation_item", "question_type", benchmark)


def names_in(table: str, column: str, benchmark: Benchmark) -> list[str]:
    """Return the values of a column other than "": from one to the next, not row by row.

    Of a large benchmark they are kept for a minute.
    """
    key = f"names/{table}/{column}/{benchmark.pk}"
    found = cache.get(key)
    if found is None:
        one = f'SELECT min("{column}") FROM "{table}" WHERE benchmark_id = %s AND "{column}" >'  # noqa: S608  our own names
        sql = f"""
            WITH RECURSIVE names(name) AS (
              SELECT ({one} '')
              UNION ALL SELECT ({one} names.name) FROM names WHERE names.name IS NOT NULL
            ) SELECT name FROM names WHERE name IS NOT NULL LIMIT {MOST_NAMES}
        """  # noqa: S608  our own names
        with connection.cursor() as cursor:
            cursor.execute(sql, [benchmark.pk, benchmark.pk])
            found = [name for (name,) in cursor.fetchall()]
        if item_count(benchmark) > EXACT_UP_TO:
            cache.set(key, found, KEPT_FOR)
    return list(found)


def readers(benchmark: Benchmark) -> list[tuple[str, str]]:
    """Return id and name of those who voted on items of a benchmark, by name."""
    voted = Review.objects.filter(reviewer=OuterRef("pk"), item__benchmark=benchmark)
    found = User.objects.filter(Exists(voted)).order_by("username")[:MOST_NAMES]
    return [(str(pk), name) for pk, name in found.values_list("pk", "username")]
