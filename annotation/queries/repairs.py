"""Proposed repairs of a benchmark, by kind and page, and the audit's figures before and after."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, QuerySet

from annotation.domain.repairs import KINDS
from annotation.domain.text_diff import Piece, word_diff
from annotation.models import (
    AuditState,
    Benchmark,
    ItemVersion,
    Repair,
    RepairSearch,
    ShortcutAudit,
)
from annotation.models.repair import RepairState
from annotation.queries.audits import Measured, measured

A_PAGE = 20
MOST_AUDITS = 8
LENGTH = "length"  # what a text model rewrote
TITLES = {**{name: kind.title for name, kind in KINDS.items()}, LENGTH: "Options of uneven length"}


@dataclass(frozen=True)
class KindRow:
    name: str
    title: str
    open: int
    accepted: int
    rejected: int
    at_once: bool


@dataclass(frozen=True)
class Line:
    """One field that a proposal changes: its name and the words that go and come."""

    field: str
    pieces: list[Piece]


@dataclass(frozen=True)
class ProposedRepair:
    repair: Repair
    lines: list[Line]


@dataclass(frozen=True)
class AuditPoint:
    """The figures of one audit of the benchmark as it stood, None before a figure existed.

    `accepted` counts the repairs accepted until then.
    """

    audit: ShortcutAudit
    learned: Measured | None
    p: float | None
    held_out: Measured | None
    chance: Measured | None
    accepted: int


@dataclass(frozen=True)
class Repairs:
    """What the page shows; `search` is None before the first search."""

    search: RepairSearch | None
    kinds: list[KindRow]
    shown: KindRow
    page: Page
    listed: list[ProposedRepair]
    points: list[AuditPoint]

    @property
    def newest_first(self) -> list[AuditPoint]:
        return self.points[::-1]


def repairs(benchmark: Benchmark, *, kind: str, page: str) -> Repairs:
    """Return the open proposals of `kind` (else of the first kind that has any), a page."""
    kinds = kind_rows(benchmark)
    chosen = next((row for row in kinds if row.name == kind), None)
    chosen = chosen or next((row for row in kinds if row.open), kinds[0])
    found = open_repairs(benchmark, chosen.name).select_related("item__video", "item_version")
    listed = Paginator(found, A_PAGE).get_page(page)
    return Repairs(
        search=RepairSearch.objects.filter(benchmark=benchmark).first(),
        kinds=kinds,
        shown=chosen,
        page=listed,
        listed=[ProposedRepair(one, lines_of(one)) for one in listed],
        points=audit_points(benchmark),
    )


def open_repairs(benchmark: Benchmark, kind: str) -> QuerySet[Repair]:
    """Return the open proposals of a kind, in the order of their items."""
    rows = Repair.objects.filter(benchmark=benchmark, state=RepairState.OPEN, kind=kind)
    return rows.order_by("item_id")


def kind_rows(benchmark: Benchmark) -> list[KindRow]:
    """Return each kind with its counts. One query."""
    rows = Repair.objects.filter(benchmark=benchmark).order_by().values_list("kind", "state")
    counts = {(kind, state): n for kind, state, n in rows.annotate(n=Count("pk"))}
    return [
        KindRow(
            name,
            title,
            counts.get((name, RepairState.OPEN), 0),
            counts.get((name, RepairState.ACCEPTED), 0),
            counts.get((name, RepairState.REJECTED), 0),
            name in KINDS and KINDS[name].cosmetic,
        )
        for name, title in TITLES.items()
    ]


def lines_of(repair: Repair) -> list[Line]:
    """Return the fields that a proposal changes, with their words before and after."""
    version, changes = repair.item_version, repair.changes
    lines = []
    if "options" in changes:
        lines += _option_lines(version, changes["options"], changes.get("key_index"))
    for name in ("start", "end"):
        if name in changes and changes[name] != getattr(version, name):
            before, after = f"{getattr(version, name):.2f} s", f"{changes[name]:.2f} s"
            lines.append(Line(name.capitalize(), word_diff(before, after)))
    return lines


def _option_lines(version: ItemVersion, after: list[str], key: int | None) -> list[Line]:
    key = version.key_index if key is None else key
    pairs = zip(version.options, after, strict=True)
    return [
        Line(f"Option {place + 1}{', key' if place == key else ''}", word_diff(before, new))
        for place, (before, new) in enumerate(pairs)
        if before != new
    ]


def audit_points(benchmark: Benchmark) -> list[AuditPoint]:
    """Return the last audits of the benchmark as it stood, the oldest first. Two queries."""
    audits = ShortcutAudit.objects.filter(
        benchmark=benchmark, release=None, state=AuditState.DONE
    ).order_by("-pk")[:MOST_AUDITS]
    accepted = Repair.objects.filter(benchmark=benchmark, state=RepairState.ACCEPTED)
    times = sorted(at for at in accepted.values_list("decided_at", flat=True) if at)
    return [
        AuditPoint(
            one,
            _share("Learned combination", one.report.get("learned")),
            (one.report.get("learned") or {}).get("p"),
            _share("Features no repair touches", one.report.get("held_out")),
            measured("Chance", one.report["chance"]) if one.report.get("chance") else None,
            sum(at <= one.made_at for at in times),
        )
        for one in reversed(audits)
    ]


def _share(label: str, found: dict[str, Any] | None) -> Measured | None:
    return measured(label, found["accuracy"], found["ci"]) if found else None
