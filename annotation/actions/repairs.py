"""Asks for repairs, keeps the proposals, accepts and rejects them. Nothing applies one unasked."""

from collections.abc import Iterable
from itertools import islice

from django.db import transaction
from django.utils import timezone

from annotation.actions.bulk import note as note_bulk
from annotation.actions.bulk_targets import add_items, tally
from annotation.actions.items import edit_item
from annotation.actions.locked import lock
from annotation.actions.restore import restore_version
from annotation.actions.trail import record
from annotation.actions.versions import as_json
from annotation.domain.bulk import REPAIR
from annotation.domain.repairs import KINDS
from annotation.models import (
    Benchmark,
    BulkAction,
    ItemVersion,
    Repair,
    RepairSearch,
    Revision,
    User,
)
from annotation.models.bulk import BulkState
from annotation.models.repair import RepairState
from annotation.permissions import Verb, require
from annotation.queries.repairs import STANDING, is_in_place

BATCH = 1000


class RepairGone(ValueError):
    """A proposal was decided already, or its item has changed; the message says which."""


@transaction.atomic
def request_repairs(*, benchmark: Benchmark, by: User | str) -> RepairSearch:
    """Ask for proposals on the benchmark as it stands. Raises PermissionDenied."""
    if isinstance(by, User):
        require(by, Verb.ADJUDICATE)
    found, _ = RepairSearch.objects.update_or_create(
        benchmark=benchmark, defaults={"waiting": True, "asked_at": timezone.now(), "error": ""}
    )
    _record(benchmark.pk, "request_repairs", by, target=benchmark.pk)
    return found


@transaction.atomic
def keep_repairs(*, search: RepairSearch, found: Iterable[Repair], by: User | str) -> None:
    """Put `found` in the place of the open mechanical proposals, and let go of those of a text
    model whose item has changed; what was rejected for a version is not proposed for it again."""
    proposed = Repair.objects.filter(benchmark=search.benchmark_id, state=RepairState.OPEN)
    proposed.filter(kind__in=KINDS).delete()
    proposed.exclude(STANDING).delete()
    rest = iter(found)
    while batch := list(islice(rest, BATCH)):
        Repair.objects.bulk_create(batch, ignore_conflicts=True)
    search.waiting, search.done_at, search.error = False, timezone.now(), ""
    search.save(update_fields=["waiting", "done_at", "error"])
    _record(search.benchmark_id, "keep_repairs", by, target=search.benchmark_id)


@transaction.atomic
def fail_repairs(*, search: RepairSearch, reason: str, by: User | str) -> None:
    """Keep why no proposals could be made."""
    search.waiting, search.error = False, reason[:300]
    search.save(update_fields=["waiting", "error"])
    _record(search.benchmark_id, "fail_repairs", by, target=search.benchmark_id, reason=reason)


@transaction.atomic
def accept_repair(*, repair_id: int, by: User) -> ItemVersion:
    """Make the proposed version of the item; return it.

    Raises PermissionDenied, Repair.DoesNotExist, RepairGone, AnswerFirst, StaleVersion, BadEdit.
    """
    require(by, Verb.EDIT_ITEM)
    repair = _locked(repair_id)
    version = edit_item(
        item_id=repair.item_id,
        base_version=repair.item_version.number,
        changes=repair.changes,
        reason=f"Repair: {repair.words}",
        cosmetic=repair.cosmetic,
        by=by,
    )
    decide(repair, RepairState.ACCEPTED, by=by)
    return version


@transaction.atomic
def reject_repair(*, repair_id: int, by: User) -> None:
    """Say no; the same proposal is not made for this version again.

    Raises PermissionDenied, Repair.DoesNotExist, RepairGone.
    """
    require(by, Verb.EDIT_ITEM)
    repair = _locked(repair_id)
    decide(repair, RepairState.REJECTED, by=by)
    _record(repair.benchmark_id, "reject_repair", by, target=repair.item_id, reason=repair.words)


