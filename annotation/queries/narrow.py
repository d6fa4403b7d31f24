"""Finds its way in what a narrow filter found among a million items.

What few items match is read whole and put in order here. What many match is mostly dense, so the
videos are looked through in order, a step at a time; only where all steps find nothing are all
matches beyond them sorted. None looks into each video for a word that is hardly there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import QuerySet

from annotation.models import Item, Video
from annotation.queries.among import among

BY_TIME = ("start", "position")  # the order within a video
IN_ORDER = ("video__position", *BY_TIME)
FEW = 1_000  # items
STEPS = (100, 1_000)  # videos
PLAN = (
    "SET LOCAL enable_bitmapscan TO {bitmaps};"
    " SET LOCAL max_parallel_workers_per_gather TO {workers}"
)

Place = tuple[int, float, int]


@dataclass(frozen=True)
class FewItems:
    """All that matched, in order; `places` and `ids` belong together."""

    places: list[Place]
    ids: list[int]

    def before(self, item: Item) -> int | None:
        at = bisect_left(self.places, place_of(item))
        return self.ids[at - 1] if at else None

    def after(self, item: Item) -> int | None:
        at = bisect_right(self.places, place_of(item))
        return self.ids[at] if at < len(self.ids) else None

    def without(self, dropped: set[int]) -> "FewItems":
        pairs = zip(self.places, self.ids, strict=True)
        left = [(place, pk) for place, pk in pairs if pk not in dropped]
        return FewItems([place for place, _ in left], [pk for _, pk in left])


def place_of(item: Item) -> Place:
    return (item.video.position, item.start, item.position)


def few_of(listed: QuerySet[Item]) -> FewItems | None:
    """Return what matched, in order; None where that is more than FEW. One query."""
    rows = sorted(listed.values_list(*IN_ORDER, "pk")[: FEW + 1])
    if len(rows) > FEW:
        return None
    return FewItems([row[:3] for row in rows], [row[3] for row in rows])


@contextmanager
def by_video(count: int) -> Iterator[None]:
    """Have the items of a few videos read, and not all that hold a word beside them.

    Of a common word PostgreSQL would read half a million places in the index of words, to keep
    those of a hundred videos; that index is read by bitmaps alone. A word that a hundred videos
    do not have is not common.
    """
    if connection.vendor != "postgresql" or count > STEPS[0]:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(PLAN.format(bitmaps="off", workers="0"))  # which are not worth starting
        try:
            yield
        finally:
            if not connection.needs_rollback:
                cursor.execute(PLAN.format(bitmaps="DEFAULT", workers="DEFAULT"))


def in_steps(
    listed: QuerySet[Item], videos: QuerySet[Video], limit: int, *, back: bool = False
) -> list[int]:
    """Return the ids of the first `limit` of `listed` in `videos`, or of the last; in order."""
    ordered = videos.order_by("-position" if back else "position")
    order = tuple(f"-{field}" for field in IN_ORDER) if back else IN_ORDER
    wanted = listed.order_by(*order).values_list("pk", flat=True)
    found: list[int] = []
    start = 0
    for size in STEPS:
        step = list(ordered.values_list("pk", flat=True)[start : start + size])
        with by_video(size):
            found += among(wanted, step, field="video_id")[: limit - len(found)]
        if len(found) == limit or len(step) < size:
            return found
        start += size
    beyond = ordered.values_list("position", flat=True)[start : start + 1]
    side = "lte" if back else "gte"
    rest = wanted.filter(**{f"video__position__{side}": beyond[0]}) if beyond else wanted.none()
    return [*found, *rest[: limit - len(found)]]
