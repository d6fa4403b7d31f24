"""Where a reader goes from an item: one back, one on, the next open one.

The list runs video by video, and within a video as time runs: MCQs and free-response items
about one moment stand side by side.
"""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Benchmark, Item, User, Video
from annotation.queries.narrow import BY_TIME, FewItems, few_of, in_steps
from annotation.queries.queue import STATE_SHOWN, Filter, matching
from annotation.queries.standing import has_voted, own_fresh

BY_TIME_BACK = tuple(f"-{field}" for field in BY_TIME)


@dataclass(frozen=True)
class Neighbours:
    """Item ids; None at the ends. `open` is the next item without an own vote."""

    previous: int | None
    next: int | None
    open: int | None


def neighbours(user: User, benchmark: Benchmark, item: Item, wanted: Filter) -> Neighbours:
    """Return where to go from `item` in the list that `wanted` shows."""
    listed = matching(user, benchmark, wanted)
    if wanted.is_narrow:
        few = few_of(listed)
        if few is None:
            return in_many(listed, user, item, wanted)
        waiting = still_open(few, user, item, wanted)
        goes_on = waiting.after(item) or next(iter(waiting.ids), None)
        return Neighbours(few.before(item), few.after(item), goes_on)
    return Neighbours(
        following(listed, item, back=True),
        following(listed, item),
        next_open(user, benchmark, item, wanted),
    )


def still_open(few: FewItems, user: User, item: Item, wanted: Filter) -> FewItems:
    """Leave out `item`, and what the reader has voted on unless votes are what is listed."""
    if wanted.show in STATE_SHOWN:
        return few.without({item.pk})
    voted = own_fresh(user).filter(item_id__in=few.ids).values_list("item_id", flat=True)
    return few.without({item.pk, *voted})


def in_many(listed: QuerySet[Item], user: User, item: Item, wanted: Filter) -> Neighbours:
    """Return where to go in a narrow list of many items."""
    before = following(listed, item, back=True, steps=True)
    after = following(listed, item, steps=True)
    if after is not None and (wanted.show in STATE_SHOWN or not has_voted(user, after)):
        return Neighbours(before, after, after)
    waiting = listed.exclude(pk=item.pk)
    if wanted.show not in STATE_SHOWN:
        waiting = waiting.exclude(Exists(own_fresh(user).filter(item=OuterRef("pk"))))
    every = Video.objects.filter(benchmark_id=item.benchmark_id)
    goes_on = following(waiting, item, steps=True) if after is not None else None
    return Neighbours(before, after, goes_on or next(iter(in_steps(waiting, every, 1)), None))


def next_open(
    user: User, benchmark: Benchmark, item: Item | None = None, wanted: Filter | None = None
) -> int | None:
    """Return the first item after `item` that waits for the reader's vote, else one before it.

    In a list of disagreements or stale votes it is the next of that list.
    """
    show = wanted.show if wanted and wanted.show not in ("all", "") else "todo"
    waiting = matching(user, benchmark, Filter(show, wanted.text if wanted else ""))
    every = Video.objects.filter(benchmark=benchmark)
    if item is None and wanted and wanted.is_narrow:
        few = few_of(waiting)
        return next(iter(few.ids if few else in_steps(waiting, every, 1)), None)
    if item is None:
        return first_of(waiting, every)
    others = waiting.exclude(pk=item.pk)
    return following(others, item) or first_of(others, every)


def following(
    listed: QuerySet[Item], item: Item, *, back: bool = False, steps: bool = False
) -> int | None:
    """Return the item of `listed` that comes after `item`, or before it.

    `steps` is for a list of a narrow filter, in which many videos have nothing.
    """
    side = "lt" if back else "gt"
    here = listed.filter(video_id=item.video_id).filter(
        Q(**{f"start__{side}": item.start})
        | Q(start=item.start, **{f"position__{side}": item.position})
    )
    found = here.order_by(*(BY_TIME_BACK if back else BY_TIME))
    beyond = Video.objects.filter(
        benchmark_id=item.benchmark_id, **{f"position__{side}": item.video.position}
    )
    near = found.values_list("pk", flat=True).first()
    if near is None and steps:
        return next(iter(in_steps(listed, beyond, 1, back=back)), None)
    return near or first_of(listed, beyond, back=back)


def first_of(listed: QuerySet[Item], videos: QuerySet[Video], *, back: bool = False) -> int | None:
    """Return the first item of `listed` in the first of `videos` that has one, or the last.

    Walks the videos by their index and stops at the first that has something to show.
    """
    in_video = Exists(listed.filter(video=OuterRef("pk")).order_by())
    ordered = videos.filter(in_video).order_by("-position" if back else "position")
    video_id = ordered.values_list("pk", flat=True).first()
    if video_id is None:
        return None
    items = listed.filter(video_id=video_id).order_by(*(BY_TIME_BACK if back else BY_TIME))
    return items.values_list("pk", flat=True).first()
