"""Gain over blind by question type, for the page of a benchmark: what the video adds to each
model, paired by item, with intervals clustered by source."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from evaluation.board.charts import difference_whisker
from evaluation.board.figure_text import signed, signed_ends
from evaluation.domain.question_types import short_type, type_words
from evaluation.domain.uncertainty import Difference
from evaluation.models.run import Condition
from evaluation.queries.board import Board

REACH = 0.5
SCALES = {"mcq": (100, 1, "points of %"), "free": (2, 2, "of 2 points")}


@dataclass(frozen=True)
class GainFigure:
    """One gain: its value, its interval, both drawn, over `n` items."""

    value: str
    interval: str
    drawing: SafeString
    n: int


@dataclass(frozen=True)
class GainLine:
    """The gain of one question type, or of all (`type` is empty then), by kind."""

    type: str
    title: str
    mcq: GainFigure | None
    free: GainFigure | None


@dataclass(frozen=True)
class ModelGain:
    model: str
    slug: str
    lines: list[GainLine]


def gains_by_type(board: Board) -> list[ModelGain]:
    """Return the gain of each model that has a video and a text-only entry, best first."""
    found = []
    for row in board.of(Condition.VIDEO):
        if row.gain is None:
            continue
        kinds, by_type = row.gain.kinds, row.gain.by_type
        names = sorted({name for kind in by_type.values() for name in kind})
        whole = GainLine("", "All", *(_of(kinds.get(kind), kind) for kind in SCALES))
        lines = [
            GainLine(
                short_type(name),
                type_words(name).capitalize(),
                *(_of(by_type.get(kind, {}).get(name), kind) for kind in SCALES),
            )
            for name in names
        ]
        found.append(ModelGain(row.head.model, row.head.slug, [whole, *lines]))
    return found


def _of(found: Difference | None, kind: str) -> GainFigure | None:
    if found is None:
        return None
    scale, digits, unit = SCALES[kind]
    value = signed(scale * found.mean, digits)
    interval = ""
    if found.low is not None and found.high is not None:
        low, high = signed_ends(found.low, found.high, scale=scale, digits=digits)
        interval = f"{low} to {high}"
    words = f"{value} {unit}" + (f", 95 % interval {interval}" if interval else "")
    drawing = difference_whisker(found.mean, found.low, found.high, words, reach=REACH)
    return GainFigure(value, interval, drawing, found.n)
