"""What the audit page shows: the newest report, its rules and spreads, flagged items by page."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from annotation.domain.audit.flag_titles import title
from annotation.domain.audit.flags import LEARNED
from annotation.domain.audit.summary import FEW, percent, verdict
from annotation.domain.question_texts import without_opening
from annotation.models import AuditFlag, AuditState, Benchmark, Item, Release, ShortcutAudit, User
from annotation.queries.answering import sealed_among

FLAGGED_A_PAGE = 20
MOST_BARS = 5
MOST_AUDITS = 12
MOST_RELEASES = 50
DRAFT = "draft"


@dataclass(frozen=True)
class Measured:
    """A share as it is drawn: places in percent of the width, and its figures in words."""

    label: str
    share: str
    at: float
    low: float | None
    high: float | None
    words: str
    kind: str = ""

    @property
    def interval(self) -> str:
        """Return the interval in figures; "" without one."""
        if self.low is None or self.high is None:
            return ""
        return f"{self.low:.1f} to {self.high:.1f}"


@dataclass(frozen=True)
class RuleRow:
    name: str
    words: str
    correct: int
    picked: int
    mark: Measured
    p: str
    leaks: bool


@dataclass(frozen=True)
class FlagRow:
    name: str
    title: str
    count: int


@dataclass(frozen=True)
class FlaggedItem:
    """A flag of an item, and the item's question without its stock opening. `sealed`: the reader
    has to answer the item first, and the reason of the flag would lead to its key."""

    flag: AuditFlag
    question: str
    sealed: bool


@dataclass(frozen=True)
class Bar:
    """One count of a spread and its share of the largest one, in percent."""

    label: str
    count: int
    width: float


@dataclass(frozen=True)
class SpreadRow:
    name: str
    bars: list[Bar]
    p: str


@dataclass(frozen=True)
class AuditView:
    """What the page of one audit shows; `audit` is None before the first one."""

    benchmark: Benchmark
    release: Release | None
    audit: ShortcutAudit | None
    waiting: ShortcutAudit | None
    failed: ShortcutAudit | None
    report: dict[str, Any]
    verdict: str
    leaky: bool
    sound: bool
    chance: Measured | None
    bars: list[Measured]
    rules: list[RuleRow]
    flags: list[FlagRow]
    flag: FlagRow | None
    listed: Page[AuditFlag] | None
    flagged: list[FlaggedItem]
    spreads: list[SpreadRow]
    free: list[Measured]
    null: str
    strongest: list[tuple[str, float]]
    audits: list[tuple[ShortcutAudit, Measured | None]]
    releases: list[Release]


def audit_view(
    benchmark: Benchmark, reader: User, *, release: Release | None, flag: str = "", page: str = ""
) -> AuditView:
    """Return what is known of `release`, or of the benchmark as it stands, as far as `reader` may
    be told it."""
    own = ShortcutAudit.objects.filter(benchmark=benchmark, release=release)
    newest = own.defer("report").first()
    audit = own.filter(state=AuditState.DONE).first()
    report = audit.report if audit else {}
    rows = [FlagRow(name, title(name), count) for name, count in report.get("flags", {}).items()]
    chosen = next((row for row in rows if row.name == flag), rows[0] if rows else None)
    learned = report.get("learned")
    listed = _listed(audit, chosen, page) if audit and chosen else None
    leaky = bool(learned and learned["p"] <= 0.05) or any(_leaking(report))
    return AuditView(
        benchmark=benchmark,
        release=release,
        audit=audit,
        waiting=newest if newest and newest.state in ("waiting", "running") else None,
        failed=newest if newest and newest.state == AuditState.FAILED else None,
        report=report,
        verdict=verdict(report) if audit else "",
        leaky=leaky,
        sound=bool(learned and learned["n"] >= FEW) and not leaky,
        chance=measured("Chance", report["chance"]) if report.get("chance") else None,
        bars=_bars(report),
        rules=[_rule_row(rule) for rule in report.get("rules", [])],
        flags=rows,
        flag=chosen,
        listed=listed,
        flagged=_flagged(list(listed or ()), reader),
        spreads=[_spread(spread) for spread in report.get("balance", [])],
        free=_free(report.get("free", {})),
        null=" to ".join(percent(share) for share in learned["null"]) if learned else "",
        strongest=[(name, weight) for name, weight in learned["strongest"]] if learned else [],
        audits=_audits(benchmark),
        releases=list(benchmark.releases.all()[:MOST_RELEASES]),
    )


def leaky_items(release: Release) -> set[int] | None:
    """Return the ids of the MCQs whose key the newest audit of `release` found with confidence;
    None where it was never audited. Two queries."""
    done = ShortcutAudit.objects.filter(release=release, state=AuditState.DONE).only("pk").first()
    if done is None:
        return None
    return set(done.flags.filter(flag=LEARNED).values_list("item_id", flat=True))


def measured(
    label: str, share: float, ci: list[float | None] | None = None, kind: str = ""
) -> Measured:
    """Return a share (0 to 1) and its interval as they are drawn."""
    low, high = ci or [None, None]
    words = f"{label}: {percent(share)}"
    if low is None or high is None:
        return Measured(label, percent(share), 100 * share, None, None, words, kind)
    low, high = max(low, 0.0), min(high, 1.0)
    words += f", 95 % interval {percent(low)} to {percent(high)}"
    return Measured(label, percent(share), 100 * share, 100 * low, 100 * high, words, kind)


def _leaking(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [rule for rule in report.get("rules", []) if rule["leaks"]]


def _bars(report: dict[str, Any]) -> list[Measured]:
    found = []
    if learned := report.get("learned"):
        kind = "warn" if learned["p"] <= 0.05 else "ref"
        found.append(measured("Learned combination", learned["accuracy"], learned["ci"], kind))
    for rule in _leaking(report)[:MOST_BARS]:
        label = rule["words"][:1].upper() + rule["words"][1:]
        found.append(measured(label, rule["accuracy"], rule["ci"], "warn"))
    return found


def _rule_row(rule: dict[str, Any]) -> RuleRow:
    mark = measured(rule["name"], rule["accuracy"], rule["ci"], "" if rule["leaks"] else "ref")
    words = f"The key {rule['words']}"
    return RuleRow(
        rule["name"],
        words,
        rule["correct"],
        rule["picked"],
        mark,
        p_words(rule["p_holm"]),
        rule["leaks"],
    )


def p_words(p: float | None) -> str:
    """Return a p value as people read it; "" for none."""
    if p is None:
        return ""
    return "< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") if p < 1 else "1"


def _spread(spread: dict[str, Any]) -> SpreadRow:
    most = max((count for _, count in spread["counts"]), default=0) or 1
    bars = [Bar(label, count, 100 * count / most) for label, count in spread["counts"]]
    return SpreadRow(spread["name"], bars, p_words(spread["p"]))


def _free(found: dict[str, Any]) -> list[Measured]:
    names = {
        "answer_in_stem": "Answer's words in the stem",
        "truth_in_stem": "Ground truth's words in the stem",
        "typical_of_type": "Usual words of the type",
        "typical_of_others": "Usual words of other types",
    }
    shares = {label: found.get(name) for name, label in names.items()}
    return [measured(label, share) for label, share in shares.items() if share is not None]


def _listed(audit: ShortcutAudit, flag: FlagRow, page: str) -> Page[AuditFlag]:
    found: QuerySet[AuditFlag] = (
        audit.flags.filter(flag=flag.name)
        .select_related("item__video")
        .only(
            "audit",
            "item",
            "reason",
            "item__text",
            "item__kind",
            "item__keep",
            "item__index",
            "item__video__title",
        )
        .order_by("pk")  # stored in the order of the items
    )
    return Paginator(found, FLAGGED_A_PAGE).get_page(page or 1)


def _flagged(flags: list[AuditFlag], reader: User) -> list[FlaggedItem]:
    items = Item.objects.filter(pk__in=[row.item_id for row in flags])
    sealed = set(sealed_among(reader, items).values_list("pk", flat=True))
    return [
        FlaggedItem(row, without_opening(row.item.text), row.item_id in sealed) for row in flags
    ]


def _audits(benchmark: Benchmark) -> list[tuple[ShortcutAudit, Measured | None]]:
    """Return the newest audits of all releases with what was learned in each: before and after."""
    found = benchmark.audits.filter(Q(state=AuditState.DONE)).select_related("release")
    rows = []
    for audit in found[:MOST_AUDITS]:
        learned = audit.report.get("learned")
        mark = measured("Learned", learned["accuracy"], learned["ci"]) if learned else None
        rows.append((audit, mark))
    return rows
