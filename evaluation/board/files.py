"""The leaderboard as files: JSON, CSV and BibTeX. Only what leaks no key: each figure is
named here one by one, and none belongs to a single item."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from annotation.models import Benchmark, Release
from evaluation.domain.metrics import DURATIONS
from evaluation.domain.question_types import short_type
from evaluation.domain.uncertainty import Difference
from evaluation.models.run import Origin
from evaluation.queries.board import Row

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n")
Part = TypeVar("Part")
SLICES = ("by_type", "by_duration", "by_category")
COUNT_NAMES = {"mcq": "correct", "free": "points"}


def board_json(
    benchmark: Benchmark, release: Release, rows: Iterable[Row], *, condition: str = ""
) -> dict[str, Any]:
    """Return the board as DESIGN section 8 names it: counts as integers (fractions only where
    repeats are averaged), shares and intervals from 0 to 1, intervals of shares."""
    return {
        "benchmark": benchmark.slug,
        "release": {"tag": release.tag, "hash": release.hash},
        "condition": condition or None,
        "entries": [entry_json(row) for row in rows],
    }


def entry_json(row: Row) -> dict[str, Any]:
    """Return one entry. `free` holds points of 0 to 2 an item beside shares of the most."""
    head, figures = row.head, row.figures
    entry = {
        "model": head.model,
        "organisation": head.organisation,
        "open_weights": head.open_weights,
        "condition": head.condition,
        "reference": head.reference,
        "self_reported": head.origin == Origin.SUBMISSION,
        "verified": head.origin == Origin.ENGINE and not head.reference,
        "rank": list(row.rank) if row.rank else None,
        "mcq": kind_json("mcq", figures),
        "free": kind_json("free", figures),
        "expected_share": figures["chance"] if head.slug == "chance" else None,
        "free_outcomes": figures["free_outcomes"],
        "gain": _gain_json(row),
        "items": figures["items"],
        "scored": figures["scored"],
        "provisional": head.provisional,
        "failures": figures["failures"],
        "no_answer": figures["labels"],
        "stale": figures["stale"],
        "repeats": figures["repeats"],
        "judge": figures["judge"],
        "date": row.date.date().isoformat() if row.date else None,
        "entry": {"version": head.version, "hash": head.hash, "note": head.note},
    }
    for name in ("held_out", "confidence"):
        if name in figures:
            entry[name] = figures[name]
    return entry | {"human": True, "answered": _answered_json(figures)} if head.human else entry


def _answered_json(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reader's figures over the items that were answered and scored, by kind."""
    return {
        kind: _slice_json(kind, part)
        | {
            "by_type": {name: _slice_json(kind, one) for name, one in _in_order(part["by_type"])},
        }
        for kind, part in sorted(figures.get("answered", {}).items())
    }


def board_csv(rows: Iterable[Row]) -> str:
    """Return the board as CSV, one row an entry. Text that a spreadsheet would take for a
    formula is prefixed with an apostrophe."""
    flat = [_flat(entry_json(row)) for row in rows]
    columns = list(dict.fromkeys(name for row in flat for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns or ["model"], restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(flat)
    return out.getvalue()


def bibtex(benchmark: Benchmark, release: Release, url: str) -> str:
    """Return the benchmark's own citation, and one of this release of its leaderboard."""
    own = benchmark.citation.strip()
    name = plain_tex(benchmark.name)
    here = (
        f"@misc{{{benchmark.slug}-{release.tag},\n"
        f"  title = {{{name} leaderboard, release {release.tag}}},\n"
        f"  year = {{{release.created_at.year}}},\n"
        f"  howpublished = {{\\url{{{url}}}}},\n"
        f"  note = {{Release hash {release.hash[:16]}}}\n"
        f"}}"
    )
    return f"{own}\n\n{here}\n" if own else f"{here}\n"


def plain_tex(text: str) -> str:
    """Return `text` without the signs that mean something to TeX."""
    return text.translate({ord(sign): " " for sign in "{}\\%#$&~^_"})


def guarded(value: object) -> object:
    """Return text as a spreadsheet may show it: no formula, no NUL."""
    if not isinstance(value, str):
        return value
    text = value.replace("\x00", "")
    return f"'{text}" if text.startswith(FORMULA_SIGNS) else text


def kind_json(kind: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures of a kind ("mcq" or "free") out of an entry's."""
    found = figures.get(kind)
    if not found:
        return {COUNT_NAMES[kind]: 0, "n": 0, "scored": 0, "ci": None, "by_type": {}}
    shown = _slice_json(kind, found)
    shown["mean_scored"] = found["mean_scored"]
    shown["bound"] = found["bound"]
    for name in SLICES:
        shown[name] = {label: _slice_json(kind, part) for label, part in _in_order(found[name])}
    return shown


def _in_order(parts: Mapping[str, Part]) -> list[tuple[str, Part]]:
    """Return the slices of an entry by name, durations by length: stored JSON has no order."""
    places = {label: place for place, label in enumerate(DURATIONS)}
    return sorted(parts.items(), key=lambda pair: (places.get(pair[0], 0), pair[0]))


def _slice_json(kind: str, part: Mapping[str, Any]) -> dict[str, Any]:
    shown = {
        COUNT_NAMES[kind]: part["points"],
        "n": part["n"],
        "scored": part["scored"],
        "share": part["mean"],
        "ci": part["ci"],
        "sources": part["sources"],
    }
    if kind == "free":
        shown["mean"] = round(part["mean"] * 2, 10)
    return shown


def _gain_json(row: Row) -> dict[str, Any] | None:
    if row.gain is None:
        return None
    return {
        kind: {
            **_difference_json(found),
            "by_type": {
                name: _difference_json(part) for name, part in _in_order(row.gain.by_type[kind])
            },
        }
        for kind, found in sorted(row.gain.kinds.items())
    }


def _difference_json(found: Difference) -> dict[str, Any]:
    ci = None if found.low is None or found.high is None else [found.low, found.high]
    return {"share": found.mean, "ci": ci, "p": found.p, "n": found.n}


def _flat(entry: Mapping[str, Any]) -> dict[str, object]:
    rank = entry["rank"] or (None, None)
    flat: dict[str, object] = {
        "model": entry["model"],
        "organisation": entry["organisation"],
        "condition": entry["condition"],
        "reference": entry["reference"],
        "rank_low": rank[0],
        "rank_high": rank[1],
    }
    for kind, count in COUNT_NAMES.items():
        found = entry[kind]
        low, high = found["ci"] or (None, None)
        flat |= {
            f"{kind}_{count}": found[count],
            f"{kind}_n": found["n"],
            f"{kind}_scored": found["scored"],
            f"{kind}_share": found.get("share"),
            f"{kind}_ci_low": low,
            f"{kind}_ci_high": high,
        }
        for name, part in _in_order(found["by_type"]):
            flat[f"{kind}_{short_type(name)}_{count}"] = part[count]
            flat[f"{kind}_{short_type(name)}_n"] = part["n"]
    for name in ("items", "scored", "provisional", "date"):
        flat[name] = entry[name]
    if entry.get("human"):
        flat |= {"human": True} | {
            f"{kind}_answered_{name}": part[name]
            for kind, part in entry["answered"].items()
            for name in ("n", "share")
        }
    flat["entry_hash"] = entry["entry"]["hash"]
    return {str(guarded(name)): guarded(value) for name, value in flat.items()}
