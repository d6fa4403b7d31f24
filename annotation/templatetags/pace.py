"""Lengths of time as people say them."""

from django import template

from annotation.queries.pace import Pace

register = template.Library()


@register.filter
def spent(seconds: float) -> str:
    """42 as "42 s", 90 as "1 min 30 s", 7260 as "2 h 1 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 10:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


@register.simple_tag
def pace_hint(pace: Pace | str) -> str:
    """What a reader's pace is, and how long the rest will take at it; empty on pages that were
    given none."""
    if not isinstance(pace, Pace) or pace.seconds is None or pace.left is None:
        return ""
    return f"{spent(pace.seconds)} an item, about {spent(pace.left)} left at your pace"
