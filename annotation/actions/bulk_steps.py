"""Does one thing to one target of a bulk action, through the action that a person would use."""

from collections.abc import Callable

from django.db import transaction
from django.utils import timezone

from annotation.actions.categories import CategoryMoved, set_category
from annotation.actions.conflicts import AnswerFirst, StaleVersion
from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.locked import lock
from annotation.actions.returns import UndoRefused, return_item, take_back
from annotation.actions.reviews import VOTE_VERBS
from annotation.domain.bulk import BULK_MARK, DECISIONS, OF_VIDEOS, REPAIR, Standing
from annotation.domain.edits import FIELDS, BadEdit
from annotation.models import (
    BulkAction,
    BulkTarget,
    Item,
    ItemVersion,
    Repair,
    Revision,
    User,
)
from annotation.models.bulk import Outcome
from annotation.models.repair import RepairState

NOTE_LIMIT = 200


def apply_to(bulk: BulkAction, target: BulkTarget, *, by: User) -> None:
    """Do what the action says to a target, and put into it how that came out.

    A target that moved since it was counted is left as it is. Raises PermissionDenied.
    """
    try:
        with transaction.atomic():
            target.revision_id = written(bulk, target, lambda: change(bulk, target, by=by))
    except (StaleVersion, CategoryMoved):
        target.outcome = Outcome.CHANGED
        return
    except (BadEdit, AnswerFirst) as error:
        target.outcome, target.note = Outcome.REFUSED, str(error)[:NOTE_LIMIT]
        return
    target.outcome = Outcome.DONE if target.revision_id else Outcome.SAME


def written(bulk: BulkAction, target: BulkTarget, act: Callable[[], None]) -> int | None:
    """Do something to a target, and return the id of the revision that this wrote, if any.

    It is marked as the action's: alone it is nobody's last decision.
    """
    before = newest(bulk, target)
    act()
    after = newest(bulk, target)
    if after is None or (before is not None and after.pk == before.pk):
        return None
    Revision.objects.filter(pk=after.pk).update(request_id=f"{BULK_MARK}{bulk.pk}")
    return after.pk


def change(bulk: BulkAction, target: BulkTarget, *, by: User) -> None:
    if bulk.kind == OF_VIDEOS:
        set_category(
            video_id=target.item.video_id,
            was=target.was,
            category=bulk.value,
            reason=bulk.words,
            by=by,
        )
        return
    item, current = lock(target.item_id)
    if standing(item, current).told(bulk.kind) != target.was:
        raise StaleVersion(base=None, current={}, yours={})
    number = current.number
    if bulk.kind == "type":
        edit_item(
            item_id=item.pk,
            base_version=number,
            changes={"question_type": bulk.value},
            reason=bulk.words,
            cosmetic=True,  # a type sorts items; what is asked stays, and so do the votes
            by=by,
        )
    elif bulk.kind == REPAIR:
        repair(bulk, item, current, by=by)
    elif bulk.kind == "reopen":
        return_item(item_id=item.pk, version_number=number, question=bulk.words, by=by)
    else:
        keep = bulk.kind == "keep"
        adjudicate(item_id=item.pk, version_number=number, keep=keep, reason=bulk.words, by=by)


def repair(bulk: BulkAction, item: Item, current: ItemVersion, *, by: User) -> None:
    """Accept the proposal that stands for this version. Raises StaleVersion where none does."""
    open_ones = Repair.objects.filter(
        item=item, item_version=current, kind=bulk.value, state=RepairState.OPEN, cosmetic=True
    )
    found = open_ones.select_for_update().first()
    if found is None:
        raise StaleVersion(base=None, current={}, yours={})
    edit_item(
        item_id=item.pk,
        base_version=current.number,
        changes=found.changes,
        reason=f"Repair: {found.words}",
        cosmetic=True,
        by=by,
    )
    found.state, found.decided_by, found.decided_at = RepairState.ACCEPTED, by, timezone.now()
    found.save(update_fields=["state", "decided_by", "decided_at"])


def standing(item: Item, current: ItemVersion) -> Standing:
    return Standing(
        current.number,
        item.state,
        item.keep,
        item.keep_source,
        item.question_type,
        item.video.category,
    )


def take_back_from(bulk: BulkAction, target: BulkTarget, *, by: User) -> None:
    """Take back what the action did to a target; one touched since is left as it is."""
    revision = Revision.objects.get(pk=target.revision_id or 0)
    try:
        with transaction.atomic():
            written(bulk, target, lambda: undo_one(bulk, target, revision, by=by))
    except AnswerFirst as error:
        target.outcome, target.note = Outcome.TOUCHED, str(error)[:NOTE_LIMIT]
    except (UndoRefused, StaleVersion, CategoryMoved, BadEdit):
        target.outcome = Outcome.TOUCHED
    else:
        target.outcome = Outcome.UNDONE


def undo_one(bulk: BulkAction, target: BulkTarget, revision: Revision, *, by: User) -> None:
    if bulk.kind in DECISIONS:
        take_back(revision, by=by)
    else:
        put_back(bulk, target, revision, by=by)


def put_back(bulk: BulkAction, target: BulkTarget, revision: Revision, *, by: User) -> None:
    """Write what was there before. Raises UndoRefused where it was written since."""
    reason = "Taken back with the whole bulk action"
    if bulk.kind == OF_VIDEOS:
        video_id, was = revision.target_id, revision.before["category"]
        set_category(video_id=video_id, was=bulk.value, category=was, reason=reason, by=by)
        return
    item, current = lock(target.item_id)
    since = Revision.objects.filter(target_kind="item", target_id=item.pk, pk__gt=revision.pk)
    if since.exclude(verb__in=VOTE_VERBS).exists():
        raise UndoRefused("The item was changed since.")
    fields = FIELDS if bulk.kind == REPAIR else ("question_type",)
    edit_item(
        item_id=item.pk,
        base_version=current.number,
        changes={name: revision.before[name] for name in fields if name in revision.before},
        reason=reason,
        cosmetic=True,
        by=by,
    )


def newest(bulk: BulkAction, target: BulkTarget) -> Revision | None:
    """Return the newest revision of what a target is about, or None."""
    kind, pk = "item", target.item_id
    if bulk.kind == OF_VIDEOS:
        kind, pk = "video", target.item.video_id
    return Revision.objects.filter(target_kind=kind, target_id=pk).order_by("-id").first()
