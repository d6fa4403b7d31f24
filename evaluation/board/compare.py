"""What the page that compares two entries shows: choices, differences, counts, items."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.utils.safestring import SafeString

from annotation.domain.question_texts import letter, type_label
from annotation.models import ItemVersion
from evaluation.board.charts import Part, difference_whisker, stacked_bar
from evaluation.board.figure_text import p_text, signed, signed_ends
from evaluation.board.files import guarded
from evaluation.domain.comparing import KINDS, QUADRANTS, SliceDifference
from evaluation.domain.uncertainty import Difference
from evaluation.models.run import Condition, condition_label
from evaluation.queries.board import Head
from evaluation.queries.compared_items import listed_items, open_item, replies_to
from evaluation.queries.comparison import Comparison

FEWEST_SHOWN = 5  # items of a slice; a smaller one would tell who is right on single items
A_PAGE = 12
TITLES = {"mcq": "Multiple choice", "free": "Free response"}
UNITS = {"mcq": "points of 100", "free": "mean score of 0 to 2"}
GROUP_TITLES = {"duration": "By length of the clip", "category": "By category"}
FILLS = {"both": "f-2", "only-a": "f-1", "only-b": "f-3", "neither": "f-0"}
WORDS = {
    "mcq": {
        "both": "both right",
        "only-a": "only A right",
        "only-b": "only B right",
        "neither": "both wrong",
    },
    "free": {
        "both": "both have 2",
        "only-a": "only A has 2",
        "only-b": "only B has 2",
        "neither": "neither",
    },
}


@dataclass(frozen=True)
class CompareView:
    """What the reader asked for; "" or 0 takes the default."""

    a: int
    b: int
    release: str = ""
    kind: str = "mcq"
    show: str = "only-a"
    type: str = ""
    page: int = 1
    item: int = 0

    @classmethod
    def read(cls, asked: Mapping[str, str], *, release: str, a: int, b: int) -> "CompareView":
        """Read a query string; what is unknown falls back."""
        kind, show = asked.get("kind", ""), asked.get("show", "")
        return cls(
            a=a,
            b=b,
            release=release,
            kind=kind if kind in KINDS else "mcq",
            show=show if show in (*QUADRANTS, "any") else "only-a",
            type=asked.get("type", "")[:64].replace("\x00", ""),
            page=_number(asked.get("page", "")) or 1,
            item=_number(asked.get("item", "")),
        )

    def query(self, **changes: Any) -> str:
        """Return the query string of this view with `changes`, defaults left out."""
        wanted = replace(self, **changes)
        plain = CompareView(0, 0)
        found = {
            name: getattr(wanted, name)
            for name in self.__dataclass_fields__
            if getattr(wanted, name) != getattr(plain, name)
        }
        return f"?{urlencode(found)}"


@dataclass(frozen=True)
class Option:
    """An option of an MCQ under the letter that the page gives it."""

    letter: str
    text: str
    is_key: bool


@dataclass(frozen=True)
class DifferenceRow:
    """One slice as the page shows it."""

    label: str
    title: str
    n: int
    value: str
    interval: str
    p: str
    whisker: SafeString


def asked_run(text: str) -> int | None:
    """Return the number of a run in a query string, 0 where none is given, None for nonsense."""
    return 0 if not text else (_number(text) or None)


def name_of(head: Head) -> str:
    """Return the name of an entry: its model, and the condition unless it saw the video."""
    if head.condition == Condition.VIDEO:
        return head.model
    return f"{head.model}, {condition_label(head.condition).lower()}"


def kind_card(comparison: Comparison, kind: str, *, single_items: bool) -> dict[str, Any] | None:
    """Return the card of one kind, or None where the entries do not both have it."""
    slices = comparison.differences.get(kind)
    if not slices:
        return None
    shown = [s for s in slices if single_items or s.difference.n >= FEWEST_SHOWN]
    reach = _reach([found.difference for found in shown])
    counts = comparison.pairing.counts(kind)
    rows = {
        group: [_row(found, kind, reach) for found in shown if found.group == group]
        for group in ("all", "type", "duration", "category")
    }
    parts = [Part(counts[name], FILLS[name], WORDS[kind][name]) for name in FILLS]
    return {
        "kind": kind,
        "title": TITLES[kind],
        "unit": UNITS[kind],
        "bar": stacked_bar(parts, sum(counts.values())),
        "quadrants": [(name, counts[name], WORDS[kind][name], FILLS[name]) for name in FILLS],
        "rows": rows["all"] + rows["type"],
        "more": [(title, rows[group]) for group, title in GROUP_TITLES.items() if rows[group]],
        "hidden": len(slices) - len(shown),
        "judges": _judges(comparison) if kind == "free" else "",
    }


def items_context(comparison: Comparison, view: CompareView, heads: Sequence[Head]) -> dict:
    """Return the list of items and the one that is open. For those who may see runs alone."""
    pairing = comparison.pairing
    quadrant = "" if view.show == "any" else view.show
    places = pairing.places(view.kind, quadrant, view.type)
    page: Page = Paginator(places, A_PAGE).get_page(view.page)
    items = listed_items(pairing, list(page.object_list))
    known = {item.version_id for item in items}
    first = items[0].version_id if items else 0
    chosen = view.item if view.item in known else first
    opened = open_item(chosen) if chosen else None
    return {
        "page": page,
        "previous_query": view.query(page=max(1, page.number - 1), item=0),
        "next_query": view.query(page=page.number + 1, item=0),
        "options": options_of(opened) if opened else [],
        "items": [(item, view.query(item=item.version_id)) for item in items],
        "chosen": chosen,
        "opened": opened,
        "opened_type": type_label(opened.question_type) if opened else None,
        "replies": replies_to([opened], heads)[0] if opened else [],
        "kinds": _kind_choices(comparison, view, quadrant),
        "shows": [(name, WORDS[view.kind][name]) for name in FILLS],
        "types": [(name, type_label(name).code) for name in sorted(pairing.type_names)],
    }


def comparison_csv(comparison: Comparison, a: Head, b: Head, *, single_items: bool) -> str:
    """Return the differences as CSV: shares of the most, A minus B; no single item."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["a", "b", "kind", "group", "slice", "n", "a_minus_b", "low", "high", "p"])
    for kind, slices in comparison.differences.items():
        for found in slices:
            d = found.difference
            if single_items or d.n >= FEWEST_SHOWN:
                names = [name_of(a), name_of(b), kind, found.group, found.label]
                writer.writerow([*map(guarded, names), d.n, d.mean, d.low, d.high, d.p])
    return out.getvalue()


