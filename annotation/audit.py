"""Audits a benchmark or a release: reads its items slim, runs the domain, keeps the report."""

from collections.abc import Iterator
from typing import Any

from django.db.models import F, QuerySet

from annotation.actions.audits import claim_audit, claimable, fail_audit, finish_audit
from annotation.actions.trail import SYSTEM
from annotation.domain.audit.items import AuditItem
from annotation.domain.audit.report import as_json, audit
from annotation.domain.questions import default_style
from annotation.domain.rows import RESERVED
from annotation.models import Benchmark, ItemVersion, Release, ShortcutAudit
from annotation.models.item import Kind

CHUNK = 2000
FIELDS = (
    "stem",
    "options",
    "shown_order",
    "key_index",
    "reference_answer",
    "ground_truth",
    "question_type",
    "start",
    "end",
    "video_start",
    "video_end",
    "roi_x",
    "roi_y",
    "roi_w",
    "roi_h",
    "item__kind",
    "item__extra",
    "item__video_id",
    "item__video__source_id",
)


def items_of(benchmark: Benchmark, release: Release | None = None) -> Iterator[AuditItem]:
    """Yield the items of `release`, or of the benchmark as it stands, kept and dropped."""
    versions: QuerySet[ItemVersion]
    if release:
        versions = ItemVersion.objects.filter(release_items__release=release).annotate(
            kept=F("release_items__keep"), place=F("release_items__position")
        )
    else:
        versions = ItemVersion.objects.filter(
            item__benchmark=benchmark, item__current=F("pk")
        ).annotate(kept=F("item__keep"), place=F("item__position"))
    rows = versions.order_by("place", "item_id").values("item_id", "kept", *FIELDS)
    for row in rows.iterator(chunk_size=CHUNK):
        yield _item(row)


def _item(row: dict[str, Any]) -> AuditItem:
    kind, key = row["item__kind"], row["key_index"]
    shown = row["shown_order"].index(key) if key in row["shown_order"] else None
    return AuditItem(
        pk=row["item_id"],
        kind=kind,
        keep=row["kept"] is True,
        source=str(row["item__video__source_id"]),
        video=str(row["item__video_id"]),
        question_type=row["question_type"],
        stem=row["stem"],
        start=row["start"],
        end=row["end"],
        length=row["video_end"] - row["video_start"],
        roi=(row["roi_x"], row["roi_y"], row["roi_w"], row["roi_h"]),
        options=tuple(row["options"]),
        key_index=key,
        shown_place=shown,
        mark=_mark(kind, row["item__extra"]) if kind == Kind.MCQ else "",
        reference_answer=row["reference_answer"],
        ground_truth=row["ground_truth"],
    )


def _mark(kind: str, extra: dict[str, Any]) -> str:
    """Return how option A is marked in the item's file; `published_rows` keeps what is unusual."""
    style = extra.get(RESERVED, {}).get("style")
    return style[1] if style else default_style(kind).mark


def make_audit(audit_id: int) -> dict[str, Any] | None:
    """Make and keep the audit that was asked for, and return its report.

    None where another worker has it, or it is made already.
    """
    if not claim_audit(audit_id=audit_id):
        return None
    asked = ShortcutAudit.objects.select_related("benchmark", "release").get(pk=audit_id)
    try:
        found = audit(list(items_of(asked.benchmark, asked.release)))
    except Exception as error:
        reason = f"The audit ended with {type(error).__name__}: {error}"
        fail_audit(audit=asked, reason=reason, by=SYSTEM)
        raise
    report = as_json(found)
    finish_audit(audit=asked, report=report, flags=found.flags, by=SYSTEM)
    return report


def make_waiting_audits() -> None:
    """Make the audits whose message to a worker was lost, or whose worker died."""
    for audit_id in claimable().values_list("pk", flat=True):
        make_audit(audit_id)
