"""Finds where in a teaching video the ultrasound picture stands.

Source: none published is followed. The method is our own and rests on what sets a scan apart
on a screen: its speckle changes at every frame, finely and without colour, while captions,
menus and margins stand still and a filmed hand moves as smooth, coloured shapes.

1. *Life*: how much the picture's fine detail (the picture less its local mean) changes, weighed
   down where there is colour.
2. *Scan*: where life is dense, the connected region that holds most of it, and what joins it
   with as much detail but stands still, since scanners average frames.
3. *Pane*: scanners draw on a plain dark ground. Where the ground around the scan ends in a
   rectangle that leaves something of the frame out, that rectangle is proposed: scales and
   settings of the scanner belong to the picture. Else the scan itself with a small margin.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its ndimage loads at first use: 19 MB, in every process of the site
from numpy.typing import NDArray

from annotation.domain.roi import Roi

Frames = NDArray[np.uint8]
Map = NDArray[Any]

BURSTS, FRAMES, RATE = 8, 4, 7.5  # how a video is looked at; frames a second
LONGEST = 480  # pixels of the longer side of what is looked at; distances below are meant for it
SURE = 0.5  # confidence below which nothing is proposed
DETAIL = 5  # pixels: what is finer counts as detail
LEAST_LIFE = 1.2  # grey levels: where nothing changes more, nothing is a scan
FELT = LEAST_LIFE / 2  # less is noise of the encoder
ROUGH = 2.0  # grey levels of detail that a picture at rest has at least
DENSE = 0.25  # of the usual life, or detail, of what is alive
COLOUR = 24.0  # levels between channels at which life counts half
LEAST_SHARE, MOST_SHARE = 0.02, 0.9  # of the frame that a scan can take
SLIMMEST = 0.3  # width of a scan by its height, and the other way round
GROUND = 6.0  # grey levels that a plain ground may differ from its mean
DARK = 70.0  # grey level that a ground is darker than
FILLED = 0.9  # of a pane's rectangle that its ground and what lies in it must take
MARGIN = 4  # pixels around a scan without a pane


@dataclass(frozen=True)
class Suggestion:
    """`roi` with `confidence` (0 to 1), or None with the `reason`.

    `scan` is the moving picture alone, which a box has to hold; None where none was found.
    """

    roi: Roi | None
    confidence: float
    reason: str = ""
    scan: Roi | None = None


def suggest(frames: Frames) -> Suggestion:
    """Return the box of the ultrasound picture in `frames`.

    Args:
        frames: (bursts, frames, height, width, 3) RGB bytes; the frames of a burst follow one
            another by a fraction of a second, bursts are spread over the video.

    Raises ValueError where the shape is another one.
    """
    if frames.ndim != 5 or frames.shape[-1] != 3 or frames.dtype != np.uint8:
        raise ValueError("frames must be bytes of (bursts, frames, height, width, 3)")
    if frames.shape[0] < 1 or frames.shape[1] < 2 or min(frames.shape[2:4]) < DETAIL * 4:
        return Suggestion(None, 0.0, "There are too few frames to see anything move.")
    looks = looks_of(frames)
    life = looks.life
    if life.max() < LEAST_LIFE:
        return Suggestion(None, 0.0, "Nothing moves in this video as a scan does.")
    region = grown(scan_of(life), looks.texture)
    # Taken back by as much as the means have smeared it.
    scan = scipy.ndimage.binary_erosion(region, iterations=DETAIL - 1, border_value=1)
    share = scan.mean()
    if share < LEAST_SHARE or not _is_broad(scan):
        return Suggestion(None, 0.0, "What moves is too small or too flat for a scan.")
    if share > MOST_SHARE:
        reason = "The picture moves all over the frame: nothing to cut away."
        return Suggestion(None, 0.0, reason)
    box = _bounds(scan)
    confidence = _confidence(life, region)
    if confidence < SURE:
        reason = "More than one part of the frame moves like a scan."
        return Suggestion(None, confidence, reason, scan=_roi(box, scan.shape))
    pane = pane_of(np.median(frames.mean(axis=4), axis=(0, 1)), scan)
    found = pane if pane is not None else _wider(box, MARGIN, scan.shape)
    return Suggestion(_roi(found, scan.shape), confidence, scan=_roi(box, scan.shape))


@dataclass(frozen=True)
class Looks:
    """Maps of (height, width) grey levels. `life`: how much fine detail changes from frame to
    frame and from burst to burst, of both the median, so that edges that pass by, cuts and new
    captions count little. `texture`: how much of it there is. Colour weighs both down."""

    life: Map
    texture: Map


def burst_times(start: float, end: float) -> list[float]:
    """Return the seconds at which bursts begin, from the middles of equal parts of a video;
    all of a burst lies within the video where that is long enough."""
    lasts = FRAMES / RATE
    middles = (start + (place + 0.5) * (end - start) / BURSTS for place in range(BURSTS))
    last = max(start, end - lasts)
    return [max(0.0, min(max(start, middle - lasts / 2), last)) for middle in middles]


def looked_at(width: int, height: int) -> tuple[int, int]:
    """Return the size in pixels that a frame is looked at in; its shape stays."""
    scale = min(1.0, LONGEST / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def looks_of(frames: Frames) -> Looks:
    """Return what of the frames' fine detail counts: how much changes, and how much is there."""
    details, dulls, within = [], [], []
    for burst in frames:
        grey = burst.mean(axis=3, dtype=np.float32)
        detail = grey - scipy.ndimage.uniform_filter(grey, size=(1, DETAIL, DETAIL))
        dull = _dullness(burst)
        within.append(np.abs(np.diff(detail, axis=0)).mean(axis=0) * dull)
        details.append(detail.mean(axis=0))
        dulls.append(dull)
    life = np.median(np.stack(within), axis=0)
    if len(details) > 1:
        between = np.abs(np.diff(np.stack(details), axis=0))
        between *= np.minimum(np.stack(dulls[1:]), np.stack(dulls[:-1]))
        life = life + np.median(between, axis=0)
    texture = np.median(np.abs(np.stack(details)) * np.stack(dulls), axis=0)
    return Looks(_smeared(life), _smeared(texture))


