"""Writes which items a bulk action is about, and what each stood at when it was counted."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Min

from annotation.actions.reviews import VOTE_VERBS
from annotation.domain.bulk import Standing
from annotation.models import BulkAction, BulkTarget, Item, Revision
from annotation.models.bulk import BulkKind, Outcome

FIELDS = ("current__number", "state", "keep", "keep_source", "question_type", "video__category")


def add_items(bulk: BulkAction, ids: Iterable[int], *, moved: set[int] | None = None) -> None:
    """Add items as targets; what is there already stays. `moved` saves asking for it again."""
    since = moved_since(bulk, "item") if moved is None else moved
    rows = Item.objects.filter(pk__in=ids).order_by("pk").values_list("pk", *FIELDS)
    write(bulk, ((pk, Standing(*standing), pk in since) for pk, *standing in rows))


def add_videos(bulk: BulkAction, ids: Iterable[int], *, moved: set[int] | None = None) -> None:
    """Add the first item of each video that one of the items belongs to.

    All items of the videos are counted in the tally as `items`.
    """
    since = moved_since(bulk, "video") if moved is None else moved
    videos = set(Item.objects.filter(pk__in=ids).values_list("video_id", flat=True))
    known = BulkTarget.objects.filter(bulk=bulk, item__video__in=videos)
    videos -= set(known.values_list("item__video_id", flat=True))
    counted = Item.objects.filter(video__in=videos).order_by().values("video")
    found = list(counted.annotate(first=Min("pk"), items=Count("pk")))
    rows = Item.objects.filter(pk__in=[row["first"] for row in found]).order_by("pk")
    listed = rows.values_list("pk", "video_id", *FIELDS)
    write(bulk, ((pk, Standing(*standing), vid in since) for pk, vid, *standing in listed))
    held = bulk.tally.get("items", 0)
    bulk.tally = bulk.tally | {"items": held + sum(row["items"] for row in found)}
    bulk.save(update_fields=["tally"])


def write(bulk: BulkAction, rows: Iterable[tuple[int, Standing, bool]]) -> None:
    targets = []
    for pk, standing, moved in rows:
        outcome = Outcome.CHANGED if moved else Outcome.WAITING
        if standing.is_so(bulk.kind, bulk.value):
            outcome = Outcome.SAME
        was = standing.told(bulk.kind)
        targets.append(BulkTarget(bulk=bulk, item_id=pk, was=was, outcome=outcome))
    BulkTarget.objects.bulk_create(targets, ignore_conflicts=True)


def moved_since(bulk: BulkAction, target_kind: str) -> set[int]:
    """Return the items, or videos, that somebody changed or decided after the list was read.

    A vote that settled nothing moves nothing, and who reads an item hangs on neither.
    """
    if bulk.kind == BulkKind.ASSIGN:
        return set()
    rows = Revision.objects.filter(
        benchmark_id=bulk.benchmark_id, pk__gt=bulk.seen, target_kind=target_kind
    ).order_by()
    return {
        target
        for target, verb, before, after in rows.values_list("target_id", "verb", "before", "after")
        if verb not in VOTE_VERBS or before.get("state") != after.get("state")
    }


def tally(bulk: BulkAction) -> dict[str, Any]:
    """Return how many targets came out how, and `items` where videos are the targets."""
    rows = bulk.targets.order_by().values_list("outcome").annotate(n=Count("pk"))
    items = {"items": bulk.tally["items"]} if "items" in bulk.tally else {}
    return {**Counter(dict(rows)), **items}
