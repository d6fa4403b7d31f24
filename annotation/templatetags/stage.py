"""What the player's part of a page asks: times as people read them, YouTube's origins."""

from django import template
from django.conf import settings

from annotation.domain.clock import clock as as_clock
from annotation.models import Source
from annotation.models.benchmark import SourceKind

register = template.Library()


@register.filter
def clock(seconds: float) -> str:
    """71.5 as 1:11.50."""
    return as_clock(seconds)


@register.simple_tag
def youtube_script_origin() -> str:
    return settings.YOUTUBE_SCRIPT_ORIGIN


@register.simple_tag
def youtube_player_host() -> str:
    return settings.YOUTUBE_FRAME_ORIGIN


@register.filter
def watch_url(source: Source, at: float = 0.0) -> str:
    """The public page of a source at a second of it; empty for a file."""
    if source.kind != SourceKind.YOUTUBE:
        return ""
    return f"https://www.youtube.com/watch?v={source.key}&t={int(at)}s"


@register.filter
def box(roi: dict[str, float]) -> str:
    """x, y, w, h of a ROI in percent of the frame."""
    return ", ".join(f"{roi[side] * 100:.1f}" for side in ("x", "y", "w", "h")) + " %"
