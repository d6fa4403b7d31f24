"""Columns of the leaderboard's table and the orders in which it can be sorted by its URL."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from evaluation.domain.judge_panel import Rule
from evaluation.domain.question_types import short_type
from evaluation.models.run import ON_BOARD, Condition
from evaluation.queries.board import Row, by_mcq

TYPES_SHOWN = 4
DEFAULT_SORT = "mcq"
GAIN = "gain"
SORT = re.compile(r"-?(rank|model|scored|date|gain(-free)?|(mcq|free)(-\w{1,24})?)")
COLUMNS = ("types", "mcq", "free", "gain", "scored", "date")
WEIGHTS = ("open", "closed")


@dataclass(frozen=True)
class View:
    """What the reader asked for: a condition (or "gain"), a sort key, "-" reverses it, the
    columns (of COLUMNS; all by default), models of open or closed weights alone, whether the
    grey rows stand among them, and by which rule of a panel of judges free responses are
    marked ("": by the judge of each row)."""

    condition: str = Condition.VIDEO
    sort: str = DEFAULT_SORT
    columns: tuple[str, ...] = COLUMNS
    weights: str = ""
    references: bool = True
    judge: str = ""

    @classmethod
    def read(cls, asked: QueryDict) -> "View":
        """Return the view of a query string; what is unknown falls back."""
        condition = asked.get("condition", "")
        sort = asked.get("sort", "")
        columns = tuple(name for name in COLUMNS if name in asked.getlist("col"))
        weights = asked.get("weights", "")
        return cls(
            condition if condition in (*ON_BOARD, GAIN) else str(Condition.VIDEO),
            sort if SORT.fullmatch(sort) else DEFAULT_SORT,
            columns or COLUMNS,
            weights if weights in WEIGHTS else "",
            asked.get("references", "") != "0",
            judge if (judge := asked.get("judge", "")) in list(Rule) else "",
        )

    def query(self, **changes: str) -> str:
        """Return the query string of this view with `changes`, defaults left out."""
        wanted: dict[str, Any] = {
            "condition": self.condition,
            "sort": self.sort,
            "judge": self.judge,
        } | changes
        wanted |= {
            "col": [] if self.columns == COLUMNS else list(self.columns),
            "weights": self.weights,
            "references": "" if self.references else "0",
        }
        defaults = {"condition": str(Condition.VIDEO), "sort": DEFAULT_SORT}
        kept = {
            name: value for name, value in wanted.items() if value and value != defaults.get(name)
        }
        return f"?{urlencode(kept, doseq=True)}" if kept else "?"

    @property
    def is_narrowed(self) -> bool:
        """Say whether rows or columns are left out."""
        return (self.columns, self.weights, self.references) != (COLUMNS, "", True)

    def shows(self, row: Row) -> bool:
        """Say whether the filters leave `row` on the table."""
        if row.head.reference:
            return self.references
        open_weights = {"open": True, "closed": False}.get(self.weights)
        return open_weights is None or row.head.open_weights is open_weights


@dataclass(frozen=True)
class Heading:
    """A sortable heading: label, the query of its link, and how it sorts now."""

    key: str
    label: str
    query: str
    aria: str  # "ascending", "descending" or ""
    title: str = ""


def column_choices(view: View) -> list[tuple[str, str, bool]]:
    """Return (name, label, chosen) of the columns that a reader may leave out."""
    labels = ("By question type", "Multiple choice", "Free response", "Gain", "Scored", "Date")
    return [
        (name, label, name in view.columns) for name, label in zip(COLUMNS, labels, strict=True)
    ]


def types_of(rows: Sequence[Row], kind: str) -> list[str]:
    """Return the question types of a kind on these rows, as many as the table shows."""
    found = {name for row in rows if kind in row.figures for name in row.figures[kind]["by_type"]}
    return sorted(found)[:TYPES_SHOWN]


def sorted_rows(rows: Sequence[Row], sort: str, types: dict[str, list[str]]) -> list[Row]:
    """Return `rows` in the order of `sort`; an unknown key sorts by MCQ share."""
    reverse = sort.startswith("-")
    key = _keys(types).get(sort.removeprefix("-"))
    best_first = by_mcq(rows)
    if key is None or sort.removeprefix("-") == DEFAULT_SORT:
        return best_first[::-1] if reverse else best_first
    with_value = [row for row in best_first if key(row) is not None]
    without = [row for row in best_first if key(row) is None]
    by_value: Callable[[Row], tuple[bool, object]] = lambda row: (True, key(row))  # noqa: E731
    return sorted(with_value, key=by_value, reverse=reverse != _is_descending(sort)) + without


def heading(view: View, key: str, label: str, title: str = "") -> Heading:
    """Return the heading of column `key`: its link sorts by it, or turns its order round."""
    now = view.sort.removeprefix("-") == key
    reversed_now = view.sort.startswith("-")
    aria = ""
    if now:
        aria = "descending" if _is_descending(key) != reversed_now else "ascending"
    wanted = f"-{key}" if now and not reversed_now else key
    return Heading(key, label, view.query(sort=wanted), aria, title)


def _is_descending(sort: str) -> bool:
    """Say whether the natural order of a column is from large to small."""
    return sort.removeprefix("-") not in ("model", "rank")


def _keys(types: dict[str, list[str]]) -> dict[str, Callable[[Row], object | None]]:
    keys: dict[str, Callable[[Row], object | None]] = {
        "mcq": lambda row: row.share("mcq"),
        "free": lambda row: row.share("free"),
        "model": lambda row: row.head.model.casefold(),
        "rank": lambda row: row.rank,
        "scored": lambda row: row.figures["scored"],
        "date": lambda row: row.date,
        "gain": lambda row: _gain(row, "mcq"),
        "gain-free": lambda row: _gain(row, "free"),
    }
    for kind, names in types.items():
        for name in names:
            keys[f"{kind}-{short_type(name).lower()}"] = _by_type(kind, name)
    return keys


def _by_type(kind: str, name: str) -> Callable[[Row], object | None]:
    return lambda row: row.share(kind, name)


def _gain(row: Row, kind: str) -> float | None:
    found = row.gain.kinds.get(kind) if row.gain else None
    return found.mean if found else None
