"""Faults of windows and boxes: past the segment, too short, alike, beside what is asked."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from annotation.domain.audit.flags import (
    OUTSIDE_ROI,
    PAST_SEGMENT,
    SAME_WINDOW,
    SHORT_CLIP,
    UNDER_FRAME,
    ItemFlag,
)
from annotation.domain.audit.items import AuditItem

FRAME_INTERVAL = 1.0  # seconds: Gemini's default is one frame a second
SHORT_SECONDS = 2.0
ROUNDING = 1e-6
WHOLE_FRAME = 0.9  # share of the frame above which a box crops away next to nothing
BESIDE_IMAGE = re.compile(
    r"\b(probe|transducer|hands?\b(?!-)|fingers?|wrist|skin"
    r"|patient(?!['’]s\s+(?:right|left|head|feet|side)))\b",
    re.I,
)


def window_flags(items: Sequence[AuditItem]) -> Iterator[ItemFlag]:
    """Yield the flags of single windows and boxes, then those of windows that are the same."""
    for item in items:
        length = item.end - item.start
        if item.end > item.length + ROUNDING:
            over = item.end - item.length
            yield ItemFlag(
                item.pk, PAST_SEGMENT, f"The window ends {over:.2f} s past the end of its segment."
            )
        if length < SHORT_SECONDS:
            yield ItemFlag(item.pk, SHORT_CLIP, f"The clip is {length:.2f} s long, under 2 s.")
        if length < FRAME_INTERVAL:
            yield ItemFlag(
                item.pk,
                UNDER_FRAME,
                f"At one frame a second a model sees one frame of these {length:.2f} s at most.",
            )
        yield from _beside(item)
    yield from _same_windows(items)


def _beside(item: AuditItem) -> Iterator[ItemFlag]:
    share = item.roi[2] * item.roi[3]
    found = BESIDE_IMAGE.search(item.stem)
    if found and share < WHOLE_FRAME:
        yield ItemFlag(
            item.pk,
            OUTSIDE_ROI,
            f"The stem speaks of “{found.group().lower()}”, but the ROI keeps {100 * share:.0f} % "
            "of the frame: see whether what is asked can be seen in it.",
        )


def _same_windows(items: Sequence[AuditItem]) -> Iterator[ItemFlag]:
    groups: dict[tuple[str, str, float, float], list[AuditItem]] = defaultdict(list)
    for item in items:
        groups[item.video, item.kind, round(item.start, 2), round(item.end, 2)].append(item)
    for (_, _, start, end), group in groups.items():
        if len(group) > 1:
            reason = f"{len(group)} items of this kind ask about the same {start:g}–{end:g} s."
            yield from (ItemFlag(item.pk, SAME_WINDOW, reason) for item in group)