def options_of(version: ItemVersion) -> list[Option]:
    """Return the options of `version` in their shown order; none of a free-response item."""
    return [
        Option(letter(place), version.options[index], index == version.key_index)
        for place, index in enumerate(version.shown_order)
    ]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _kind_choices(comparison: Comparison, view: CompareView, quadrant: str) -> list[tuple]:
    return [
        (
            {"mcq": "MCQ", "free": "Free"}[kind],
            len(comparison.pairing.places(kind, quadrant, view.type)),
            view.query(kind=kind, page=1, item=0),
            kind == view.kind,
        )
        for kind in KINDS
        if kind in comparison.differences
    ]


def _judges(comparison: Comparison) -> str:
    a, b = comparison.judges
    if a == b:
        return f"Judged by {a}." if a else ""
    return f"Judged differently, so not comparable: A by {a or 'nobody'}; B by {b or 'nobody'}."


def _reach(differences: Sequence[Difference]) -> float:
    """Return how far the axis goes to both sides: what the intervals need, at most 1."""
    ends = [abs(end) for d in differences for end in (d.low, d.high, d.mean) if end is not None]
    return min(1.0, max(0.05, max(ends, default=0.0)) * 1.05)


def _row(found: SliceDifference, kind: str, reach: float) -> DifferenceRow:
    d = found.difference
    scale, digits = (100, 1) if kind == "mcq" else (2, 2)
    interval = "one source"
    if d.low is not None and d.high is not None:
        interval = " to ".join(signed_ends(d.low, d.high, scale=scale, digits=digits))
    value = signed(scale * d.mean, digits)
    named = type_label(found.label)
    label = {"all": "All", "type": named.code}.get(found.group, found.label or "none")
    return DifferenceRow(
        label=f"{label} s" if found.group == "duration" else label,
        title=named.title if found.group == "type" else "",
        n=d.n,
        value=value,
        interval=interval,
        p=p_text(d.p) if d.p is not None else "",
        whisker=difference_whisker(
            d.mean, d.low, d.high, f"Difference {value}, 95 % interval {interval}", reach=reach
        ),
    )
