"""What is to be said against the window of an item version."""

from annotation.domain import window_checks
from annotation.models import Event, ItemVersion
from annotation.queries.stage import MOST


def window_warnings(version: ItemVersion) -> list[str]:
    """Return the warnings, as the page shows them while the window is moved; one query."""
    events = Event.objects.filter(video_id=version.item.video_id).values_list("start", "end")
    return window_checks.warnings(
        version.start,
        version.end,
        segment=version.video_end - version.video_start,
        events=list(events[:MOST]),
    )