@transaction.atomic
def propose_again(*, repair_id: int, by: User) -> None:
    """Take a rejection back. Raises PermissionDenied, Repair.DoesNotExist, RepairGone."""
    require(by, Verb.EDIT_ITEM)
    repair = Repair.objects.select_for_update().get(pk=repair_id)
    if repair.state != RepairState.REJECTED:
        raise RepairGone("Only a rejected proposal can be proposed again.")
    repair.state, repair.decided_by, repair.decided_at = RepairState.OPEN, None, None
    repair.save(update_fields=["state", "decided_by", "decided_at"])
    _record(repair.benchmark_id, "propose_again", by, target=repair.item_id)


@transaction.atomic
def take_back_repair(*, repair_id: int, by: User) -> ItemVersion:
    """Put back what an accepted repair changed, as a new version of the item; return it.

    After a cosmetic repair votes and the keep decision stay, after another the item is open.
    Raises PermissionDenied, Repair.DoesNotExist, RepairGone where the item has moved on,
    AnswerFirst, BadEdit.
    """
    require(by, Verb.EDIT_ITEM)
    repair = Repair.objects.select_related("item_version").get(pk=repair_id)
    _, current = lock(repair.item_id)
    if not is_in_place(repair, current):
        raise RepairGone("The item was changed since; its history holds the earlier wording.")
    reason = f"Taken back: {repair.words}"
    if not repair.cosmetic:
        number = repair.item_version.number
        return restore_version(
            item_id=repair.item_id, number=number, base_version=current.number, reason=reason, by=by
        )
    before = as_json(repair.item_version)
    return edit_item(
        item_id=repair.item_id,
        base_version=current.number,
        changes={name: before[name] for name in repair.changes},
        reason=reason,
        cosmetic=True,
        by=by,
    )


@transaction.atomic
def ask_repairs(*, benchmark: Benchmark, kind: str, by: User) -> BulkAction:
    """Make a bulk action of all open cosmetic proposals of `kind`, counted and not applied yet.

    Raises PermissionDenied, RepairGone where there is none.
    """
    require(by, Verb.ADJUDICATE)
    rows = Repair.objects.filter(
        STANDING, benchmark=benchmark, state=RepairState.OPEN, kind=kind, cosmetic=True
    )
    ids = list(rows.order_by("item_id").values_list("item_id", flat=True))
    if not ids:
        raise RepairGone("No proposal of this kind can be accepted at once.")
    newest = Revision.objects.order_by("-id").values_list("id", flat=True).first()
    made = BulkAction.objects.create(
        benchmark=benchmark, by=by, kind=REPAIR, words="Repairs accepted together",
        value=kind, seen=newest or 0,
    )  # fmt: skip
    for start in range(0, len(ids), BATCH):
        add_items(made, ids[start : start + BATCH], moved=set())
    made.state, made.tally = BulkState.READY, tally(made)
    made.save(update_fields=["state", "tally"])
    note_bulk("bulk_ask", made, by)
    return made


def decide(repair: Repair, state: str, *, by: User) -> None:
    """Write what became of a proposal."""
    repair.state, repair.decided_by, repair.decided_at = state, by, timezone.now()
    repair.save(update_fields=["state", "decided_by", "decided_at"])


def _locked(repair_id: int) -> Repair:
    repair = (
        Repair.objects.select_for_update(of=("self",))
        .select_related("item_version")
        .get(pk=repair_id)
    )
    if repair.state != RepairState.OPEN:
        raise RepairGone("Somebody has decided on this proposal already.")
    return repair


def _record(benchmark_id: int, verb: str, by: User | str, *, target: int, reason: str = "") -> None:
    record(
        by=by,
        verb=verb,
        target_kind="item" if verb in ("reject_repair", "propose_again") else "benchmark",
        target_id=target,
        benchmark_id=benchmark_id,
        reason=reason,
    )
