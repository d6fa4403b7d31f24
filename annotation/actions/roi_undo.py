"""Takes the last change of a box back: the box, and the votes and decisions from before it."""

from dataclasses import replace

from django.db import transaction

from annotation.actions.conflicts import StaleVersion
from annotation.actions.items import put_current
from annotation.actions.locked import lock, lock_all
from annotation.actions.returns import UndoRefused, settle_again
from annotation.actions.reviews import UNDO_BOX, VOTE_VERBS
from annotation.actions.trail import record
from annotation.actions.versions import build_version, content_of
from annotation.actions.videos import locked, roi_of
from annotation.models import Item, ItemVersion, Revision, User, Video
from annotation.permissions import Verb, require

ITEM_VERBS = ("edit_roi", "edit_cosmetic")
WHY = "Change of the box taken back"


@transaction.atomic
def undo_change_roi(*, video_id: int, base_version: int, by: User) -> Video:
    """Give a video the box from before its last change, which `by` made; return it.

    Its items get new versions. Where nothing but votes happened to an item since, votes and
    the decision from before the change count again; any other item stays as open as it is.

    Raises PermissionDenied, Video.DoesNotExist, StaleVersion, and UndoRefused where the last
    change is somebody else's.
    """
    require(by, Verb.EDIT_ITEM)
    video = locked(Video.objects.filter(pk=video_id))
    check_base(video.version, base_version, roi_of(video))
    change = last_change("video", video.pk, ("change_roi",), base_version, by)
    before = roi_of(video) | {"version": video.version}
    was = change.before
    video.roi_x, video.roi_y, video.roi_w, video.roi_h = (was[side] for side in "xywh")
    video.version += 1
    video.save(update_fields=["roi_x", "roi_y", "roi_w", "roi_h", "version"])
    following = Item.objects.filter(video=video, current__roi_is_override=False)
    lock_all(Item.objects.filter(video=video))
    renewed = [put_back(pk, video, by=by) for pk in following.values_list("pk", flat=True)]
    record(
        by=by,
        verb="change_roi",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        before=before,
        after=roi_of(video)
        | {"version": video.version, "items": len(renewed), "undone": change.pk},
        reason=WHY,
    )
    return video


@transaction.atomic
def undo_override_roi(*, item_id: int, base_version: int, by: User) -> ItemVersion:
    """Give an item the box from before its last change, which `by` made for it alone.

    As for `undo_change_roi`; an own box that was new is removed, a removed one comes back.
    """
    require(by, Verb.EDIT_ITEM)
    video = locked(Video.objects.filter(items=item_id))
    item, current = lock(item_id)
    check_base(current.number, base_version, roi_of(current))
    change = last_change("item", item.pk, ITEM_VERBS, base_version, by)
    if change.before["override"] == change.after["override"] is False:
        raise UndoRefused("The box of the video was changed, not the item's own.")
    return put_back(item.pk, video, by=by, change=change)


def put_back(
    item_id: int, video: Video, *, by: User, change: Revision | None = None
) -> ItemVersion:
    """Make a version of an item with the box from before `change`, by default the change of
    its video's box that made its current version, and what was decided on it before."""
    item, current = lock(item_id)
    own = change or newest_box_change(item, current)
    old = item.versions.get(number=own.before["version"]) if own else None
    content = content_of(current)
    if change is not None:
        was = tuple(change.before["roi"][side] for side in "xywh")
        content = replace(content, roi_override=was if change.before["override"] else None)
    version = build_version(
        item,
        video,
        content,
        number=current.number + 1,
        by=by,
        reason=WHY,
        votes_since=old.votes_since if old else None,
    )
    version.save()
    before = {"version": current.number, "roi": roi_of(current)} | decision_of(item)
    put_current(item, version, was=current, reopen=True)
    if own is not None:
        settle_again(item, own)
    record(
        by=by,
        verb=UNDO_BOX if own else "edit_roi",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before=before | {"override": current.roi_is_override},
        after={
            "version": version.number,
            "roi": roi_of(version),
            "override": version.roi_is_override,
        }
        | ({"revision": own.pk, "undone": own.verb} if own else {}),
        reason=WHY,
    )
    return version


def newest_box_change(item: Item, current: ItemVersion) -> Revision | None:
    """Return the change of the box that made `current`, None where more happened since."""
    trail = Revision.objects.filter(target_kind="item", target_id=item.pk)
    newest = trail.exclude(verb__in=VOTE_VERBS).order_by("-id").first()
    made = newest is not None and newest.verb in ITEM_VERBS and "roi" in newest.after
    return newest if made and newest and newest.after["version"] == current.number else None


def last_change(
    kind: str, target_id: int, verbs: tuple[str, ...], version: int, by: User
) -> Revision:
    """Return the revision of `by` that made `version` of a target's box."""
    trail = Revision.objects.filter(target_kind=kind, target_id=target_id, verb__in=verbs)
    found = trail.filter(actor=by.pseudonym, after__version=version).order_by("-id").first()
    if found is None or (kind == "item" and "override" not in found.after):
        raise UndoRefused("The last change of this box is not yours to take back.")
    return found


def check_base(current: int, base: int, box: dict[str, float]) -> None:
    if base != current:
        raise StaleVersion(base=None, current=box | {"version": current}, yours={"base": base})


def decision_of(item: Item) -> dict[str, object]:
    return {"state": item.state, "keep": item.keep, "keep_source": item.keep_source}
