"""Arithmetic of clips: windows in source time, boxes in whole pixels, frames to pick."""

import math
from dataclasses import dataclass

SMALLEST_SIDE = 16  # pixels; encoders and model servers refuse less


@dataclass(frozen=True)
class Span:
    """A window in seconds of the source."""

    start: float
    end: float

    @property
    def duration(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Box:
    """A box in whole pixels of the full frame, top-left origin; every number is even."""

    x: int
    y: int
    w: int
    h: int


def source_span(
    *, video_start: float, start: float, end: float, source_duration: float | None
) -> Span:
    """Return the window of an item in source time.

    `start` and `end` are seconds from the start of the video; a window may end past its
    video's segment, and is cut off only where the source itself begins (a published segment
    starts before it) or ends (`source_duration` in seconds, None where unknown).

    Raises ValueError where nothing of the window lies within the source.
    """
    first, last = video_start + start, video_start + end
    if not (math.isfinite(first) and math.isfinite(last)) or last <= max(first, 0):
        raise ValueError(f"no window from {first} s to {last} s")
    first = max(first, 0.0)
    if source_duration is not None:
        last = min(last, source_duration)
        if last <= first:
            raise ValueError(f"the source ends at {source_duration} s, before {first} s")
    return Span(first, last)


def pixel_box(roi: tuple[float, float, float, float], *, width: int, height: int) -> Box:
    """Return the even box nearest to `roi` (x, y, w, h in fractions) inside the frame.

    Each edge lies within 2 pixels of the asked one, but where the box is smaller than
    SMALLEST_SIDE: it is then widened. Raises ValueError where the frame is too small or
    `roi` is not inside 0 to 1.
    """
    if width < SMALLEST_SIDE or height < SMALLEST_SIDE:
        raise ValueError(f"a frame of {width}x{height} pixels is too small")
    if not all(math.isfinite(part) and 0 <= part <= 1 for part in roi):
        raise ValueError(f"ROI {roi} is not within 0 to 1")
    x, w = _even_side(roi[0], roi[2], width)
    y, h = _even_side(roi[1], roi[3], height)
    return Box(x, y, w, h)


def _even_side(offset: float, share: float, whole: int) -> tuple[int, int]:
    limit = whole - whole % 2
    first = 2 * round(offset * whole / 2)
    last = 2 * round(min(1.0, offset + share) * whole / 2)
    last = min(limit, max(last, first + SMALLEST_SIDE))
    first = max(0, min(first, last - SMALLEST_SIDE))
    return first, last - first


def capped_size(width: int, height: int, *, max_height: int) -> tuple[int, int]:
    """Return the even size of a picture of at most `max_height` pixels with the same shape;
    a very narrow one is widened to SMALLEST_SIDE."""
    if height <= max_height:
        return width - width % 2, height - height % 2
    scaled = 2 * round(width * max_height / height / 2)
    return max(SMALLEST_SIDE, scaled), max_height - max_height % 2


def frame_count(duration: float, fps: float) -> int:
    """Return how many frames a clip of `duration` seconds has, at least one."""
    return max(1, round(duration * fps))


def frame_indices(total: int, count: int) -> list[int]:
    """Return at most `count` frame indices out of `total`, evenly spread, each once.

    The clip is divided into `count` equal parts and the middle frame of each is taken.
    """
    if total < 1 or count < 1:
        raise ValueError(f"no {count} frames out of {total}")
    count = min(total, count)
    return [int((place + 0.5) * total / count) for place in range(count)]


def padded(span: Span, least: float, *, first: float, last: float) -> Span:
    """Return `span`, lengthened to `least` seconds evenly on both sides where it is shorter.

    It stays within `first` to `last`, in seconds of the source: what does not fit on one side
    goes to the other. A window that lies outside is lengthened within its own bounds, and a
    segment shorter than `least` is taken whole.
    """
    lacking = least - span.duration
    if lacking <= 0:
        return span
    first, last = min(first, span.start), max(last, span.end)
    start = min(max(first, span.start - lacking / 2), max(first, last - least))
    return Span(start, min(last, start + least))
