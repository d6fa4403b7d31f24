"""Proposed repairs of a benchmark, by kind and page, and the audit's figures before and after."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet

from annotation.domain.repairs import KINDS
from annotation.domain.text_diff import Piece, word_diff
from annotation.models import (
    AuditState,
    Benchmark,
    Item,
    ItemVersion,
    Repair,
    RepairSearch,
    ShortcutAudit,
    User,
)
from annotation.models.repair import RepairState
from annotation.queries.answering import sealed_among
from annotation.queries.audits import Measured, measured

A_PAGE = 20
MOST_AUDITS = 8
MOST_DECIDED = 10
STANDING = Q(item__current=F("item_version"))  # the item still says what the proposal is about
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
    """`sealed`: the reader has to answer the item first, and what changes would tell its key."""

    repair: Repair
    lines: list[Line]
    sealed: bool


@dataclass(frozen=True)
class DecidedRepair:
    """A proposal that somebody decided on; `answer` names what takes the decision back, empty
    where the item has changed since."""

    repair: Repair
    answer: str
    sealed: bool


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
    decided: list[DecidedRepair]
    points: list[AuditPoint]

    @property
    def newest_first(self) -> list[AuditPoint]:
        return self.points[::-1]


def repairs(benchmark: Benchmark, reader: User, *, kind: str, page: str) -> Repairs:
    """Return the open proposals of `kind` (else of the first kind that has any), a page, and
    what changes where `reader` may be told the key."""
    kinds = kind_rows(benchmark)
    chosen = next((row for row in kinds if row.name == kind), None)
    chosen = chosen or next((row for row in kinds if row.open), kinds[0])
    found = open_repairs(benchmark, chosen.name).select_related("item__video", "item_version")
    listed = Paginator(found, A_PAGE).get_page(page)
    decided = decided_repairs(benchmark, chosen.name)
    told = [one.item_id for one in (*listed, *decided)]
    sealed = set(
        sealed_among(reader, Item.objects.filter(pk__in=told)).values_list("pk", flat=True)
    )
    return Repairs(
        search=RepairSearch.objects.filter(benchmark=benchmark).first(),
        kinds=kinds,
        shown=chosen,
        page=listed,
        listed=[
            ProposedRepair(one, [] if shut else lines_of(one), shut)
            for one in listed
            for shut in [one.item_id in sealed]
        ],
        decided=[DecidedRepair(one, _way_back(one), one.item_id in sealed) for one in decided],
        points=audit_points(benchmark),
    )


def open_repairs(benchmark: Benchmark, kind: str) -> QuerySet[Repair]:
    """Return the open proposals of a kind, in the order of their items."""
    rows = Repair.objects.filter(STANDING, benchmark=benchmark, state=RepairState.OPEN, kind=kind)
    return rows.order_by("item_id")


def decided_repairs(benchmark: Benchmark, kind: str) -> list[Repair]:
    """Return the proposals of a kind that were decided last, the last first. One query."""
    rows = Repair.objects.filter(benchmark=benchmark, kind=kind).exclude(state=RepairState.OPEN)
    rows = rows.select_related("item__current", "item__video", "item_version")
    return list(rows.order_by("-decided_at")[:MOST_DECIDED])


def _way_back(repair: Repair) -> str:
    current = repair.item.current
    if current is None:
        return ""
    if repair.state == RepairState.REJECTED:
        return "again" if current.pk == repair.item_version_id else ""
    return "undo" if is_in_place(repair, current) else ""


def is_in_place(repair: Repair, current: ItemVersion) -> bool:
    """Say whether `current`, the item's version now, is the one that accepting `repair` made."""
    made = current.number == repair.item_version.number + 1
    return (
        made
        and repair.state == RepairState.ACCEPTED
        and all(getattr(current, name) == value for name, value in repair.changes.items())
    )


def kind_rows(benchmark: Benchmark) -> list[KindRow]:
    """Return each kind with its counts. One query."""
    known = Repair.objects.filter(STANDING | ~Q(state=RepairState.OPEN), benchmark=benchmark)
    rows = known.order_by().values_list("kind", "state")
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
