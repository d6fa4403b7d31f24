"""Brings back what an item said in an older version, as a new version."""

from dataclasses import replace

from django.db import transaction

from annotation.actions.items import put_current, record_edit
from annotation.actions.locked import lock, lock_all, stale
from annotation.actions.seal import note_key_shown, refuse_while_sealed
from annotation.actions.versions import as_json, build_version, content_of
from annotation.domain import edits
from annotation.models import ItemVersion, User, Video
from annotation.permissions import Verb, require


@transaction.atomic
def restore_version(
    *, item_id: int, number: int, base_version: int, reason: str, by: User
) -> ItemVersion:
    """Make a new version of an item with the content of its version `number`; return it.

    Text, options, key, window and the item's own box come back; without an own box the item
    follows the box that its video has now. The item is open again. Where nothing would
    change, the current version is returned and none is made.

    Args:
        base_version: number of the version that was current for the person who asks.
        reason: why, at most 500 characters; may be empty.

    Raises PermissionDenied, Item.DoesNotExist, ItemVersion.DoesNotExist, edits.BadEdit (an
    old version may not fit the rules or the segment of today), AnswerFirst, StaleVersion.
    """
    require(by, Verb.EDIT_ITEM)
    if not edits.is_clean(reason, 500):
        raise edits.BadEdit({"reason": "must be text of at most 500 characters"})
    lock_all(Video.objects.filter(items=item_id))  # its box may be what the item goes back to
    item, current = lock(item_id)
    refuse_while_sealed(item_id=item.pk, by=by)
    old = item.versions.get(number=number)
    if base_version != current.number:
        raise stale(current, base_version, as_json(old))
    content = replace(content_of(old), ground_truth=current.ground_truth)
    if content == content_of(current):
        return current
    edits.check(as_json(old), kind=item.kind, segment=item.video.end - item.video.start)
    why = reason.strip() or f"Back to version {number}"
    version = build_version(item, item.video, content, number=current.number + 1, by=by, reason=why)
    version.save()
    put_current(item, version, was=current, reopen=True)
    record_edit(item, as_json(current), version, reason=why, cosmetic=False, by=by)
    note_key_shown(version=version, by=by)
    return version
