"""The three cards under the table: by question type, by clip duration, how free answers fail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluation.board.charts import Mark, Part, points_over_bins, stacked_bar, whisker
from evaluation.board.figure_text import interval_text, share_text
from evaluation.domain.metrics import DURATIONS
from evaluation.queries.board import Row

CHARTS_SHOWN = 4
BIN_NAMES = dict(zip(DURATIONS, ("<5 s", "5–10", "10–20", ">20 s"), strict=True))
BIN_WORDS = dict(
    zip(DURATIONS, ("under 5 s", "5 to 10 s", "10 to 20 s", "20 s and more"), strict=True)
)
OUTCOMES = (
    ("2", None, "f-1", "2, right"),
    ("1", "wrong_conclusion", "p-diag", "1, wrong conclusion"),
    ("1", "wrong_visual_evidence", "p-dot", "1, wrong evidence"),
    ("1", None, "f-3", "1, other"),
    ("0", None, "f-0", "0"),
)


@dataclass(frozen=True)
class Figure:
    """A chart of one model, and the cells of its row in the data table behind the card."""

    name: str
    charts: list[tuple[str, SafeString, str]]  # (label, drawing, value)
    cells: list[str]


@dataclass(frozen=True)
class Card:
    """A card: `drawn` figures are shown, `figures` are all rows of its table."""

    figures: list[Figure]
    columns: list[str]
    aside: str

    @property
    def drawn(self) -> list[Figure]:
        return self.figures[:CHARTS_SHOWN]


def type_card(rows: Sequence[Row], types: Sequence[tuple[str, str]]) -> Card:
    """Return MCQ shares by question type with their intervals."""
    figures = []
    for row in _with(rows, "mcq"):
        parts = row.figures["mcq"]["by_type"]
        found = [(short, parts[name]) for name, short in types if name in parts]
        charts = [
            (
                short,
                whisker(
                    _mark(part),
                    interval_text(part, "mcq"),
                    chance=row.figures["chance"],
                    dense=True,
                ),
                share_text(part["mean"]),
            )
            for short, part in found
        ]
        figures.append(
            Figure(row.head.model, charts, [_cell(parts.get(name)) for name, _ in types])
        )
    return Card(figures, [short for _, short in types], "MCQ %, 95 % interval")


def duration_card(rows: Sequence[Row]) -> Card:
    """Return MCQ shares by the length of the clip."""
    figures = []
    sizes: list[str] = []
    for row in _with(rows, "mcq"):
        parts = row.figures["mcq"]["by_duration"]
        sizes = [str(parts[name]["n"]) if name in parts else "0" for name in DURATIONS]
        marks = [
            (BIN_NAMES[name], _mark(parts[name]) if name in parts else None) for name in DURATIONS
        ]
        label = "; ".join(
            f"{BIN_WORDS[name]} {share_text(parts[name]['mean'])} percent"
            for name in DURATIONS
            if name in parts
        )
        drawing = points_over_bins(marks, label, chance=row.figures["chance"])
        cells = [_cell(parts.get(name)) for name in DURATIONS]
        figures.append(Figure(row.head.model, [("", drawing, "")], cells))
    aside = f"MCQ %, n = {', '.join(sizes)}" if sizes else "MCQ %"
    return Card(figures, [BIN_NAMES[name] for name in DURATIONS], aside)


def outcome_card(rows: Sequence[Row]) -> Card:
    """Return how many free responses got 2, 1 by error type, and 0."""
    figures = []
    total = 0
    for row in sorted(_with(rows, "free"), key=lambda row: -(row.share("free") or 0)):
        figures_of_row = row.figures
        total = figures_of_row["free"]["n"]
        parts = outcome_parts(figures_of_row["free_outcomes"])
        unscored = total - figures_of_row["free"]["scored"]
        if unscored:
            parts.append(Part(unscored, "f-none", "not scored"))
        drawing = stacked_bar(parts, max(total, int(sum(part.count for part in parts))))
        cells = [str(part.count) for part in parts[: len(OUTCOMES)]] + [str(unscored)]
        figures.append(Figure(row.head.model, [("", drawing, "")], cells))
    columns = [words for *_, words in OUTCOMES] + ["not scored"]
    return Card(figures, columns, f"{total} answers each" if total else "")


def outcome_parts(outcomes: Mapping[str, Mapping[str, int]]) -> list[Part]:
    """Return the parts of a bar from counts by points and error type."""
    named = {error for _, error, *_ in OUTCOMES if error}
    parts = []
    for points, error, fill, words in OUTCOMES:
        counts = outcomes.get(points, {})
        if error:
            count = counts.get(error, 0)
        elif points == "1":
            count = sum(n for name, n in counts.items() if name not in named)
        else:
            count = sum(counts.values())
        parts.append(Part(count, fill, words))
    return parts


def _with(rows: Sequence[Row], kind: str) -> list[Row]:
    return [row for row in rows if row.share(kind) is not None]


def _mark(part: Mapping[str, Any]) -> Mark:
    low, high = part["ci"] or (None, None)
    return Mark(part["mean"], low, high)


def _cell(part: Mapping[str, Any] | None) -> str:
    if part is None:
        return "no item"
    if not part["ci"]:
        return f"{share_text(part['mean'])} (n {part['n']})"
    low, high = part["ci"]
    return f"{share_text(part['mean'])} ({share_text(low)} to {share_text(high)}, n {part['n']})"
