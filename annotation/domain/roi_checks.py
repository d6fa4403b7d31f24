"""What there is to say about a box before it is saved: what is wrong, and what to do.

The page says the same while a box is drawn (static/ui/roi/checks.js); a test holds the two
together.
"""

import math
from dataclasses import dataclass

from annotation.domain.roi import Roi

SMALL = 224  # pixels: the side of the smallest picture that vision models are fed
LINES = 720  # pixels: clips are scaled down to as many lines
SLIM = 4.0  # sides that differ more than so many times
BIGGER = 1.6  # times the area of the suggestion
CUT = 0.01  # of the frame by which the moving picture goes on beyond an edge


@dataclass(frozen=True)
class Check:
    """`good` or a warning; `code` for programs, `text` for people: a warning says what to do."""

    good: bool
    code: str
    text: str


def checks(
    roi: Roi, *, width: int, height: int, suggested: Roi | None = None, scan: Roi | None = None
) -> list[Check]:
    """Return what is to be said of `roi` in a frame of `width` x `height` pixels.

    `suggested` is the box that was suggested and `scan` the moving picture that was found in
    it, where a worker has looked.
    """
    return [
        Check(True, "inside", f"Inside the frame, {_reach(roi)}"),
        *_edges(roi, width, height),
        *_size(roi, width, height),
        *_beside(roi, width, height, suggested, scan),
    ]


def warnings(found: list[Check]) -> list[dict[str, str]]:
    """Return the warnings alone, JSON-ready."""
    return [{"code": one.code, "text": one.text} for one in found if not one.good]


def _reach(roi: Roi) -> str:
    right, bottom = (math.floor(1000 * end + 0.5) / 1000 for end in (roi.x + roi.w, roi.y + roi.h))
    return f"x + w = {right:.3f}, y + h = {bottom:.3f}"


def _edges(roi: Roi, width: int, height: int) -> list[Check]:
    x, y, w, h = roi.to_pixels(width=width, height=height)
    sides = {"left": x <= 0, "top": y <= 0, "right": x + w >= width, "bottom": y + h >= height}
    touched = [name for name, is_touched in sides.items() if is_touched]
    if len(touched) == 4:
        text = "The whole frame: nothing is cut away. Draw the box around the scan"
        return [Check(False, "whole", text)]
    if not touched:
        return []
    text = (
        f"Touches the frame's edge ({', '.join(touched)}): move it in, unless the scan ends there"
    )
    return [Check(False, "edge", text)]


def _size(roi: Roi, width: int, height: int) -> list[Check]:
    _, _, w, h = roi.to_pixels(width=width, height=height)
    even = roi.cut(width=width, height=height)
    found = []
    if (w, h) != (even.w, even.h):
        text = f"Odd size: clips are cut to even pixels, {even.w} × {even.h}. Nothing to do"
        found.append(Check(False, "odd", text))
    if min(w, h) < SMALL:
        text = f"A side under {SMALL} px: a model sees little. Widen it if the scan is larger"
        found.append(Check(False, "small", text))
    if max(w, h) > SLIM * min(w, h):
        text = "More than 4 times as long as wide: models squeeze it. Take in more of the scan"
        found.append(Check(False, "slim", text))
    if even.h > LINES:
        text = f"Clips are scaled down to {LINES} lines: a box closer to the scan keeps detail"
        found.append(Check(False, "high", text))
    return found


def _beside(
    roi: Roi, width: int, height: int, suggested: Roi | None, scan: Roi | None
) -> list[Check]:
    found = []
    if scan is not None and roi.iou(scan) == 0:
        text = "Leaves the moving picture out: look at the suggestion"
        found.append(Check(False, "misses", text))
    elif scan is not None:
        found.append(_cuts(roi, scan, width, height))
    if suggested is not None and roi.area > BIGGER * suggested.area:
        times = math.floor(10 * roi.area / suggested.area + 0.5) / 10
        text = f"{times:.1f} times the area of the suggestion: draw it closer to the scan"
        found.append(Check(False, "bigger", text))
    return found


def _cuts(roi: Roi, scan: Roi, width: int, height: int) -> Check:
    beyond = {
        "left": (roi.x - scan.x, width),
        "top": (roi.y - scan.y, height),
        "right": (scan.x + scan.w - roi.x - roi.w, width),
        "bottom": (scan.y + scan.h - roi.y - roi.h, height),
    }
    moves = [
        f"{name} edge out by {math.ceil(by * side)} px"
        for name, (by, side) in beyond.items()
        if by > CUT
    ]
    if not moves:
        return Check(True, "holds", "The whole moving picture is inside")
    return Check(False, "cuts", f"Cuts the moving picture: move the {', the '.join(moves)}")
