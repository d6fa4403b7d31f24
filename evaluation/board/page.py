"""Puts the leaderboard's page together: everything that its template shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.board.cards import duration_card, outcome_card, type_card
from evaluation.board.charts import axis
from evaluation.board.columns import GAIN, Heading, View, heading, sorted_rows, types_of
from evaluation.board.note import changes_of, judge_words, note_of, short_names, type_legend
from evaluation.board.readers import reader_rows
from evaluation.board.table import gain_rows, table_rows
from evaluation.domain.judge_panel import Judge, Rule
from evaluation.models.run import Condition, condition_label
from evaluation.queries.board import POOLED, Board, Row
from evaluation.queries.judge_standings import Calibrations

ALWAYS_OFFERED = (str(Condition.VIDEO), str(Condition.BLIND))


@dataclass(frozen=True)
class Choice:
    """One choice of the condition switch."""

    label: str
    query: str
    current: bool


def choices(board: Board, view: View) -> list[Choice]:
    """Return the conditions to choose from: video, text-only, any other with an entry, gain."""
    others = [name for name in board.conditions() if name not in ALWAYS_OFFERED]
    names = [(name, condition_label(name)) for name in (*ALWAYS_OFFERED, *others)]
    return [
        Choice(label, view.query(condition=name, sort="mcq"), view.condition == name)
        for name, label in (*names, (GAIN, "Gain"))
    ]


def judge_choices(members: Sequence[Judge]) -> list[tuple[str, str]]:
    """Return (name, label) of those by whom free responses may be marked; [] without a panel."""
    panels = [(rule.value, f"panel, {rule.value}") for rule in Rule]
    return [("", "each row's own"), *panels] if members else []


def rows_of(board: Board, view: View) -> list[Row]:
    """Return the rows of the view, best MCQ first; in the gain view those with a gain."""
    if view.condition == GAIN:
        rows = [row for row in board.of(Condition.VIDEO) if row.gain]
    else:
        rows = board.of(view.condition)
    return [row for row in rows if view.shows(row)]


def people_of(board: Board, view: View) -> list[Row]:
    """Return the rows of readers that stand beside this view; none beside the gain view."""
    return [] if view.condition == GAIN else board.readers(view.condition)


def board_context(board: Board, view: View, judges: Calibrations | None = None) -> dict[str, Any]:
    """Return the context of `evaluation/_board.html`; `judges` are those that clinicians'
    grades were compared with."""
    known = judges or {}
    rows = rows_of(board, view)
    named = {kind: types_of(rows, kind) for kind in ("mcq", "free")}
    types = {kind: short_names(names) for kind, names in named.items()}
    shown = types if "types" in view.columns else {kind: [] for kind in types}
    ordered = sorted_rows(rows, view.sort, named)
    ranked = [row for row in rows if row.rank and row.head.condition == _ranked(view)]
    context: dict[str, Any] = {
        "benchmark_slug": board.release.benchmark.slug,
        "columns": view.columns,
        "types": shown,
        "tail": sum(name in view.columns for name in ("gain", "scored", "date")),
        "headings": _headings(view, shown),
        "sizes": _sizes(rows),
        "axis_mcq": axis(["0", "25", "50", "75", "100"]),
        "axis_free": axis(["0", "1", "2"]),
        "models": sum(not row.head.reference for row in rows),
        "legend": type_legend(types["mcq"] or types["free"]),
    }
    if view.condition == GAIN:
        blind = {
            row.head.model_id: row for row in board.rows if row.head.condition == Condition.BLIND
        }
        return context | {
            "gain_rows": gain_rows(_by_gain(ordered, view), shown, blind),
            "axis_gain": axis(["−50", "0", "+50"]),
            "axis_gain_free": axis(["−1", "0", "+1"]),
        }
    people = people_of(board, view)
    return context | {
        "readers": reader_rows(people, types),
        "pooled_run": next((row.head.run_id for row in people if row.head.slug == POOLED), None),
        "best_run": ranked[0].head.run_id if ranked else None,
        "rows": table_rows(ordered, view.condition, shown, known),
        "note": note_of(board, view.condition, rows),
        "cards": {
            "types": type_card(ranked, types["mcq"]),
            "durations": duration_card(ranked),
            "outcomes": outcome_card(ranked),
        },
        "judge": judge_words(ranked, known),
        "changes": changes_of(rows),
    }


def _ranked(view: View) -> str:
    return str(Condition.VIDEO) if view.condition == GAIN else view.condition


def _by_gain(rows: list[Row], view: View) -> list[Row]:
    """Best gain first, where the reader did not ask for another order."""
    if view.sort != "mcq":
        return rows
    return sorted(rows, key=lambda row: -_mcq_gain(row))


def _mcq_gain(row: Row) -> float:
    found = row.gain.kinds.get("mcq") if row.gain else None
    return found.mean if found else -2.0


def _sizes(rows: list[Row]) -> dict[str, int]:
    return {
        kind: next((row.figures[kind]["n"] for row in rows if kind in row.figures), 0)
        for kind in ("mcq", "free")
    }


def _headings(view: View, types: dict[str, list[tuple[str, str]]]) -> dict[str, Any]:
    made: dict[str, Heading | list[Heading]] = {
        "rank": heading(view, "rank", "Rank"),
        "model": heading(view, "model", "Model"),
        "mcq": heading(view, "mcq", "All"),
        "free": heading(view, "free", "All"),
        "gain": heading(view, "gain", "Gain over blind"),
        "gain_free": heading(view, "gain-free", "Gain"),
        "scored": heading(view, "scored", "Scored"),
        "date": heading(view, "date", "Date"),
    }
    for kind, named in types.items():
        made[f"{kind}_types"] = [
            heading(view, f"{kind}-{short.lower()}", short, name) for name, short in named
        ]
    return made
