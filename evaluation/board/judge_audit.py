"""Puts the page of a judge audit together from its stored figures: charts with the table behind
each. It says both what holds in the sample and what holds weighted to all answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluation.board.charts import Mark, difference_whisker, whisker
from evaluation.board.figure_text import signed, signed_ends
from evaluation.domain.judge_attack_rates import AttackRate
from evaluation.domain.judge_calibration import Calibration
from evaluation.domain.judge_panel import SAID, Rule
from evaluation.models import GradingSample
from evaluation.queries.judge_attacks import Attacked
from evaluation.queries.judge_standings import Calibrations

REACH = 0.5  # the axis of differences runs from -0.5 to +0.5 points
NONE = "–"
Numbers = Sequence[float | None]


@dataclass(frozen=True)
class Figure:
    """A figure with its interval, as text and drawn."""

    value: str
    interval: str
    drawing: SafeString | str


@dataclass(frozen=True)
class KappaRow:
    """One line of agreement: weighted to all answers (`all`) and in the sample."""

    name: str
    n: int
    all: Figure
    sample: Figure
    exact: Figure
    why: str
    own: bool = False


@dataclass(frozen=True)
class JudgeCard:
    """All that is told of one judge."""

    label: str
    rubric: str
    stands: Calibration
    agreement: KappaRow
    table: list[tuple[int, list[tuple[int, str]], int]]
    models: list[KappaRow]
    leanings: list[tuple[str, str, Figure, Figure]]
    shares: str
    family_why: str


def audit_context(
    sample: GradingSample | None, known: Calibrations, rule: tuple[float, int]
) -> dict[str, Any]:
    """Return the context of `evaluation/judge.html`; nothing of it is a secret."""
    if sample is None or not sample.figures:
        return {"figures": None}
    figures = sample.figures
    return {
        "figures": figures,
        "judges": [_judge_card(one, known, rule) for one in figures["judges"]],
        "clinicians": _kappa_row("All clinicians", figures["clinicians"], rule[0]),
        "pairs": [
            _kappa_row(f"Clinicians {one['graders'][0]} and {one['graders'][1]}",
                       one["agreement"], rule[0])
            for one in figures["pairs"]
        ],
        "panels": [
            (
                _kappa_row(Rule(one["rule"]).value.capitalize(), one["agreement"], rule[0]),
                SAID[Rule(one["rule"])],
                difference(one["strictness"]["mean"]),
            )
            for one in figures["panels"]
        ],
        "panel_judges": figures["panels"][0]["judges"] if figures["panels"] else [],
        "rows": [
            (row["model"], row["n"], [_points(one) for one in row["means"]])
            for row in figures.get("rows", ())
        ],
        "stability": [_stable(one) for one in figures["stability"]],
        "order": [_order(one) for one in figures.get("order", ())],
    }  # fmt: skip


def kappa(numbers: Numbers, least: float | None = None) -> Figure:
    """Return a coefficient drawn from 0 to 1, with a dashed line at the least one."""
    value, low, high = numbers
    if value is None:
        return Figure(NONE, "", "")
    words = _words(value, low, high)
    mark = Mark(_in(value), None if low is None else _in(low), None if high is None else _in(high))
    return Figure(_two(value), _interval(low, high), whisker(mark, words, chance=least))


def share(numbers: Numbers) -> Figure:
    """Return a share as per cent."""
    value, low, high = numbers
    if value is None:
        return Figure(NONE, "", "")
    interval = "" if low is None or high is None else f"{100 * low:.0f} to {100 * high:.0f} %"
    words = f"{100 * value:.0f} %" + (f", 95 % interval {interval}" if interval else "")
    return Figure(f"{100 * value:.0f} %", interval, whisker(Mark(value, low, high), words))


def attack_rows(found: Attacked) -> list[tuple[AttackRate, Figure]]:
    """Return the rates of attacks as they are drawn: all together, then by kind."""
    return [
        (rate, share((rate.share, rate.low, rate.high))) for rate in (found.whole, *found.kinds)
    ]


def difference(found: Mapping[str, Any], unit: str = "points") -> Figure:
    """Return a difference in points, drawn from -0.5 to +0.5."""
    value, low, high = found["value"], found["low"], found["high"]
    if value is None:
        return Figure(NONE, "", "")
    words = f"{_signed(value)} {unit}"
    interval = "" if low is None or high is None else f"{_signed(low)} to {_signed(high)}"
    if interval:
        words += f", 95 % interval {interval}"
    return Figure(
        _signed(value), interval, difference_whisker(value, low, high, words, reach=REACH)
    )


def _judge_card(
    found: Mapping[str, Any], known: Calibrations, rule: tuple[float, int]
) -> JudgeCard:
    label, rubric, agreement = found["label"], found["rubric"], found["agreement"]
    value, low, high = agreement["kappa_all"]
    stands = known.get((label, rubric)) or Calibration(
        label, rubric, value, low, high, agreement["n"], rule[0], rule[1]
    )
    strict, family = found["all"]["strictness"], found["all"]["family"]
    return JudgeCard(
        label=label,
        rubric=rubric,
        stands=stands,
        agreement=_kappa_row(label, agreement, rule[0]),
        table=_table(agreement["table"]),
        models=[
            _kappa_row(one["model"], one["agreement"], rule[0], own=one["own"])
            for one in found["by_model"]
        ],
        leanings=_leanings(found),
        shares=_shares(strict),
        family_why=family["why"],
    )


def _leanings(found: Mapping[str, Any]) -> list[tuple[str, str, Figure, Figure]]:
    """Return (what, why it is looked at, weighted to all, in the sample)."""
    whole, sample = found["all"], found["sample"]
    rows = [
        (
            "All answers",
            "above 0 the judge is more lenient than clinicians",
            whole["strictness"]["mean"],
            sample["strictness"]["mean"],
        )
    ]
    thirds = zip(whole["length"]["thirds"], sample["length"]["thirds"], strict=False)
    for name, (one, other) in zip(("Short", "Middle", "Long"), thirds, strict=False):
        rows.append((f"{name} answers", f"{one[0]} to {one[1]} characters", one[2], other[2]))
    slopes = whole["length"]["slope"], sample["length"]["slope"]
    rows.append(("Per 100 characters", "slope of the difference on length", *slopes))
    family = whole["family"], sample["family"]
    if not family[0]["why"]:
        names = ", ".join(family[0]["families"])
        rows += [
            ("Own family", names, family[0]["own"], family[1]["own"]),
            ("Other families", "", family[0]["others"], family[1]["others"]),
            (
                "Self-preference",
                "own family minus others: what it favours its own by",
                family[0]["difference"],
                family[1]["difference"],
            ),
        ]
    return [(what, why, difference(one), difference(other)) for what, why, one, other in rows]


def _shares(found: Mapping[str, Any]) -> str:
    if found["above"] is None:
        return ""
    parts = (100 * found[name] for name in ("above", "below", "same"))
    return "Above clinicians {:.0f} %, below {:.0f} %, the same {:.0f} % of all answers.".format(
        *parts
    )


def _table(table: Sequence[Sequence[int]]) -> list[tuple[int, list[tuple[int, str]], int]]:
    """Return the rows of a confusion table: the judge's points, its counts each with how far
    apart the two are, and their sum."""
    look = {0: "same", 1: "near", 2: "far"}
    return [
        (score, [(count, look[abs(score - other)]) for other, count in enumerate(row)], sum(row))
        for score, row in enumerate(table)
    ]


def _kappa_row(name: str, found: Mapping[str, Any], least: float, *, own: bool = False) -> KappaRow:
    return KappaRow(
        name,
        found["n"],
        kappa(found["kappa_all"], least),
        kappa(found["kappa"], least),
        share(found["exact_all"]),
        found["why"],
        own,
    )


def _points(found: Mapping[str, Any]) -> tuple[str, bool, Figure]:
    """Return a mean of 0 to 2 points with who gave it."""
    mean, low, high = found["mean"], found["low"], found["high"]
    mark = Mark(mean / 2, None if low is None else low / 2, None if high is None else high / 2)
    words = _words(mean, low, high)
    return (
        found["judge"],
        found["is_panel"],
        Figure(_two(mean), _interval(low, high), whisker(mark, words)),
    )


def _stable(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "label": found["label"],
        "rubric": found["rubric"],
        "answers": found["answers"],
        "pairs": found["pairs"],
        "flips": share(found["flips"] or (None, None, None)),
        "kappa": kappa(found["kappa"]),
        "why": found["why"],
    }


def _order(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "label": found["label"],
        "rubric": found["rubric"],
        "answers": found["answers"],
        "differ": share(found["differ"] or (None, None, None)),
        "flips": share(found["flips"] or (None, None, None)),
        "beyond": _beyond(found["beyond"]),
        "shift": difference(found["shift"]),
        "why": found["why"],
    }


def _beyond(found: Mapping[str, Any]) -> Figure:
    """Return a difference of two shares in percentage points."""
    value, low, high = found["value"], found["low"], found["high"]
    if value is None:
        return Figure(NONE, "", "")
    interval = ""
    if low is not None and high is not None:
        interval = " to ".join(signed_ends(low, high, scale=100, digits=0))
    return Figure(signed(100 * value, 0), interval, "")


def _in(value: float) -> float:
    return min(1.0, max(0.0, value))


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _signed(value: float) -> str:
    text = f"{value:+.2f}".replace("-", "−")
    return "0.00" if text in ("+0.00", "−0.00") else text


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{_two(low)} to {_two(high)}"


def _words(value: float, low: float | None, high: float | None) -> str:
    interval = _interval(low, high)
    return _two(value) + (f", 95 % interval {interval}" if interval else "")