def _smeared(values: Map) -> Map:
    return scipy.ndimage.uniform_filter(values, size=2 * DETAIL + 1)


def _dullness(burst: Frames) -> Map:
    """Return 1 where a burst is without colour, towards 0 where it has much."""
    spread = (burst.max(axis=3) - burst.min(axis=3)).max(axis=0).astype(np.float32)
    colour = scipy.ndimage.uniform_filter(spread, size=DETAIL)
    return 1 / (1 + (colour / COLOUR) ** 2)


def scan_of(life: Map) -> Map:
    """Return the mask of the connected region that holds most life, its holes filled."""
    usual = float(np.median(life[life >= FELT])) if (life >= FELT).any() else 0.0
    labels, count = scipy.ndimage.label(_smooth(life >= max(FELT, DENSE * usual)))
    if not count:
        return np.zeros(life.shape, bool)
    weights = scipy.ndimage.sum_labels(np.minimum(life, usual), labels, range(1, count + 1))
    return scipy.ndimage.binary_fill_holes(labels == 1 + int(np.argmax(weights)))


def grown(region: Map, texture: Map) -> Map:
    """Return a region with what is joined to it and looks like it, but stands still."""
    if not region.any():
        return region
    usual = float(np.median(texture[region]))
    like = scipy.ndimage.binary_opening(texture >= max(ROUGH, DENSE * usual), iterations=DETAIL)
    return scipy.ndimage.binary_fill_holes(
        scipy.ndimage.binary_propagation(region, mask=region | like)
    )


def _smooth(mask: Map) -> Map:
    """Return a mask without specks and cracks; it goes on beyond the frame as at its edge."""
    around = np.pad(mask, 2 * DETAIL, mode="edge")
    whole = scipy.ndimage.binary_opening(around, iterations=DETAIL)
    whole = scipy.ndimage.binary_closing(whole, iterations=DETAIL)
    return whole[2 * DETAIL : -2 * DETAIL, 2 * DETAIL : -2 * DETAIL]


def _is_broad(scan: Map) -> bool:
    top, left, bottom, right = _bounds(scan)
    return SLIMMEST <= (right - left) / (bottom - top) <= 1 / SLIMMEST


def _confidence(life: Map, region: Map) -> float:
    """Return which share of the life that counts lies in the region, 0 to 1."""
    felt = np.where(life >= FELT, np.minimum(life, np.median(life[region])), 0.0)
    return float(felt[region].sum() / felt.sum())


def pane_of(median: Map, scan: Map) -> tuple[int, int, int, int] | None:
    """Return the rectangle (top, left, bottom, right) of the plain ground around a scan.

    None where the ground is not plain and dark, or ends in no rectangle, or only with the
    frame.
    """
    ring = scipy.ndimage.binary_dilation(
        scan, iterations=2 * DETAIL
    ) & ~scipy.ndimage.binary_dilation(scan, iterations=DETAIL)
    if not ring.any():
        return None
    level = float(np.median(median[ring]))
    if level > DARK:
        return None
    labels, _ = scipy.ndimage.label((np.abs(median - level) <= GROUND) | scan)
    ground = scipy.ndimage.binary_fill_holes(labels == np.bincount(labels[scan]).argmax())
    ground = scipy.ndimage.binary_opening(ground, iterations=2)
    if not ground.any():
        return None
    top, left, bottom, right = box = _bounds(ground)
    area = (bottom - top) * (right - left)
    if area > MOST_SHARE * ground.size or ground[top:bottom, left:right].mean() < FILLED:
        return None
    return box


def _bounds(mask: Map) -> tuple[int, int, int, int]:
    """Return (top, left, bottom, right) of a mask, the last two beyond it."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1


def _wider(
    box: tuple[int, int, int, int], by: int, shape: tuple[int, ...]
) -> tuple[int, int, int, int]:
    top, left, bottom, right = box
    return (
        max(0, top - by),
        max(0, left - by),
        min(shape[0], bottom + by),
        min(shape[1], right + by),
    )


def _roi(box: tuple[int, int, int, int], shape: tuple[int, ...]) -> Roi:
    top, left, bottom, right = box
    height, width = shape[:2]
    return Roi(left / width, top / height, (right - left) / width, (bottom - top) / height)
