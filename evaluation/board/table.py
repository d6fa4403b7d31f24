"""The rows of the leaderboard's table as its template shows them: texts and charts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString

from evaluation.board.charts import Mark, difference_whisker, whisker
from evaluation.board.figure_text import (
    interval_text,
    points_text,
    rank_text,
    share_text,
    signed,
    signed_ends,
)
from evaluation.domain.judge_calibration import Calibration
from evaluation.domain.uncertainty import Difference
from evaluation.models.run import Condition, Origin
from evaluation.queries.board import Row
from evaluation.queries.judge_standings import Calibrations, calibration_of

GAIN_REACH = 0.5  # the gain axis runs from −50 to +50 points


@dataclass(frozen=True)
class KindCells:
    """The cells of one kind: headline, whisker, one text per type. `why` where not run."""

    value: str
    whisker: SafeString | str
    types: list[tuple[str, str]]
    why: str = ""
    title: str = ""


@dataclass(frozen=True)
class TableRow:
    """One row of the table. `warn` marks a coverage below full."""

    band: str
    reference: bool
    name: str
    sub: str
    mcq: KindCells
    free: KindCells
    gain: str
    gain_title: str
    scored: int
    items: int
    scored_sub: str
    warn: bool
    date: Any
    anchor: str
    slug: str
    self_reported: bool = False
    judge: Calibration | None = None
    verified: bool = False


@dataclass(frozen=True)
class GainRow:
    """One row of the gain view: video, blind and what lies between, of both kinds."""

    name: str
    sub: str
    mcq: Mapping[str, object]
    free: Mapping[str, object]
    anchor: str
    slug: str


def table_rows(
    rows: Sequence[Row],
    condition: str,
    types: Mapping[str, list[tuple[str, str]]],
    judges: Calibrations | None = None,
) -> list[TableRow]:
    """Return the table of `condition`; `types` lists (type, short name) by kind."""
    return [
        replace(
            _table_row(row, condition, types),
            judge=calibration_of(row.figures.get("judge"), judges or {}),
        )
        for row in rows
    ]


def gain_rows(
    rows: Sequence[Row], types: Mapping[str, list[tuple[str, str]]], blind: Mapping[int, Row]
) -> list[GainRow]:
    """Return the gain view of rows that have a gain; `blind` holds blind rows by model."""
    return [
        GainRow(
            row.head.model,
            _sub(row),
            _gain_cells(row, blind[row.head.model_id], "mcq", types["mcq"]),
            _gain_cells(row, blind[row.head.model_id], "free", types["free"]),
            row.head.slug,
            row.head.slug,
        )
        for row in rows
        if row.gain and row.head.model_id in blind
    ]


def _table_row(row: Row, condition: str, types: Mapping[str, list[tuple[str, str]]]) -> TableRow:
    head, figures = row.head, row.figures
    blind_among_others = head.condition == Condition.BLIND != condition and not head.reference
    missing = figures["items"] - figures["scored"]
    grey = head.reference or blind_among_others
    gain = row.gain.kinds.get("mcq") if row.gain else None
    return TableRow(
        band="" if grey else rank_text(row.rank),
        reference=grey,
        name=f"{head.model}, text-only" if blind_among_others else head.model,
        sub=_sub(row),
        mcq=_kind_cells(row, "mcq", types["mcq"], grey),
        free=_kind_cells(row, "free", types["free"], grey),
        gain=signed(100 * gain.mean, 1) if gain else "",
        gain_title=_difference_words(gain, "mcq") if gain else "",
        scored=figures["scored"],
        items=figures["items"],
        scored_sub="none failed" if not missing else f"provisional, {_missing(figures, missing)}",
        warn=bool(missing),
        date=row.date,
        anchor=f"{head.slug}-{head.condition}",
        slug=head.slug,
        self_reported=head.origin == Origin.SUBMISSION,
        verified=head.origin == Origin.ENGINE and not grey,
    )


def _missing(figures: Mapping[str, Any], missing: int) -> str:
    stale, causes = figures["stale"], figures["failures"]
    unasked, unjudged = causes.get("not asked", 0), causes.get("not judged", 0)
    failed = missing - stale - unasked - unjudged
    parts = (
        *((failed, "failed"), (stale, "stale")),
        *((unasked, "not asked"), (unjudged, "not judged")),
    )
    return ", ".join(f"{count} {word}" for count, word in parts if count > 0)


def _sub(row: Row) -> str:
    head = row.head
    if head.slug == "chance":
        return "expected value"
    weights = {True: "open weights", False: "closed", None: ""}[head.open_weights]
    return ", ".join(filter(None, (head.organisation, weights, head.model_note)))


def _kind_cells(row: Row, kind: str, types: Sequence[tuple[str, str]], grey: bool) -> KindCells:
    figures = row.figures.get(kind)
    if figures is None:
        why = "not judged by all" if kind in row.figures["kinds"] else "no such item"
        return KindCells("", "", [(short, "") for _, short in types], why)
    if row.share(kind) is None:
        why = "multiple choice only" if kind == "free" else "free response only"
        return KindCells("", "", [(short, "") for _, short in types], why)
    text = share_text if kind == "mcq" else points_text
    chance = row.figures["chance"] if kind == "mcq" else None
    by_type = figures["by_type"]
    shorts = [
        (short, text(by_type[name]["mean"]) if name in by_type else "") for name, short in types
    ]
    if row.head.slug == "chance" and chance is not None:
        drawn = f"The seeded guesses got {figures['points']} of {figures['n']}."
        mark = whisker(Mark(chance), f"{share_text(chance)} %", chance=chance, reference=True)
        return KindCells(share_text(chance), mark, [(s, "") for _, s in types], title=drawn)
    low, high = figures["ci"] or (None, None)
    drawing = whisker(
        Mark(figures["mean"], low, high),
        interval_text(figures, kind),
        chance=chance,
        reference=grey,
    )
    return KindCells(text(figures["mean"]), drawing, shorts, title=_counts(figures, kind))


def _counts(figures: Mapping[str, Any], kind: str) -> str:
    word = "right" if kind == "mcq" else "points"
    of = "" if kind == "mcq" else f" over {figures['n']} items"
    count = f"{figures['points']} of {figures['n']} {word}" if kind == "mcq" else ""
    return f"{count or str(figures['points']) + ' ' + word + of}; {interval_text(figures, kind)}"


def _gain_cells(
    row: Row, blind: Row, kind: str, types: Sequence[tuple[str, str]]
) -> dict[str, object]:
    found = row.gain.kinds.get(kind) if row.gain else None
    text = share_text if kind == "mcq" else points_text
    if row.gain is None or found is None or row.share(kind) is None or blind.share(kind) is None:
        return {"types": [(short, "") for _, short in types]}
    by_type = row.gain.by_type[kind]
    return {
        "video": text(row.share(kind)),
        "blind": text(blind.share(kind)),
        "gain": _gain_text(found, kind),
        "whisker": difference_whisker(
            found.mean, found.low, found.high, _difference_words(found, kind), reach=GAIN_REACH
        ),
        "types": [
            (short, _gain_text(by_type[name], kind) if name in by_type else "")
            for name, short in types
        ],
    }


def _gain_text(found: Difference, kind: str) -> str:
    return signed(100 * found.mean, 1) if kind == "mcq" else signed(2 * found.mean, 2)


def _difference_words(found: Difference, kind: str) -> str:
    scale, digits, unit = (100, 1, "points") if kind == "mcq" else (2, 2, "of 2")
    words = f"{signed(scale * found.mean, digits)} {unit}"
    if found.low is None or found.high is None:
        return f"{words}, too few sources for an interval"
    low, high = signed_ends(found.low, found.high, scale=scale, digits=digits)
    return f"{words}, 95 % interval {low} to {high}, paired by item"
