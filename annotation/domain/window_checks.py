"""What there is to say about a window before it is saved: what is wrong, and what to do.

The page says the same while an edge is moved (static/ui/stage/window_checks.js); a test holds
the two together.
"""

import math
from collections.abc import Sequence

from annotation.domain.clock import clock

SHORT = 0.5  # seconds
FPS = 15  # of clips
SEEN = 0.005  # seconds: what rounds to a hundredth


def warnings(
    start: float, end: float, *, segment: float, events: Sequence[tuple[float, float]] = ()
) -> list[str]:
    """Return what is to be said against a window; all times in seconds from the start of its
    video, which lasts `segment`. `events` are the spans of its event log."""
    found = []
    if start >= segment:
        found.append(f"Lies after its segment, which ends at {clock(segment)}: move it in")
    elif end > segment + SEEN:
        found.append(
            f"Ends {_hundredths(end - segment)} s after its segment: end it at {clock(segment)},"
            " unless that is meant"
        )
    if end - start < SHORT:
        frames = max(1, math.floor((end - start) * FPS + 0.5))
        found.append(
            f"Only {_hundredths(end - start)} s: a model gets {frames}"
            f" {'frame' if frames == 1 else 'frames'}. Lengthen it if more is to be seen"
        )
    if events and not any(first < end and last > start for first, last in events):
        found.append("No entry of the event log lies in it: check that it is the right place")
    return found


def _hundredths(seconds: float) -> str:
    return f"{math.floor(100 * seconds + 0.5) / 100:.2f}"
