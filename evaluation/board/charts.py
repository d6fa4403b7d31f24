"""Charts of the leaderboard as SVG made on the server: places in percent, so that text keeps
its size and no style attribute is needed. All text goes through `format_html`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

BAR_GAP = 0.5  # percent between parts of a stacked bar
NARROW = 5.0  # percent; a part below it carries no number


@dataclass(frozen=True)
class Mark:
    """A measured share, 0 to 1, and its interval where there is one."""

    share: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Part:
    """One part of a stacked bar: its count, its fill (a class, or the id of a pattern, which
    begins with p-), and what it says."""

    count: float
    fill: str
    words: str


def whisker(
    mark: Mark,
    label: str,
    *,
    chance: float | None = None,
    reference: bool = False,
    dense: bool = False,
) -> SafeString:
    """Draw a share with calipers for its interval on a line from 0 to 1."""
    middle, tick = (7, 4) if dense else (10, 4)
    kind = " ref" if reference else ""
    parts = [format_html('<line class="grid-line" x1="0" x2="100%" y1="{0}" y2="{0}"/>', middle)]
    if chance is not None:
        parts.append(
            format_html(
                '<line class="chance" x1="{0}" x2="{0}" y1="0" y2="{1}"/>',
                percent(chance),
                2 * middle,
            )
        )
    parts.append(_calipers(mark, middle, tick, kind))
    parts.append(
        format_html(
            '<circle class="cal-dot{}" cx="{}" cy="{}" r="3.5"/>', kind, percent(mark.share), middle
        )
    )
    return format_html(
        '<svg class="whisker{}" role="img" aria-label="{}">{}</svg>',
        " dense" if dense else "",
        label,
        _joined(parts),
    )


def difference_whisker(
    mean: float, low: float | None, high: float | None, label: str, *, reach: float
) -> SafeString:
    """Draw a difference (−1 to 1) with its interval on a line from −reach to +reach."""

    def place(value: float) -> float:
        return min(1.0, max(0.0, 0.5 + value / (2 * reach)))

    mark = Mark(
        place(mean), None if low is None else place(low), None if high is None else place(high)
    )
    parts = [
        SafeString('<line class="grid-line" x1="0" x2="100%" y1="10" y2="10"/>'),
        SafeString('<line class="zero" x1="50%" x2="50%" y1="0" y2="20"/>'),
        _calipers(mark, 10, 4, ""),
        format_html('<circle class="cal-dot" cx="{}" cy="10" r="3.5"/>', percent(mark.share)),
    ]
    return format_html(
        '<svg class="whisker" role="img" aria-label="{}">{}</svg>', label, _joined(parts)
    )


def axis(labels: Sequence[str]) -> SafeString:
    """Draw the numbers of an axis, spread evenly from its start to its end."""
    last = len(labels) - 1
    texts = format_html_join(
        "",
        '<text x="{}" y="12" text-anchor="{}" class="axis t11">{}</text>',
        (
            (
                percent(index / last),
                "start" if index == 0 else "end" if index == last else "middle",
                text,
            )
            for index, text in enumerate(labels)
        ),
    )
    return format_html('<svg class="whisker axis-row" aria-hidden="true">{}</svg>', texts)


def points_over_bins(
    marks: Sequence[tuple[str, Mark | None]], label: str, *, chance: float | None
) -> SafeString:
    """Draw shares with intervals over named bins, joined by a faint line; None: no item."""
    left, right = 0.11, 1.0
    step = (right - left) / max(1, len(marks))
    parts = [
        format_html(
            '<line x1="11%" x2="100%" y1="{0}" y2="{0}" class="grid-line"/>'
            '<text x="9%" y="{1}" text-anchor="end" class="axis t11">{2}</text>',
            _height(share),
            round(_height(share) + 4, 1),
            round(share * 100),
        )
        for share in (0.0, 0.5, 1.0)
    ]
    if chance is not None:
        parts.append(
            format_html(
                '<line x1="11%" x2="100%" y1="{0}" y2="{0}" class="chance"/>', _height(chance)
            )
        )
    places = [(left + step * (index + 0.5), name, mark) for index, (name, mark) in enumerate(marks)]
    parts.append(_joining_line([(place, mark) for place, _, mark in places if mark]))
    parts.extend(_bin(place, name, mark) for place, name, mark in places)
    return format_html(
        '<svg class="mini" role="img" aria-label="{}">{}</svg>', label, _joined(parts)
    )


def stacked_bar(parts: Sequence[Part], total: int) -> SafeString:
    """Draw counts that add up to `total` as one bar with the numbers in it."""
    room = 100.0 - BAR_GAP * max(0, len(parts) - 1)
    x, drawn = 0.0, []
    for part in parts:
        width = room * part.count / total if total else 0.0
        if part.count:
            drawn.append(_bar_part(part, x, width))
            x += width + BAR_GAP
    label = "; ".join(f"{part.words}: {part.count}" for part in parts)
    return format_html(
        '<svg class="sbar" role="img" aria-label="{}">{}</svg>', label, _joined(drawn)
    )


def percent(share: float) -> str:
    """Return a share from 0 to 1 as an SVG length."""
    return f"{100 * share:.2f}%"


def _calipers(mark: Mark, middle: int, tick: int, kind: str) -> SafeString:
    if mark.low is None or mark.high is None:
        return SafeString("")
    return format_html(
        '<line class="cal{3}" x1="{0}" x2="{1}" y1="{2}" y2="{2}"/>'
        '<line class="cal{3}" x1="{0}" x2="{0}" y1="{4}" y2="{5}"/>'
        '<line class="cal{3}" x1="{1}" x2="{1}" y1="{4}" y2="{5}"/>',
        percent(mark.low),
        percent(mark.high),
        middle,
        kind,
        middle - tick,
        middle + tick,
    )


def _height(share: float) -> float:
    return round(78 - 72 * share, 1)


def _joining_line(points: Sequence[tuple[float, Mark]]) -> SafeString:
    return format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" class="cal faint"/>',
        (
            (percent(x1), percent(x2), _height(first.share), _height(second.share))
            for (x1, first), (x2, second) in pairwise(points)
        ),
    )


def _bin(place: float, name: str, mark: Mark | None) -> SafeString:
    text = format_html(
        '<text x="{}" y="94" text-anchor="middle" class="axis t11">{}</text>', percent(place), name
    )
    if mark is None:
        return text
    dot = format_html(
        '<circle cx="{}" cy="{}" r="3.2" class="cal-dot"/>', percent(place), _height(mark.share)
    )
    if mark.low is None or mark.high is None:
        return _joined([dot, text])
    bars = format_html(
        '<line x1="{0}" x2="{0}" y1="{3}" y2="{4}" class="cal"/>'
        '<line x1="{1}" x2="{2}" y1="{3}" y2="{3}" class="cal"/>'
        '<line x1="{1}" x2="{2}" y1="{4}" y2="{4}" class="cal"/>',
        percent(place),
        percent(place - 0.016),
        percent(place + 0.016),
        _height(mark.low),
        _height(mark.high),
    )
    return _joined([bars, dot, text])


def _bar_part(part: Part, x: float, width: float) -> SafeString:
    middle = x + width / 2
    paint = 'fill="url(#{})"' if part.fill.startswith("p-") else 'class="{}"'
    rect = format_html(
        '<rect x="{}%" width="{}%" height="18" rx="2" {}/>',
        f"{x:.2f}",
        f"{width:.2f}",
        format_html(paint, part.fill),
    )
    if width < NARROW:
        return rect
    if part.fill == "f-1":
        return _joined([rect, _bar_text(middle, "on-acc", part.count)])
    plate = SafeString("")
    if part.fill.startswith("p-"):
        plate = format_html(
            '<rect x="{}%" y="2" width="5%" height="14" rx="2" class="f-panel"/>',
            f"{middle - 2.5:.2f}",
        )
    return _joined([rect, plate, _bar_text(middle, "val", part.count)])


def _bar_text(middle: float, kind: str, count: float) -> SafeString:
    return format_html(
        '<text x="{}%" y="13" text-anchor="middle" class="{}">{}</text>',
        f"{middle:.2f}",
        kind,
        count,
    )


def _joined(parts: Iterable[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in parts))
