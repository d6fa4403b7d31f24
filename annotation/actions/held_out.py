"""Holds items out of all that the public sees, and puts them back."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.actions.trail import record, record_many
from annotation.domain.held_out import draw_sources
from annotation.models import Benchmark, Item, Revision, User
from annotation.permissions import Verb, require

MOST_KEYS = 10_000
MOST_DRAWN = 0.9
BATCH = 500


class HoldingRefused(ValueError):
    """Items cannot be held out or put back; the message says why, in one sentence."""


@transaction.atomic
def set_held_out(
    *, benchmark: Benchmark, keys: Sequence[str], held_out: bool, reason: str, by: User
) -> int:
    """Hold the items with these keys out, or put them back; return how many changed.

    Held-out items vanish from public files and pages at once, of every release, and are no
    examples any more; in figures they are a part of their own from the next release on. Putting
    one back leaves it held out in the releases that froze it so.

    Raises HoldingRefused without a reason, or where a key is no item's: then nothing changes.
    PermissionDenied unless `by` may publish.
    """
    require(by, Verb.PUBLISH)
    wanted = list(dict.fromkeys(key.strip() for key in keys if key.strip()))
    if not 1 <= len(wanted) <= MOST_KEYS:
        raise HoldingRefused(f"Name 1 to {MOST_KEYS:,} items by their keys, one a line.")
    items: list[int] = []
    for start in range(0, len(wanted), BATCH):
        part = wanted[start : start + BATCH]
        found = dict(benchmark.items.filter(key__in=part).values_list("key", "pk"))
        unknown = next((key for key in part if key not in found), None)
        if unknown is not None:
            raise HoldingRefused(f"{unknown[:80]!r} is the key of no item of {benchmark.slug}.")
        items += found.values()
    return _change(benchmark, items, held_out=held_out, reason=reason, by=by)


@transaction.atomic
def draw_held_out(*, benchmark: Benchmark, share: float, seed: int, reason: str, by: User) -> int:
    """Hold out whole sources, drawn by `seed`, that have about `share` of all items, beside
    what is held out already; return how many items changed.

    Raises HoldingRefused for a share beyond 0 to MOST_DRAWN; PermissionDenied unless `by` may
    publish.
    """
    require(by, Verb.PUBLISH)
    if not 0 < share <= MOST_DRAWN:
        raise HoldingRefused(f"Hold out more than 0 and at most {MOST_DRAWN:.0%} of the items.")
    by_source = benchmark.items.order_by().values("video__source").annotate(items=Count("pk"))
    counts = dict(by_source.values_list("video__source", "items"))
    drawn = draw_sources(counts, share, seed)
    if not drawn:
        raise HoldingRefused("Each source has more items than that share: name items instead.")
    items = benchmark.items.filter(video__source__in=drawn).values_list("pk", flat=True)
    why = f"{reason.strip()} (drawn: {share:.0%} by sources, seed {seed})" if reason.strip() else ""
    return _change(benchmark, list(items), held_out=True, reason=why, by=by)


def held_out_items(benchmark: Benchmark) -> QuerySet[Item]:
    """Return the items of `benchmark` that are held out now, in the order of lists."""
    return benchmark.items.filter(held_out=True).order_by("position")


def _change(
    benchmark: Benchmark, items: list[int], *, held_out: bool, reason: str, by: User
) -> int:
    if not reason.strip():
        raise HoldingRefused("Say why: the reason stands in the history of the items.")
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)  # not while a release is frozen
    verb, changed = "hold_out_item" if held_out else "put_back_item", 0
    for start in range(0, len(items), BATCH):
        rows = Item.objects.filter(pk__in=items[start : start + BATCH], held_out=not held_out)
        moved = dict(rows.values_list("pk", "is_example"))
        Item.objects.filter(pk__in=moved).update(held_out=held_out, is_example=False)
        record_many(
            Revision(
                actor=by.pseudonym,
                verb=verb,
                target_kind="item",
                target_id=pk,
                benchmark_id=benchmark.pk,
                before={"held_out": not held_out} | ({"is_example": True} if shown else {}),
                after={"held_out": held_out} | ({"is_example": False} if shown else {}),
                reason=reason.strip()[:500],
            )
            for pk, shown in moved.items()
        )
        changed += len(moved)
    record(
        by=by,
        verb="hold_out_items" if held_out else "put_back_items",
        target_kind="benchmark",
        target_id=benchmark.pk,
        benchmark_id=benchmark.pk,
        after={"items": changed},
        reason=reason.strip(),
    )
    return changed
