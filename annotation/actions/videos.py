"""Changes of a video's ROI, and of the ROI of one item alone."""

from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import put_current
from annotation.actions.locked import lock, lock_all, stale
from annotation.actions.round_votes import ask_again
from annotation.actions.seal import refuse_while_sealed
from annotation.actions.trail import record, record_many
from annotation.actions.versions import build_version, content_of, mirror
from annotation.domain.edits import BadEdit, is_clean
from annotation.domain.roi import Roi
from annotation.models import Item, ItemVersion, Revision, User, Video
from annotation.models.item import ItemState, KeepSource
from annotation.permissions import Verb, require

BATCH = 500


def roi_of(row: Video | ItemVersion) -> dict[str, float]:
    """Return the box of a video or of an item version, JSON-ready."""
    return {"x": row.roi_x, "y": row.roi_y, "w": row.roi_w, "h": row.roi_h}


@transaction.atomic
def change_roi(
    *, video_id: int, base_version: int, roi: Roi, reason: str, cosmetic: bool = False, by: User
) -> Video:
    """Give a video another ROI; each of its items without its own box gets a new version.

    Args:
        base_version: the version of the video that the editor saw.
        reason: why, at most 500 characters; may be empty, the box says what changed.
        cosmetic: the picture means the same: votes and keep decisions stay. Otherwise the
            items are open again.

    An equal box that meets the current version changes nothing. Raises PermissionDenied,
    Video.DoesNotExist, BadEdit, StaleVersion.
    """
    require(by, Verb.EDIT_ITEM)
    check_reason(reason)
    video = locked(Video.objects.filter(pk=video_id))
    before = roi_of(video) | {"version": video.version}
    yours = dict(zip(("x", "y", "w", "h"), roi.fractions, strict=True))
    if roi_of(video) == yours and base_version in (video.version, video.version - 1):
        return video  # nothing to do, or the answer to the same save was lost on its way
    if base_version != video.version:
        raise StaleVersion(
            base=_roi_at(video, base_version),
            current=before,
            yours=yours | {"base": base_version},
            conflicts=["roi"],
        )
    video.roi_x, video.roi_y, video.roi_w, video.roi_h = roi.fractions
    video.version += 1
    video.save(update_fields=["roi_x", "roi_y", "roi_w", "roi_h", "version"])
    renewed = renew_items(video, reason=reason, cosmetic=cosmetic, by=by)
    record(
        by=by,
        verb="change_roi",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        before=before,
        after=roi_of(video) | {"version": video.version, "items": renewed, "cosmetic": cosmetic},
        reason=reason,
    )
    return video


def locked(videos: QuerySet[Video]) -> Video:
    """Return the one video; others wait until this transaction ends. Videos before items."""
    lock_all(videos)
    return videos.select_related("source", "benchmark").get()


def renew_items(video: Video, *, reason: str, cosmetic: bool, by: User) -> int:
    """Make new versions of the video's items that follow its box; return how many."""
    lock_all(Item.objects.filter(video=video))
    following = Item.objects.filter(video=video, current__roi_is_override=False)
    items = list(following.select_related("current"))
    was = {item.pk: item.current for item in items if item.current is not None}
    versions = [
        build_version(
            item,
            video,
            content_of(old),
            number=old.number + 1,
            by=by,
            reason=reason or "ROI of the video",
            votes_since=old.votes_since if cosmetic else None,
        )
        for item in items
        if (old := was[item.pk])
    ]
    made = ItemVersion.objects.bulk_create(versions, batch_size=BATCH)
    record_many(
        _item_revision(item, was[item.pk], version, cosmetic=cosmetic, by=by, reason=reason)
        for item, version in zip(items, made, strict=True)
    )
    for item, version in zip(items, made, strict=True):
        mirror(item, version)
        if not cosmetic:
            item.state, item.keep, item.keep_source = ItemState.TODO, None, KeepSource.NONE
    fields = ["current", "votes_since", "state", "keep", "keep_source"]
    Item.objects.bulk_update(items, fields, batch_size=BATCH)
    if not cosmetic:
        ask_again(item.pk for item in items)
    return len(items)


@transaction.atomic
def override_roi(
    *,
    item_id: int,
    base_version: int,
    roi: Roi | None,
    reason: str,
    cosmetic: bool = False,
    by: User,
) -> ItemVersion:
    """Give one item its own box, or, with None, the box of its video again.

    Arguments and exceptions as for `change_roi`; `base_version` is that of the item.
    """
    require(by, Verb.EDIT_ITEM)
    check_reason(reason)
    video = locked(Video.objects.filter(items=item_id))  # its box may be what the item goes back to
    item, current = lock(item_id)
    refuse_while_sealed(item_id=item.pk, by=by)
    wanted = roi.fractions if roi else None
    content = content_of(current)
    if content.roi_override == wanted and base_version in (current.number, current.number - 1):
        return current
    if base_version != current.number:
        raise stale_box(item, current, base_version, roi)
    version = build_version(
        item,
        video,
        replace(content, roi_override=wanted),
        number=current.number + 1,
        by=by,
        reason=reason or "ROI of this item",
        votes_since=current.votes_since if cosmetic else None,
    )
    version.save()
    revision = _item_revision(item, current, version, cosmetic=cosmetic, by=by, reason=reason)
    put_current(item, version, was=current, reopen=not cosmetic)
    revision.save()
    return version


def stale_box(item: Item, current: ItemVersion, base_version: int, roi: Roi | None) -> StaleVersion:
    """Return what to raise for a box based on another version: the box can be kept beside
    what changed since, unless that is the box too. The boxes shown are those that count."""
    yours = None if roi is None else dict(zip(("x", "y", "w", "h"), roi.fractions, strict=True))
    found = stale(current, base_version, {"roi": yours})
    base = item.versions.filter(number=base_version).first()
    if base is not None and found.base is not None:
        found.base |= roi_of(base)
        if roi_of(base) != roi_of(current):  # the video's box may have moved below the item
            found.conflicts, found.mergeable = ["roi"], False
    found.current |= roi_of(current)
    found.yours |= yours or roi_of(item.video)
    return found


def check_reason(reason: str) -> None:
    if not is_clean(reason, 500):
        raise BadEdit({"reason": "must be text of at most 500 characters"})


def _item_revision(
    item: Item, was: ItemVersion, version: ItemVersion, *, cosmetic: bool, by: User, reason: str
) -> Revision:
    """Return the unsaved revision of an item whose box changed; the decision is kept in it."""
    decision = {"state": item.state, "keep": item.keep, "keep_source": item.keep_source}
    return Revision(
        actor=by.pseudonym,
        verb="edit_cosmetic" if cosmetic else "edit_roi",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before={"version": was.number, "roi": roi_of(was), "override": was.roi_is_override}
        | decision,
        after={
            "version": version.number,
            "roi": roi_of(version),
            "override": version.roi_is_override,
        },
        reason=reason[:500],
    )


def _roi_at(video: Video, version: int) -> dict[str, float] | None:
    """Return the box that the video had at a version, from the trail."""
    trail = Revision.objects.filter(
        target_kind="video", target_id=video.pk, verb="change_roi", before__version=version
    )
    return trail.values_list("before", flat=True).first()
