"""The readers' section of the leaderboard: people, apart from models and never ranked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from evaluation.board.charts import Mark, whisker
from evaluation.board.figure_text import interval_text, points_text, share_text
from evaluation.queries.board import Row


@dataclass(frozen=True)
class ReaderCells:
    """What a reader made of one kind, over the items answered; `title` holds the headline over
    all items of the release. Without a scored item `value` is empty and `why` says so."""

    value: str
    whisker: SafeString | str
    counted: str
    interval: str
    types: list[tuple[str, str]]
    title: str = ""
    why: str = ""


@dataclass(frozen=True)
class ReaderRow:
    """One line of the section."""

    name: str
    sub: str
    mcq: ReaderCells
    free: ReaderCells
    scored: int
    items: int
    provisional: bool
    no_answer: int
    date: Any
    anchor: str


def reader_rows(rows: Sequence[Row], types: Mapping[str, list[tuple[str, str]]]) -> list[ReaderRow]:
    """Return the lines of `rows`; `types` lists (type, short name) by kind."""
    return [
        ReaderRow(
            name=row.head.model,
            sub=row.head.model_note,
            mcq=_cells(row.figures, "mcq", types["mcq"]),
            free=_cells(row.figures, "free", types["free"]),
            scored=row.figures["scored"],
            items=row.figures["items"],
            provisional=row.head.provisional,
            no_answer=row.figures["labels"].get("abstained", 0),
            date=row.date,
            anchor=f"{row.head.slug}-{row.head.condition}",
        )
        for row in rows
    ]


def _cells(figures: Mapping[str, Any], kind: str, types: Sequence[tuple[str, str]]) -> ReaderCells:
    part = figures.get("answered", {}).get(kind)
    if part is None:
        why = "not judged" if kind in figures["kinds"] else "none answered"
        return ReaderCells("", "", "", "", [(short, "") for _, short in types], why=why)
    text = share_text if kind == "mcq" else points_text
    low, high = part["ci"] or (None, None)
    chance = figures["chance"] if kind == "mcq" else None
    words = interval_text(part, kind)
    counted = f"{part['points']} of {part['n']}" if kind == "mcq" else f"over {part['n']}"
    by_type = part["by_type"]
    return ReaderCells(
        value=text(part["mean"]),
        whisker=whisker(Mark(part["mean"], low, high), words, chance=chance),
        counted=counted,
        interval="" if low is None else f"{text(low)} to {text(high)}",
        types=[
            (short, text(by_type[name]["mean"]) if name in by_type else "") for name, short in types
        ],
        title=f"{words}; over all {figures[kind]['n']} items: {text(figures[kind]['mean'])}",
    )
