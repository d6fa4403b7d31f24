"""Asks for shortcut audits and keeps what they find."""

from collections.abc import Iterable
from datetime import timedelta
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from annotation.actions.trail import record
from annotation.domain.audit.flags import ItemFlag
from annotation.models import AuditFlag, AuditState, Benchmark, Release, ShortcutAudit, User
from annotation.permissions import Verb, require

BATCH = 1000
LEASE = timedelta(minutes=25)  # longer than the task may run
ERROR_LENGTH = 500
REASON_LENGTH = 400


@transaction.atomic
def request_audit(
    *, benchmark: Benchmark, release: Release | None = None, by: User | str
) -> ShortcutAudit:
    """Ask for an audit of `release`, or of the benchmark as it stands; a worker makes it.

    Where one is waiting or being made already, that one is returned.
    Raises PermissionDenied where an account `by` may not adjudicate: flags tell what a
    reviewer must not know before the own vote.
    """
    if isinstance(by, User):
        require(by, Verb.ADJUDICATE)
    benchmark = Benchmark.objects.select_for_update().get(pk=benchmark.pk)
    alive = Q(state=AuditState.WAITING) | Q(
        state=AuditState.RUNNING, started_at__gt=timezone.now() - LEASE
    )
    found = ShortcutAudit.objects.filter(alive, benchmark=benchmark, release=release).first()
    if found:
        return found
    audit = ShortcutAudit.objects.create(
        benchmark=benchmark, release=release, asked_by=by if isinstance(by, User) else None
    )
    record(
        by=by,
        verb="request_audit",
        target_kind="audit",
        target_id=audit.pk,
        benchmark_id=benchmark.pk,
        after={"release": release.tag if release else None},
    )
    return audit


def claimable() -> QuerySet[ShortcutAudit]:
    """Return the audits that wait, or whose worker died, oldest first."""
    dead = Q(state=AuditState.RUNNING, started_at__lte=timezone.now() - LEASE)
    waiting = ShortcutAudit.objects.filter(Q(state=AuditState.WAITING) | dead)
    return waiting.order_by("made_at", "pk")


def claim_audit(*, audit_id: int) -> bool:
    """Mark a claimable audit as being made; False where it is none, or another worker's."""
    found = claimable().filter(pk=audit_id)
    claimed = found.update(state=AuditState.RUNNING, started_at=timezone.now())
    return claimed == 1


@transaction.atomic
def finish_audit(
    *, audit: ShortcutAudit, report: dict[str, Any], flags: Iterable[ItemFlag], by: User | str
) -> None:
    """Keep what an audit found; the flags of earlier audits of the same release go."""
    same = ShortcutAudit.objects.filter(benchmark=audit.benchmark_id, release=audit.release_id)
    AuditFlag.objects.filter(audit__in=same).delete()
    rows = (
        AuditFlag(audit=audit, item_id=flag.pk, flag=flag.flag, reason=flag.reason[:REASON_LENGTH])
        for flag in flags
    )
    while batch := list(islice(rows, BATCH)):
        AuditFlag.objects.bulk_create(batch)
    audit.state, audit.report, audit.error = AuditState.DONE, report, ""
    audit.finished_at = timezone.now()
    audit.save(update_fields=["state", "report", "error", "finished_at"])
    learned = report.get("learned") or {}
    record(
        by=by,
        verb="finish_audit",
        target_kind="audit",
        target_id=audit.pk,
        benchmark_id=audit.benchmark_id,
        after={"accuracy": learned.get("accuracy"), "p": learned.get("p")},
    )


@transaction.atomic
def fail_audit(*, audit: ShortcutAudit, reason: str, by: User | str) -> None:
    """Keep why an audit could not be made."""
    audit.state, audit.error = AuditState.FAILED, reason[:ERROR_LENGTH]
    audit.finished_at = timezone.now()
    audit.save(update_fields=["state", "error", "finished_at"])
    record(
        by=by,
        verb="fail_audit",
        target_kind="audit",
        target_id=audit.pk,
        benchmark_id=audit.benchmark_id,
        reason=reason,
    )
