"""Edits of items: each makes a new version with its author, time and reason."""

from dataclasses import replace
from typing import Any

from django.db import transaction

from annotation.actions.conflicts import StaleVersion
from annotation.actions.locked import lock, lock_all, stale
from annotation.actions.round_votes import ask_again
from annotation.actions.seal import note_key_shown, refuse_while_sealed
from annotation.actions.trail import record
from annotation.actions.versions import as_json, build_version, content_of, mirror
from annotation.domain import edits
from annotation.domain.roi import Roi
from annotation.models import Item, ItemVersion, User, Video
from annotation.models.item import ItemState, KeepSource
from annotation.permissions import Verb, require


@transaction.atomic
def edit_item(
    *,
    item_id: int,
    base_version: int,
    changes: dict[str, Any],
    reason: str,
    cosmetic: bool = False,
    by: User,
) -> ItemVersion:
    """Make a new version of an item from its current one and `changes`; return it.

    Args:
        base_version: number of the version that the editor saw.
        changes: fields of `annotation.domain.edits.FIELDS` and their new values; times in
            seconds from the start of the video, `roi` as the item's own box (x, y, w, h in
            fractions of the frame) or None for the box of its video.
        reason: why, in the editor's words; required unless the edit is cosmetic.
        cosmetic: the meaning stays: votes and the keep decision stay too. Otherwise the
            item is open again.

    An edit that changes nothing, or that was saved already by the same editor (an answer
    lost on its way), returns the current version and makes none.

    Raises PermissionDenied, Item.DoesNotExist, edits.BadEdit, AnswerFirst, StaleVersion.
    """
    require(by, Verb.EDIT_ITEM)
    check_request(changes, reason, cosmetic)
    if "roi" in changes:
        lock_all(Video.objects.filter(items=item_id))  # its box may be what the item goes back to
    item, current = lock(item_id)
    refuse_while_sealed(item_id=item.pk, by=by)
    before = as_json(current)
    after = before | changes
    is_mine = base_version == current.number or current.author_id == by.pk
    if is_mine and not edits.changed(before, after):
        return current
    if base_version != current.number:
        raise stale(current, base_version, changes)
    edits.check(after, kind=item.kind, segment=item.video.end - item.video.start)
    version = _next_version(item, current, changes, by=by, reason=reason, cosmetic=cosmetic)
    version.save()
    put_current(item, version, was=current, reopen=not cosmetic)
    record_edit(item, before, version, reason=reason, cosmetic=cosmetic, by=by)
    note_key_shown(version=version, by=by)
    return version


def _next_version(
    item: Item,
    current: ItemVersion,
    changes: dict[str, Any],
    *,
    by: User,
    reason: str,
    cosmetic: bool,
) -> ItemVersion:
    return build_version(
        item,
        item.video,
        replace(content_of(current), **as_content(changes)),
        number=current.number + 1,
        by=by,
        reason=reason,
        votes_since=current.votes_since if cosmetic else None,
    )


def check_request(changes: dict[str, Any], reason: str, cosmetic: bool) -> None:
    unknown = sorted(set(changes) - set(edits.FIELDS))
    if unknown:
        raise edits.BadEdit(dict.fromkeys(unknown, "cannot be edited"))
    if not edits.is_clean(reason, 500):
        raise edits.BadEdit({"reason": "must be text of at most 500 characters"})
    if not reason.strip() and not cosmetic:
        raise edits.BadEdit({"reason": "say why, or mark the edit as cosmetic"})


def as_content(changes: dict[str, Any]) -> dict[str, Any]:
    """Return checked changes as `Content` names and holds them."""
    content: dict[str, Any] = {
        field: tuple(value) if isinstance(value, list) else value
        for field, value in changes.items()
    }
    if "roi" in content:
        box = content.pop("roi")
        content["roi_override"] = Roi(**box).fractions if box else None
    return content


def put_current(item: Item, version: ItemVersion, *, was: ItemVersion, reopen: bool) -> None:
    """Make `version` the current one, unless another one has taken the place of `was`."""
    mirror(item, version)
    fields: dict[str, Any] = {
        "current": version,
        "votes_since": item.votes_since,
        "question_type": item.question_type,
        "start": item.start,
        "end": item.end,
        "text": item.text,
    }
    if reopen:
        fields |= {"state": ItemState.TODO, "keep": None, "keep_source": KeepSource.NONE}
    if Item.objects.filter(pk=item.pk, current=was).update(**fields) != 1:
        raise StaleVersion(base=as_json(was), current=as_json(was), yours={})
    if reopen:
        ask_again([item.pk])


def record_edit(
    item: Item,
    before: dict[str, Any],
    version: ItemVersion,
    *,
    reason: str,
    cosmetic: bool,
    by: User,
) -> None:
    after = as_json(version)
    names = ["version", *edits.changed(before, after)]
    decision = {"state": item.state, "keep": item.keep, "keep_source": item.keep_source}
    record(
        by=by,
        verb="edit_cosmetic" if cosmetic else "edit_item",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before={name: before[name] for name in names} | decision,
        after={name: after[name] for name in names},
        reason=reason,
    )
