"""Figures as people read them: percent with one decimal, means of 0 to 2 with two."""

from collections.abc import Mapping
from typing import Any

MINUS = "−"


def share_text(share: float | None) -> str:
    """Return a share (0 to 1) as percent without the sign: 66.3."""
    return "" if share is None else f"{100 * share:.1f}"


def points_text(share: float | None) -> str:
    """Return a share of the most as the mean of 0 to 2: 0.91."""
    return "" if share is None else f"{2 * share:.2f}"


def signed(value: float, digits: int) -> str:
    """Return a number with its sign and a real minus: +8.1, −0.3."""
    text = f"{abs(value):.{digits}f}"
    return text if not text.strip("0.") else f"{'+' if value > 0 else MINUS}{text}"


def signed_ends(low: float, high: float, *, scale: float, digits: int) -> tuple[str, str]:
    """Return the ends of a difference's interval (shares, −1 to 1) times `scale`; what the
    normal theory puts beyond the possible is cut at ±`scale`, as the chart's axis is."""
    cut = (min(1.0, max(-1.0, end)) for end in (low, high))
    first, last = (signed(scale * end, digits) for end in cut)
    return first, last


def p_text(p: float) -> str:
    """Return a p value as told in a sentence: "p 0.033", "p < 0.001"."""
    if p < 0.001:
        return "p < 0.001"
    return f"p {p:.3f}" if p < 0.1 else f"p {p:.2f}"


def interval_text(figures: Mapping[str, Any], kind: str) -> str:
    """Return what a whisker says aloud."""
    text = share_text if kind == "mcq" else points_text
    unit = " %" if kind == "mcq" else " of 2"
    value = f"{text(figures['mean'])}{unit}"
    if not figures["ci"]:
        return f"{value}, too few sources for an interval"
    low, high = figures["ci"]
    return f"{value}, 95 % interval {text(low)} to {text(high)}"


def rank_text(rank: tuple[int, int] | None) -> str:
    """Return a rank interval: "1–2", or "4" where nothing is left open."""
    if rank is None:
        return "–"
    return str(rank[0]) if rank[0] == rank[1] else f"{rank[0]}–{rank[1]}"
