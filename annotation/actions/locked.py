"""Takes an item for a change, and says when the writer looked at an older version."""

from typing import Any

from django.db.models import QuerySet

from annotation.actions.conflicts import StaleVersion
from annotation.actions.versions import as_json
from annotation.domain import edits
from annotation.domain.merging import merge
from annotation.models import Item, ItemVersion


def lock_all(rows: QuerySet[Any]) -> None:
    """Lock rows in order of their ids. Read them anew afterwards."""
    list(rows.select_for_update(of=("self",)).order_by("pk").only("pk"))


def lock(item_id: int) -> tuple[Item, ItemVersion]:
    """Return an item and its current version; other writers wait until the transaction ends.

    The item comes with `benchmark`, `video` and the video's `source`. On SQLite the
    transaction itself, which is IMMEDIATE, is the lock. Raises Item.DoesNotExist.

    Locked first and read after: on PostgreSQL a join in the locking query would look for the
    version that another writer made in the meantime among the rows from before the wait.
    """
    Item.objects.select_for_update().only("pk").get(pk=item_id)
    item = Item.objects.select_related("current", "benchmark", "video__source").get(pk=item_id)
    if item.current is None:
        raise Item.DoesNotExist(f"Item {item_id} has no version.")
    item.video.benchmark = item.benchmark
    return item, item.current


def stale(current: ItemVersion, base_number: int, yours: dict[str, Any]) -> StaleVersion:
    """Return what to raise where a write was based on another version than `current`."""
    found = ItemVersion.objects.filter(item_id=current.item_id, number=base_number).first()
    base, now = as_json(found) if found else None, as_json(current)
    edited = {field: yours[field] for field in edits.FIELDS if field in yours}
    conflicts = list(merge(base, base | edited, now).conflicts) if base else []
    return StaleVersion(
        base=base,
        current=now,
        yours=yours,
        mergeable=base is not None and not conflicts,
        conflicts=conflicts,
    )


def unread(current: ItemVersion, yours: dict[str, Any]) -> StaleVersion:
    """Return the same for a writer who may not see the key yet: numbers alone."""
    return StaleVersion(
        base={"version": yours["version"]}, current={"version": current.number}, yours=yours
    )
