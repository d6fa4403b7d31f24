"""Where a reader goes from an item: one back, one on, the next open one.

The list runs video by video, and within a video as time runs: MCQs and free-response items
about one moment stand side by side.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import QuerySet

from annotation.models import Benchmark, Item, User
from annotation.queries.compiled import Compiled, Given
from annotation.queries.narrow import (
    BACK,
    IN_ORDER,
    LISTED,
    Beyond,
    NarrowList,
    place_of,
)
from annotation.queries.queue import SHOWS, STATE_SHOWN, Filter, matching, near, shown
from annotation.queries.standing import own_fresh


@dataclass(frozen=True)
class Neighbours:
    """Item ids; None at the ends. `open` is the next item without an own vote; `found` the
    beginning of the list of a narrow filter, None for another."""

    previous: int | None
    next: int | None
    open: int | None
    found: list[int] | None = None


def neighbours(user: User, benchmark: Benchmark, item: Item, wanted: Filter) -> Neighbours:
    """Return where to go from `item` in the list that `wanted` shows."""
    if wanted.is_narrow:
        found = near(user, benchmark, wanted, item)
        goes_on = open_in(found, user, item, wanted)
        return Neighbours(found.before, next(iter(found.after), None), goes_on, found.first)
    return Neighbours(
        following(user, item, wanted.show, back=True),
        following(user, item, wanted.show),
        next_open(user, benchmark, item, wanted),
    )


def open_in(found: NarrowList, user: User, item: Item, wanted: Filter) -> int | None:
    """Return the next open item of a narrow list, beginning again at its end.

    Where votes are what is listed, that is the next one. Only a reader who has voted on all
    that is told of the list has the rest of it looked through.
    """
    told = [*found.after, *found.first]
    voted: Collection[int] = {item.pk}
    if wanted.show not in (*STATE_SHOWN, "todo"):
        own = own_fresh(user).filter(item_id__in=told).order_by()
        voted = {item.pk, *own.values_list("item_id", flat=True)}
    ahead = [pk for pk in found.after if pk not in voted]
    if ahead:
        return ahead[0]
    behind = [pk for pk in found.first if pk not in voted]
    is_all = len(found.after) < LISTED and (behind or len(found.first) < LISTED)
    if is_all:
        return next(iter(behind), None)
    rest = near(user, item.benchmark, wanted, item, waiting=True)
    return next(iter([*rest.after, *rest.first]), None)


def next_open(
    user: User, benchmark: Benchmark, item: Item | None = None, wanted: Filter | None = None
) -> int | None:
    """Return the first item after `item` that waits for the reader's vote, else one before it.

    In a list of disagreements or stale votes it is the next of that list.
    """
    show = wanted.show if wanted and wanted.show not in ("all", "") else "todo"
    asked = Filter(show, wanted.text if wanted else "")
    if item is None and wanted and wanted.is_narrow:
        return next(iter(near(user, benchmark, asked, None).first), None)
    if item is None:
        return first_of(matching(user, benchmark, asked))
    ahead = following(user, item, show)
    return ahead or first_of(matching(user, benchmark, asked).exclude(pk=item.pk))


def following(user: User, item: Item, show: str, *, back: bool = False) -> int | None:
    """Return the item after `item` among those that one of SHOWS lets through, or before it."""
    place = dict(zip(IN_ORDER, place_of(item), strict=True))
    found = STEPS[show, back].first(user=user.pk, benchmark=item.benchmark_id, **place)
    return None if found is None else int(found)


def first_of(listed: QuerySet[Item], *, back: bool = False) -> int | None:
    """Return the first item of `listed`, or the last; walks the list by its index."""
    return ordered(listed, back=back).first()


def ordered(listed: QuerySet[Item], *, back: bool = False) -> QuerySet[Item, Any]:
    return listed.order_by(*(BACK if back else IN_ORDER)).values_list("pk", flat=True)


def step(
    show: str,
    back: bool,
    user: Given,
    benchmark: Given,
    video_position: Given,
    start: Given,
    position: Given,
) -> QuerySet[Item, Any]:
    beyond = Beyond((video_position, start, position), back=back)
    return ordered(shown(user, benchmark, show).filter(beyond), back=back)[:1]


STEPS = {
    (show, back): Compiled(partial(step, show, back)) for show in SHOWS for back in (False, True)
}
