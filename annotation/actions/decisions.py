"""Settles what votes cannot: the adjudicator's decision."""

from django.db import transaction

from annotation.actions.locked import lock, stale
from annotation.actions.trail import record
from annotation.domain.edits import BadEdit, is_clean
from annotation.models import Item, User
from annotation.models.item import ItemState, KeepSource
from annotation.permissions import Verb, require


@transaction.atomic
def adjudicate(
    *, item_id: int, version_number: int, keep: bool, reason: str = "", by: User
) -> Item:
    """Settle whether an item is kept. Votes no longer move it; an edit opens it again.

    The same decision twice changes nothing. Raises PermissionDenied, Item.DoesNotExist,
    BadEdit for a reason that cannot be stored, StaleVersion.
    """
    require(by, Verb.ADJUDICATE)
    if not is_clean(reason, 500):
        raise BadEdit({"reason": "must be text of at most 500 characters"})
    item, current = lock(item_id)
    if version_number != current.number:
        raise stale(current, version_number, {"keep": keep, "version": version_number})
    if item.keep_source == KeepSource.ADJUDICATOR and item.keep == keep:
        return item
    before = {"state": item.state, "keep": item.keep, "keep_source": item.keep_source}
    item.state = ItemState.KEPT if keep else ItemState.DROPPED
    item.keep, item.keep_source = keep, KeepSource.ADJUDICATOR
    item.save(update_fields=["state", "keep", "keep_source"])
    record(
        by=by,
        verb="adjudicate",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before=before,
        after={
            "state": item.state,
            "keep": item.keep,
            "keep_source": item.keep_source,
            "version": current.number,
        },
        reason=reason,
    )
    return item
