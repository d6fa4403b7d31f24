"""What the ROI editor shows: the box that stands, who follows it, how it came to be."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.models import Item, ItemVersion, Revision, User
from annotation.queries.actors import names_of_actors
from annotation.queries.queue import Filter, entries
from annotation.queries.round_place import round_place
from annotation.queries.stage import rect, source_data
from annotation.queries.standing import fresh
from annotation.queries.workspace import beside

MOST = 20  # changes of a box that are listed
MOST_NAMED = 60  # items that are named before a save; more are counted


@dataclass(frozen=True)
class BoxChange:
    """One saved change of a box; `before` and `after` are x, y, w, h in fractions."""

    at: datetime
    author: str
    reason: str
    label: str
    before: dict[str, float]
    after: dict[str, float]


@dataclass(frozen=True)
class Reopened:
    """What a change of the picture undoes: standing votes, decisions to keep or drop.

    Counts alone: they tell nobody how others voted.
    """

    votes: int
    own: int
    decisions: int


def reopened(user: User, items: QuerySet[Item]) -> Reopened:
    """Return what is open again on `items` when their box changes in meaning; two queries."""
    voted = set(fresh().filter(item__in=items).order_by().values_list("item_id", "reviewer_id"))
    return Reopened(
        votes=len(voted),
        own=sum(reader == user.pk for _, reader in voted),
        decisions=items.filter(keep__isnull=False).count(),
    )


def roi_page(user: User, item: Item, wanted: Filter) -> dict[str, Any]:
    """Return the context of the editor; `item` as `workspace.find_item` gives it."""
    version = item.current
    assert version is not None  # noqa: S101  find_item gives none without
    at = round_place(user, item, benchmark=item.benchmark)
    items = Item.objects.filter(video=item.video)
    following = items.filter(current__roi_is_override=False)
    own = Count("pk", filter=Q(current__roi_is_override=True))
    counts = items.aggregate(own=own, all=Count("pk", filter=Q(current__isnull=False)))
    renewed = counts["all"] - counts["own"]
    return beside(user, item, wanted, at) | {
        "at": at,
        "benchmark": item.benchmark,
        "video": item.video,
        "item": item,
        "label": entries([item], {})[0],
        "filter": wanted,
        "following": renewed,
        "renewed": entries(list(following.order_by("start", "position")[:MOST_NAMED]), {}),
        "own_boxes": counts["own"],
        "reopened": reopened(user, following),
        "reopened_item": reopened(user, Item.objects.filter(pk=item.pk)),
        "is_override": version.roi_is_override,
        "trail": box_changes(item),
        "roi_data": roi_data(item, version, renewed),
    }


def roi_data(item: Item, version: ItemVersion, following: int) -> dict[str, Any]:
    """Return what the editor's script starts from; boxes in fractions, times in seconds from
    the start of the video, `video.start` and `video.end` in those of the source."""
    video = item.video
    base = version.number if version.roi_is_override else video.version
    return {
        "source": source_data(video.source),
        "video": {
            "version": video.version,
            "start": video.start,
            "end": video.end,
            "roi": rect(video.roi_x, video.roi_y, video.roi_w, video.roi_h),
        },
        "item": {
            "id": item.pk,
            "version": version.number,
            "start": version.start,
            "end": version.end,
        },
        "roi": rect(version.roi_x, version.roi_y, version.roi_w, version.roi_h),
        "overridden": version.roi_is_override,
        "base": base,
        "labels": {
            "video": f"Save as v{video.version + 1} for {following} "
            f"item{'' if following == 1 else 's'}",
            "item": "Save for this item",
        },
    }


def box_changes(item: Item) -> list[BoxChange]:
    """Return the changes of the box of the item's video, and of its own, the newest first."""
    of_video = box_revisions("video", item.video_id, ("change_roi",))
    of_item = box_revisions("item", item.pk, ("edit_roi", "edit_cosmetic", "undo_roi"))
    own = [row for row in of_item if row.after.get("override") or row.before.get("override")]
    rows = sorted([*of_video, *own], key=lambda row: row.pk, reverse=True)[:MOST]
    names = names_of_actors(row.actor for row in rows)
    return [
        BoxChange(
            at=row.at,
            author=names[row.actor],
            reason=row.reason,
            label=f"{'v' if row.target_kind == 'video' else 'item v'}{row.after['version']}",
            before=row.before.get("roi", row.before),
            after=row.after.get("roi", row.after),
        )
        for row in rows
    ]


def box_revisions(kind: str, target_id: int, verbs: tuple[str, ...]) -> list[Revision]:
    rows = Revision.objects.filter(target_kind=kind, target_id=target_id, verb__in=verbs)
    return list(rows.order_by("-id")[: MOST * 2])
