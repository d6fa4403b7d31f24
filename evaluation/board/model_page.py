"""The public page of a model and of one of its entries: figures by slice, history, citation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from annotation.models import Benchmark
from evaluation.board.cards import BIN_WORDS
from evaluation.board.charts import Mark, points_over_bins, whisker
from evaluation.board.figure_text import interval_text, points_text, share_text
from evaluation.board.files import plain_tex
from evaluation.domain.question_types import type_words
from evaluation.models import Contestant
from evaluation.models.run import ON_BOARD, condition_label
from evaluation.queries.model_entries import PublishedEntry

RELEASES_DRAWN = 8
SHORT_HASH = 16
SLICES = (
    ("by_type", "Question type"),
    ("by_duration", "Clip duration"),
    ("by_category", "Category"),
)


@dataclass(frozen=True)
class Cell:
    """One figure: its value, what it is counted from, its interval in words and drawn."""

    value: str
    counted: str
    n: int
    words: str
    drawing: SafeString


@dataclass(frozen=True)
class SliceRow:
    label: str
    mcq: Cell | None
    free: Cell | None


@dataclass(frozen=True)
class HistoryPoint:
    """The newest published version of a model's entry on one release."""

    entry: PublishedEntry
    mcq: Cell | None
    free: Cell | None


@dataclass(frozen=True)
class History:
    """A model under one condition over the releases, the oldest first."""

    label: str
    points: list[HistoryPoint]
    drawing: SafeString | None


def histories(entries: Sequence[PublishedEntry]) -> list[History]:
    """Return the history of each condition that has an entry, video first."""
    found = []
    for condition in ON_BOARD:
        newest: dict[str, PublishedEntry] = {}
        for entry in entries:
            if entry.condition == condition and entry.replaced_by is None:
                newest.setdefault(entry.release, entry)
        points = [
            HistoryPoint(entry, cell(entry.figures, "mcq"), cell(entry.figures, "free"))
            for entry in sorted(newest.values(), key=lambda entry: entry.released_at)
        ]
        if points:
            found.append(History(condition_label(condition), points, _drawing(points)))
    return found


def slice_tables(figures: Mapping[str, Any]) -> list[tuple[str, list[SliceRow]]]:
    """Return (title, rows) for type, duration and category, those with more than one slice."""
    tables = []
    for key, title in SLICES:
        labels = list(
            dict.fromkeys(
                label for kind in figures["kinds"] for label in figures.get(kind, {}).get(key, {})
            )
        )
        order = list(BIN_WORDS) if key == "by_duration" else sorted(labels)
        rows = [
            SliceRow(_label(key, label), *(_slice(figures, kind, key, label) for kind in KINDS))
            for label in order
            if label in labels
        ]
        if len(rows) > 1:
            tables.append((title, rows))
    return tables


def cell(figures: Mapping[str, Any], kind: str) -> Cell | None:
    """Return the headline cell of a kind; None where the run has no prediction of it."""
    if kind not in figures["kinds"] or kind not in figures:
        return None
    return _cell(figures[kind], kind, figures["chance"] if kind == "mcq" else None)


def entry_bibtex(benchmark: Benchmark, model: Contestant, entry: PublishedEntry, url: str) -> str:
    """Return a citation of one frozen entry."""
    return (
        f"@misc{{{benchmark.slug}-{entry.release}-{model.slug}-v{entry.version},\n"
        f"  title = {{{plain_tex(model.name)} on {plain_tex(benchmark.name)}, release"
        f" {entry.release}, {condition_label(entry.condition)}}},\n"
        f"  year = {{{entry.published_at.year}}},\n"
        f"  howpublished = {{\\url{{{url}}}}},\n"
        f"  note = {{Entry hash {entry.hash[:SHORT_HASH]}}}\n"
        f"}}\n"
    )


KINDS = ("mcq", "free")


def _slice(figures: Mapping[str, Any], kind: str, key: str, label: str) -> Cell | None:
    part = figures.get(kind, {}).get(key, {}).get(label)
    if part is None or kind not in figures["kinds"]:
        return None
    return _cell(part, kind, figures["chance"] if kind == "mcq" else None)


def _cell(part: Mapping[str, Any], kind: str, chance: float | None) -> Cell:
    text = share_text if kind == "mcq" else points_text
    low, high = part["ci"] or (None, None)
    words = interval_text(part, kind)
    unit = "right of" if kind == "mcq" else "points over"
    counted = f"{part['points']} {unit} {part['n']}"
    drawing = whisker(Mark(part["mean"], low, high), words, chance=chance, dense=True)
    return Cell(text(part["mean"]), counted, part["n"], words, drawing)


def _label(key: str, label: str) -> str:
    if key == "by_type":
        return type_words(label).capitalize()
    return BIN_WORDS.get(label, label).capitalize() if label else "Not named"


def _drawing(points: Sequence[HistoryPoint]) -> SafeString | None:
    """Draw the MCQ share over the last releases; one release is no history."""
    drawn = points[-RELEASES_DRAWN:]
    marks: list[tuple[str, Mark | None]] = []
    words = []
    for point in drawn:
        found = point.entry.figures.get("mcq") if point.mcq else None
        mark = Mark(found["mean"], *(found["ci"] or (None, None))) if found else None
        marks.append((point.entry.release, mark))
        words.append(f"{point.entry.release} {point.mcq.words if point.mcq else 'none'}")
    if sum(mark is not None for _, mark in marks) < 2:
        return None
    chance = drawn[-1].entry.figures["chance"]
    return points_over_bins(marks, "MCQ by release: " + "; ".join(words), chance=chance)
