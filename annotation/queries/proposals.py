"""Windows and boxes that different readers gave the same item, and how far they overlap."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations

from django.db.models import Count, QuerySet

from annotation.domain.agreement import window_iou
from annotation.domain.clips import Span
from annotation.domain.roi import Roi
from annotation.models import Benchmark, ItemVersion

MOST_VERSIONS = 20_000
FIELDS = ("item_id", "author_id", "start", "end", "roi_x", "roi_y", "roi_w", "roi_h")


@dataclass
class Proposals:
    """The last window and the last box of each reader who changed one, by account id."""

    source_id: int
    windows: dict[int, Span] = field(default_factory=dict)
    boxes: dict[int, Roi] = field(default_factory=dict)

    @property
    def time_ious(self) -> list[float]:
        return [window_iou(*pair) for pair in combinations(self.windows.values(), 2)]

    @property
    def box_ious(self) -> list[float]:
        return [one.iou(other) for one, other in combinations(self.boxes.values(), 2)]

    @property
    def time_iou(self) -> float | None:
        """The overlap of the two windows that are furthest apart; None below two readers."""
        return min(self.time_ious, default=None)

    @property
    def box_iou(self) -> float | None:
        return min(self.box_ious, default=None)


def proposals(benchmark: Benchmark) -> dict[int, Proposals]:
    """Return what two readers or more have changed, by item id; one query.

    Only versions that moved the window or the box count: who edits the wording proposes
    neither.
    """
    rows = edited_by_several(benchmark).values_list(*FIELDS, "item__video__source_id")
    found: dict[int, Proposals] = {}
    before: dict[int, tuple[tuple[float, ...], tuple[float, ...]]] = {}
    for item_id, author, start, end, *box, source in rows[:MOST_VERSIONS]:
        now = ((start, end), tuple(box))
        was = before.get(item_id)
        before[item_id] = now
        own = found.setdefault(item_id, Proposals(source))
        if was is None or author is None:
            continue
        if now[0] != was[0]:
            own.windows[author] = Span(start, end)
        if now[1] != was[1]:
            own.boxes[author] = Roi(*box)
    return {pk: one for pk, one in found.items() if len(one.windows) > 1 or len(one.boxes) > 1}


def edited_by_several(benchmark: Benchmark) -> QuerySet[ItemVersion]:
    """All versions of the items that two accounts or more have edited, in order."""
    edited = ItemVersion.objects.filter(item__benchmark=benchmark, author__isnull=False)
    several = (
        edited.order_by()
        .values("item_id")
        .annotate(authors=Count("author", distinct=True))
        .filter(authors__gt=1)
        .values("item_id")
    )
    return ItemVersion.objects.filter(item_id__in=several).order_by("item_id", "number")


def overlaps(
    found: Iterable[Proposals],
) -> tuple[dict[str, list[float]], dict[str, list[int]]]:
    """Return the overlaps of all pairs of readers, and their sources, as `window` and `box`."""
    values: dict[str, list[float]] = defaultdict(list)
    sources: dict[str, list[int]] = defaultdict(list)
    for one in found:
        for name, ious in (("window", one.time_ious), ("box", one.box_ious)):
            values[name] += ious
            sources[name] += [one.source_id] * len(ious)
    return values, sources
