"""Looks for repairs of a benchmark as it stands, item by item, for a worker."""

from collections.abc import Iterator

from annotation.actions.repairs import fail_repairs, keep_repairs
from annotation.actions.trail import SYSTEM
from annotation.audit import items_of
from annotation.domain.audit.items import AuditItem
from annotation.domain.audit.key_flags import unshuffled_flags
from annotation.domain.repairs import Repairable, proposals
from annotation.models import Benchmark, Item, ItemVersion, Repair, RepairSearch
from annotation.models.repair import RepairState

CHUNK = 1000


def find_repairs(benchmark_id: int) -> None:
    """Make the proposals that were asked for; nothing is done where nobody asked."""
    search = RepairSearch.objects.select_related("benchmark").filter(
        benchmark=benchmark_id, waiting=True
    )
    found = search.first()
    if found is None:
        return
    try:
        keep_repairs(search=found, found=repairs_of(found.benchmark), by=SYSTEM)
    except Exception as error:
        fail_repairs(search=found, reason=f"{type(error).__name__}: {error}", by=SYSTEM)
        raise


def find_waiting() -> None:
    """Make the proposals whose message to a worker was lost."""
    waiting = RepairSearch.objects.filter(waiting=True)
    for benchmark_id in waiting.values_list("benchmark_id", flat=True):
        find_repairs(benchmark_id)


def repairs_of(benchmark: Benchmark) -> Iterator[Repair]:
    """Yield the proposals for the kept items of `benchmark`, those rejected left out."""
    items = [item for item in items_of(benchmark) if item.keep]
    unshuffled = {flag.pk for flag in unshuffled_flags(items)}
    rejected = set(
        Repair.objects.filter(benchmark=benchmark, state=RepairState.REJECTED).values_list(
            "item_version_id", "kind"
        )
    )
    for start in range(0, len(items), CHUNK):
        part = items[start : start + CHUNK]
        drawn = _current([item.pk for item in part])
        for item in part:
            version_id, shown_order = drawn[item.pk]
            for kind, proposal in proposals(
                repairable(item, shown_order, unshuffled=item.pk in unshuffled)
            ).items():
                if (version_id, kind) not in rejected:
                    yield Repair(
                        benchmark=benchmark,
                        item_id=item.pk,
                        item_version_id=version_id,
                        kind=kind,
                        changes=proposal.changes,
                        words=proposal.words,
                        cosmetic=proposal.cosmetic,
                    )


def repairable(item: AuditItem, shown_order: list[int], *, unshuffled: bool) -> Repairable:
    """Return the item as repairs see it."""
    return Repairable(
        kind=item.kind,
        options=item.options,
        shown_order=tuple(shown_order),
        key_index=item.key_index,
        start=item.start,
        end=item.end,
        segment=item.length,
        unshuffled=unshuffled,
    )


def _current(ids: list[int]) -> dict[int, tuple[int, list[int]]]:
    """Return, by item, the id and the shown order of its current version."""
    current = Item.objects.filter(pk__in=ids).values("current_id")
    rows = ItemVersion.objects.filter(pk__in=current)
    return {
        item: (pk, order) for pk, item, order in rows.values_list("pk", "item_id", "shown_order")
    }
