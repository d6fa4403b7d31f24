"""The numbers from which the learned combination picks an option: one row an option.

No feature looks at a key. All are compared within an item alone: a measure counts by how far
it lies from the item's other options, and by whether it is the largest or smallest there.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from annotation.domain.audit import grams
from annotation.domain.audit.context_measures import CONTEXT_MEASURES, Corpus, measure_item
from annotation.domain.audit.items import Mcq
from annotation.domain.audit.text_measures import TEXT_NAMES, measure_text
from annotation.domain.clustered import Ints

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

Matrix = NDArray[np.float32]

MEASURES = (*TEXT_NAMES, *CONTEXT_MEASURES)
MOST_PLACES = 8
RANKED = ("characters", "words", "mean word")  # also by their rank: neither most nor least


@dataclass(frozen=True)
class Rows:
    """Where the options of each item stand: rows `starts[i]` to `starts[i] + sizes[i]`."""

    starts: Ints
    sizes: Ints

    @property
    def count(self) -> int:
        return int(self.sizes.sum())

    @property
    def items(self) -> Ints:
        """The item of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def of(self, items: Ints) -> tuple[Ints, Ints]:
        """Return the rows of `items`, one item after the other, and how many each has."""
        sizes = self.sizes[items]
        shifts = self.starts[items] - (np.cumsum(sizes) - sizes)
        return np.arange(int(sizes.sum())) + np.repeat(shifts, sizes), sizes


@dataclass(frozen=True)
class Design:
    """All features: `dense` (rows × measures, centred within items, 0 where all options are
    equal) and the marks (rows × marks, 0 or 1), `by_row` and `by_mark` for quick access either
    way. `names` runs over both, `hand_made` counts those that are not grams."""

    rows: Rows
    dense: Matrix
    by_row: "csr_matrix"
    by_mark: "csc_matrix"
    names: list[str]
    hand_made: int

    def mark(self, column: int) -> Matrix:
        """Return one column of the marks, 0 or 1 per row."""
        found = np.zeros(self.rows.count, dtype=np.float32)
        start, end = self.by_mark.indptr[column : column + 2]
        found[self.by_mark.indices[start:end]] = 1
        return found


def rows_of(mcqs: Sequence[Mcq]) -> Rows:
    """Return where the options of each MCQ stand."""
    sizes = np.array([len(mcq.options) for mcq in mcqs], dtype=np.int64)
    return Rows(np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64), sizes)


def measures(mcqs: Sequence[Mcq]) -> Matrix:
    """Return the measures as they are: one row an option, columns as in MEASURES."""
    corpus = Corpus(mcqs)
    values = array("f")
    for mcq in mcqs:
        beside = measure_item(mcq, corpus)
        for option, context in zip(mcq.options, beside, strict=True):
            values.extend(measure_text(option))
            values.extend(context)
    return np.frombuffer(values, dtype=np.float32).reshape(-1, len(MEASURES))


def centred(values: Matrix, rows: Rows) -> Matrix:
    """Return each column minus its mean within the item, over its spread within the item."""
    sizes = rows.sizes[:, None].astype(np.float32)
    shifted = values - np.repeat(np.add.reduceat(values, rows.starts) / sizes, rows.sizes, axis=0)
    spread = np.sqrt(np.add.reduceat(shifted**2, rows.starts) / sizes)
    spread[spread < 1e-6] = np.inf
    return shifted / np.repeat(spread, rows.sizes, axis=0)


def extremes(values: Matrix, rows: Rows) -> NDArray[np.bool_]:
    """Return, per row, whether it alone has the most and whether it alone has the least of each
    measure: rows × twice the measures."""
    found = []
    for sign in (1, -1):
        best = np.repeat(np.maximum.reduceat(sign * values, rows.starts), rows.sizes, axis=0)
        at_best = sign * values >= best - 1e-6
        alone = np.add.reduceat(at_best, rows.starts, dtype=np.int64) == 1
        found.append(at_best & np.repeat(alone, rows.sizes, axis=0))
    return np.hstack(found)


def ranks(values: Matrix, rows: Rows) -> NDArray[np.int64]:
    """Return, per row, how many options of the item have less of each RANKED measure."""
    found = []
    for name in RANKED:
        column = values[:, MEASURES.index(name)]
        order = np.lexsort((column, rows.items))
        place = np.arange(rows.count) - np.repeat(rows.starts, rows.sizes)
        rank = np.empty(rows.count, dtype=np.int64)
        rank[order] = place
        found.append(np.minimum(rank, MOST_PLACES))
    return np.column_stack(found)


def design(mcqs: Sequence[Mcq], values: Matrix) -> Design:
    """Return all features of the options of `mcqs`; `values` are their `measures`."""
    rows = rows_of(mcqs)
    hand_made = [f"most {name}" for name in MEASURES] + [f"least {name}" for name in MEASURES]
    hand_made += [f"rank {rank} by {name}" for name in RANKED for rank in range(MOST_PLACES + 1)]
    places, place_names = _places(mcqs)
    known = grams.vocabulary(mcqs)
    indices, ends = array("i"), array("q", [0])
    alone = extremes(values, rows)
    ranked = 2 * len(MEASURES) + ranks(values, rows) + np.arange(len(RANKED)) * (MOST_PLACES + 1)
    offset = len(hand_made) + len(place_names)
    row = 0
    for item, mcq in enumerate(mcqs):
        for place, option in enumerate(mcq.options):
            indices.extend(np.flatnonzero(alone[row]).tolist())
            indices.extend(ranked[row].tolist())
            indices.extend(len(hand_made) + column for column in places[item][place])
            indices.extend(offset + column for column in grams.columns(option, known))
            ends.append(len(indices))
            row += 1
    from scipy.sparse import csr_matrix  # only here: no worker has it in memory for nothing

    names = [*MEASURES, *hand_made, *place_names, *known]
    flat = np.frombuffer(indices, dtype=np.int32) if indices else np.zeros(0, dtype=np.int32)
    ones = np.ones(len(flat), dtype=np.float32)
    by_row = csr_matrix(
        (ones, flat, np.frombuffer(ends, dtype=np.int64)),
        shape=(rows.count, offset + len(known)),
    )
    by_mark = by_row.tocsc()
    by_mark.data = ones  # all are 1: one array serves both
    return Design(rows, centred(values, rows), by_row, by_mark, names, len(names) - len(known))


def _places(mcqs: Sequence[Mcq]) -> tuple[list[list[list[int]]], list[str]]:
    """Return the marks of place: of itself, by type, by unusual option mark, and along a cycle
    over the items; per item and option, and their names."""
    usual = Counter(mcq.mark for mcq in mcqs).most_common(1)[0][0]
    names: dict[str, int] = {}
    found = []
    for mcq in mcqs:
        count = len(mcq.options)
        of_item = []
        for place in range(count):
            told = min(place, MOST_PLACES)
            marks = [f"place {told}", f"step {(place - mcq.place) % count} of {count}"]
            marks.append(f"step back {(place + mcq.place) % count} of {count}")
            marks.append(f"place {told} in {mcq.question_type}")
            if mcq.mark != usual:
                marks.append(f"place {told} marked {mcq.mark}")
            of_item.append([names.setdefault(mark, len(names)) for mark in marks])
        found.append(of_item)
    return found, list(names)
