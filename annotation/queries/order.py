"""Where a reader goes from an item: one back, one on, the next open one."""

from dataclasses import dataclass

from annotation.models import Benchmark, Item, User
from annotation.queries.queue import Filter, matching


@dataclass(frozen=True)
class Neighbours:
    """Item ids; None at the ends. `open` is the next item without an own vote."""

    previous: int | None
    next: int | None
    open: int | None


def neighbours(user: User, benchmark: Benchmark, item: Item, wanted: Filter) -> Neighbours:
    """Return where to go from `item` in the list that `wanted` shows."""
    listed = matching(user, benchmark, wanted)
    before = listed.filter(position__lt=item.position).order_by("-position")
    after = listed.filter(position__gt=item.position)
    return Neighbours(
        before.values_list("pk", flat=True).first(),
        after.values_list("pk", flat=True).first(),
        next_open(user, benchmark, item, wanted),
    )


def next_open(
    user: User, benchmark: Benchmark, item: Item | None = None, wanted: Filter | None = None
) -> int | None:
    """Return the first item after `item` that waits for the reader's vote, else one before it.

    In a list of disagreements or stale votes it is the next of that list.
    """
    show = wanted.show if wanted and wanted.show not in ("all", "") else "todo"
    waiting = matching(user, benchmark, Filter(show, wanted.text if wanted else ""))
    if item is None:
        return waiting.values_list("pk", flat=True).first()
    others = waiting.exclude(pk=item.pk).values_list("pk", flat=True)
    return others.filter(position__gt=item.position).first() or others.first()
