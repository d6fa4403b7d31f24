"""Geometry of the run page's charts: places in percent and pixels, for SVG attributes."""

import math
from dataclasses import dataclass

from evaluation.queries.run_errors import Latencies
from evaluation.queries.run_progress import Counts, Progress

LEFT, RIGHT = 9.0, 99.0  # percent: the plot between its axis and the edge
TOP, BOTTOM = 30.0, 150.0  # pixels
STEPS = (1, 2, 5)
PARTS = (("done", "f-1"), ("failed", "f-bad"), ("retrying", "f-warn"), ("in_flight", "f-2"))
NEAR = 30.0  # percent from an edge within which a label turns inwards
GAP = 0.15  # percent between parts of a bar


@dataclass(frozen=True)
class Part:
    """A part of a bar, in percent of its length."""

    x: str
    width: str
    css: str


@dataclass(frozen=True)
class Bar:
    """A column of the histogram: x and width in percent, y and height in pixels."""

    x: str
    width: str
    y: str
    height: str
    label: str


@dataclass(frozen=True)
class Tick:
    """A grid line or a mark with its label."""

    at: str
    label: str


@dataclass(frozen=True)
class Mark:
    """A vertical line with a label on the side where there is room."""

    at: str
    label: str
    anchor: str


@dataclass(frozen=True)
class Histogram:
    """The latency chart."""

    bars: list[Bar]
    edges: list[Tick]
    grid: list[Tick]
    median: Mark
    p95: Mark
    summary: str
    count: int


def percent(value: float) -> str:
    """Write a place in percent for an SVG attribute."""
    return f"{value:.2f}%"


def progress_bar(counts: Counts) -> list[Part]:
    """Return the parts of the progress bar, the waiting rest last."""
    parts, at = [], 0.0
    for name, css in PARTS:
        share = 100 * getattr(counts, name) / counts.total if counts.total else 0.0
        if share:
            parts.append(Part(percent(at), percent(max(share - GAP, 0.1)), css))
            at += share
    if at < 100:
        parts.append(Part(percent(at), percent(100 - at), "f-0"))
    return parts


def budget_bar(progress: Progress) -> list[Part]:
    """Return spent and reserved money as parts of the budget; empty without one."""
    if not progress.budget:
        return []
    spent = min(100.0, float(100 * progress.spent / progress.budget))
    reserved = min(100.0 - spent, float(100 * progress.reserved / progress.budget))
    return [
        Part(percent(0), percent(spent), "f-1"),
        Part(percent(spent), percent(max(0.0, reserved)), "f-3"),
    ]


def histogram(found: Latencies) -> Histogram:
    """Return the chart of latencies in doubling bins."""
    most = max(count for *_, count in found.bins)
    top = nice(most)
    width = (RIGHT - LEFT) / len(found.bins)
    bars = []
    for place, (low, high, count) in enumerate(found.bins):
        height = (BOTTOM - TOP) * count / top
        bars.append(
            Bar(
                percent(LEFT + place * width + 0.3),
                percent(width - 0.6),
                f"{BOTTOM - height:.1f}",
                f"{height:.1f}",
                f"{seconds(low)} to {seconds(high)} s: {count} calls",
            )
        )
    edges = [found.bins[0][0], *(high for _, high, _ in found.bins)]
    every = math.ceil(len(edges) / 9)
    return Histogram(
        bars=bars,
        edges=[
            Tick(percent(LEFT + place * width), seconds(edge) + (" s" if place == 0 else ""))
            for place, edge in enumerate(edges)
            if place % every == 0
        ],
        grid=[
            Tick(f"{BOTTOM - (BOTTOM - TOP) * share:.1f}", f"{top * share:g}")
            for share in (0, 0.5, 1)
        ],
        median=_mark(found.median, edges, "p50", left=True),
        p95=_mark(found.p95, edges, "p95", left=False),
        summary=(
            f"Latency of {found.count} calls in doubling bins from {seconds(edges[0])} to"
            f" {seconds(edges[-1])} seconds; median {seconds(found.median)},"
            f" 95th percentile {seconds(found.p95)}"
        ),
        count=found.count,
    )


def nice(value: int) -> int:
    """Return the next round number of at least `value`, and at least 2."""
    power = 1
    while True:
        for step in STEPS:
            if step * power >= max(value, 2):
                return step * power
        power *= 10


def seconds(value: float) -> str:
    """Write seconds with as many digits as they deserve."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _mark(value: float, edges: list[float], name: str, *, left: bool) -> Mark:
    low, high = math.log2(edges[0]), math.log2(edges[-1])
    share = (math.log2(max(value, edges[0])) - low) / (high - low)
    at = LEFT + (RIGHT - LEFT) * min(share, 1.0)
    # The label of a line near an edge turns inwards.
    anchor = "end" if (left and at > NEAR) or at > 100 - NEAR else "start"
    return Mark(percent(at), f"{name} {seconds(value)} s", anchor)
