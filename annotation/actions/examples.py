"""Shows single items to the public with their keys and what models replied, and takes them back."""

from django.db import transaction

from annotation.actions.trail import record
from annotation.models import Benchmark, Item, ReleaseItem, User
from annotation.permissions import Verb, require
from annotation.queries.withheld import withheld_player

MOST_EXAMPLES = 20  # of a benchmark; more would give its keys away


class ExampleRefused(ValueError):
    """An item cannot be an example; the message says why, in one sentence."""


@transaction.atomic
def show_as_example(*, benchmark: Benchmark, key: str, reason: str, by: User) -> Item:
    """Show the item `key` to the public as an example; return it. One that is shown stays so.

    Raises ExampleRefused without a reason, for a key of no item, for an item that is held out or
    was in a release, for one whose video is in quarantine, and beyond MOST_EXAMPLES.
    PermissionDenied unless `by` is an admin.
    """
    require(by, Verb.ADMINISTER)
    if not reason.strip():
        raise ExampleRefused("Say why: the reason stands in the history of the item.")
    item = _locked(benchmark, key)
    if item.is_example:
        return item
    frozen = ReleaseItem.objects.filter(item_version__item=item, held_out=True)
    if item.held_out or frozen.exists():
        raise ExampleRefused("An item that is held out, or was in a release, is never shown.")
    if withheld_player(item.video):
        raise ExampleRefused("The video of this item is in quarantine.")
    if benchmark.items.filter(is_example=True).count() >= MOST_EXAMPLES:
        raise ExampleRefused(f"{MOST_EXAMPLES} items are examples already: take one back first.")
    return _set(item, is_example=True, reason=reason, by=by)


@transaction.atomic
def take_back_example(*, benchmark: Benchmark, key: str, reason: str = "", by: User) -> Item:
    """Show the item `key` to the public no more; return it. What was read stays read.

    Raises ExampleRefused for a key of no item, PermissionDenied unless `by` is an admin.
    """
    require(by, Verb.ADMINISTER)
    item = _locked(benchmark, key)
    return _set(item, is_example=False, reason=reason, by=by) if item.is_example else item


def _locked(benchmark: Benchmark, key: str) -> Item:
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)  # nobody counts or holds out now
    item = benchmark.items.select_related("video__source").filter(key=key.strip()).first()
    if item is None:
        raise ExampleRefused(f"{key.strip()[:80]!r} is the key of no item of {benchmark.slug}.")
    return item


def _set(item: Item, *, is_example: bool, reason: str, by: User) -> Item:
    item.is_example = is_example
    item.save(update_fields=["is_example"])
    record(
        by=by,
        verb="show_as_example" if is_example else "take_back_example",
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before={"is_example": not is_example},
        after={"is_example": is_example},
        reason=reason.strip(),
    )
    return item
