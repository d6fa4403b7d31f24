"""Figures with their intervals, as text and as whiskers."""

from typing import Any

from django import template

from annotation.domain.agreement import Figure

register = template.Library()


@register.filter
def two_digits(value: float | None) -> str:
    """0.7123 as 0.71; an en dash where there is no value."""
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


@register.filter
def per_cent(value: float | None) -> str:
    """0.813 as 81.3 %; an en dash where there is no value."""
    return "–" if value is None else f"{100 * value:.1f} %"


@register.filter
def interval(figure: Figure) -> str:
    """0.63 to 0.78, or nothing where no interval can be had."""
    if figure.low is None or figure.high is None:
        return ""
    return f"{two_digits(figure.low)} to {two_digits(figure.high)}"


@register.filter
def part_of(count: float, whole: float) -> str:
    """A count in percent of a whole, as the width of a bar: 12.34."""
    return f"{100 * count / whole if whole else 0:.2f}"


@register.inclusion_tag("annotation/_whisker.html")
def whisker(figure: Figure, low: bool = False) -> dict[str, Any]:
    """The figure's place and interval between 0 and 1; what is below 0 stands at 0."""
    ends = [figure.value, figure.low, figure.high]
    at, start, end = (None if one is None else f"{100 * min(max(one, 0), 1):.2f}" for one in ends)
    words = two_digits(figure.value)
    if interval(figure):
        words += f", 95 % interval {interval(figure)}"
    middle = 6 if low else 10
    return {
        "at": at,
        "start": start,
        "end": end,
        "words": words,
        "low": low,
        "middle": middle,
        "top": middle - 4,
        "bottom": middle + 4,
    }
