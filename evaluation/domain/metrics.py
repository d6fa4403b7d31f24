"""Figures of one run on one release: headline, mean over scored, bound, slices with intervals.

The headline divides by all items of the release: an item without a score wins nothing.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.domain.uncertainty import (
    Estimate,
    Floats,
    Ints,
    estimate_from_sums,
    sums_by_cluster,
)

POINTS = {"mcq": 1, "free": 2}  # the most that one item of the kind can give
DURATION_EDGES = (5.0, 10.0, 20.0)  # seconds
DURATIONS = ("0-5", "5-10", "10-20", "20+")


@dataclass(frozen=True)
class AskedItem:
    """What the figures need to know of one kept item of a release; `seconds` is the length
    of its clip, `source` the id of its source."""

    kind: str
    question_type: str
    seconds: float
    category: str
    source: int


class Labels:
    """A word an item, stored as the number of the word."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = {name: number for number, name in enumerate(names)}
        self.codes = array("i")

    def add(self, name: str) -> None:
        self.codes.append(self.names.setdefault(name, len(self.names)))

    def places(self, name: str) -> Ints:
        """Return where `name` stands."""
        return np.flatnonzero(np.array(self.codes, dtype=np.int32) == self.names.get(name, -1))


@dataclass(frozen=True)
class Slice:
    """Some items of a frame: their places, and their clusters numbered 0 … G - 1."""

    places: Ints
    clusters: Ints
    sizes: Ints

    @classmethod
    def of(cls, places: Ints, sources: Ints) -> "Slice":
        _, clusters = np.unique(sources[places], return_inverse=True)
        return cls(places, clusters, np.bincount(clusters))


@dataclass(frozen=True)
class KindFrame:
    """The kept items of one kind and the slices that are shown of them."""

    kind: str
    all: Slice
    by: Mapping[str, Mapping[str, Slice]]  # "type", "duration", "category" → label → slice
    sources: tuple[int, ...]  # the source id of each cluster of `all`


@dataclass(frozen=True)
class Scores:
    """The scores of one run, one place per item of the frame.

    `headline` counts a missing repeat as 0; `mean` is the mean over the repeats that were
    scored (0 where none was); `scored` says where at least one was. All from 0 to 1.
    """

    headline: Floats
    mean: Floats
    scored: np.ndarray
    spread: float | None = None


def build_frames(items: Iterable[AskedItem]) -> dict[str, KindFrame]:
    """Return the frame of each kind that has items; no item is held."""
    sources, seconds = array("q"), array("d")
    kinds, types, categories = Labels(), Labels(), Labels()
    for item in items:
        sources.append(item.source)
        seconds.append(item.seconds)
        kinds.add(item.kind)
        types.add(item.question_type)
        categories.add(item.category)
    durations = Labels(DURATIONS)
    durations.codes.extend(np.searchsorted(DURATION_EDGES, seconds, side="right").tolist())
    where = np.array(sources, dtype=np.int64)
    frames = {}
    for kind in POINTS:
        places = kinds.places(kind)
        if len(places):
            by = {
                "type": _slices(places, where, types, sorted(types.names)),
                "duration": _slices(places, where, durations, DURATIONS),
                "category": _slices(places, where, categories, sorted(categories.names)),
            }
            ids = tuple(int(value) for value in np.unique(where[places]))
            frames[kind] = KindFrame(kind, Slice.of(places, where), by, ids)
    return frames


def collect_scores(
    places: Sequence[int], values: Sequence[float], *, items: int, repeats: int
) -> Scores:
    """Average the scores of each item over its repeats.

    Args:
        places: the item's place in the frame, one per scored prediction.
        values: its score, 0 to 1.
        items: how many items the frame has.
        repeats: how often each item was to be asked.
    """
    where = np.asarray(places, dtype=np.int64)
    score = np.asarray(values, dtype=float)
    count = np.bincount(where, minlength=items)
    total = np.bincount(where, weights=score, minlength=items)
    mean = np.divide(total, count, out=np.zeros(items), where=count > 0)
    spread = None
    if repeats > 1 and len(where):
        square = np.bincount(where, weights=(score - mean[where]) ** 2, minlength=items)
        often = count > 1
        if often.any():
            spread = float(np.sqrt((square[often] / (count[often] - 1)).mean()))
    return Scores(total / np.maximum(repeats, count), mean, count > 0, spread)


def kind_figures(frame: KindFrame, scores: Scores) -> dict[str, object]:
    """Return the figures of one kind: counts, means on the scale 0 to 1, intervals, slices."""
    figures = slice_figures(frame.kind, frame.all, scores)
    scored = frame.all.places[scores.scored[frame.all.places]]
    missing = len(frame.all.places) - len(scored)
    figures["mean_scored"] = _rounded(float(scores.mean[scored].mean())) if len(scored) else None
    figures["bound"] = _rounded(
        (float(scores.headline[frame.all.places].sum()) + missing) / len(frame.all.places)
    )
    for name, slices in frame.by.items():
        figures[f"by_{name}"] = {
            label: slice_figures(frame.kind, part, scores) for label, part in slices.items()
        }
    return figures


def slice_figures(kind: str, part: Slice, scores: Scores) -> dict[str, object]:
    """Return points, n, how many were scored, mean (0 to 1) and its interval cut to 0 … 1."""
    values = scores.headline[part.places]
    estimate = estimate_from_sums(sums_by_cluster(values, part.clusters), part.sizes)
    return {
        "points": whole(float(values.sum()) * POINTS[kind]),
        "n": len(part.places),
        "scored": int(np.count_nonzero(scores.scored[part.places])),
        "mean": _rounded(estimate.mean),
        "ci": _interval(estimate),
        "sources": estimate.clusters,
    }


def cluster_sums(part: Slice, scores: Scores) -> list[float]:
    """Return the sum of headline scores in each cluster: what paired tests are made of."""
    sums = sums_by_cluster(scores.headline[part.places], part.clusters)
    return [_rounded(float(value)) for value in sums]


def frame_clusters(frame: KindFrame, scores: Scores) -> dict[str, object]:
    """Return the sums by source that an entry stores of one kind, overall and by slice."""
    return {
        "sources": list(frame.sources),
        "sizes": frame.all.sizes.tolist(),
        "sums": cluster_sums(frame.all, scores),
        **{
            f"by_{group}": {
                name: {"sizes": part.sizes.tolist(), "sums": cluster_sums(part, scores)}
                for name, part in slices.items()
            }
            for group, slices in frame.by.items()
        },
    }


def scored_part(part: Slice, scores: Scores) -> Slice | None:
    """Return the items of `part` that have a score, with the clusters they lie in; None
    without any."""
    scored = scores.scored[part.places]
    if not scored.any():
        return None
    _, clusters = np.unique(part.clusters[scored], return_inverse=True)
    return Slice(part.places[scored], clusters, np.bincount(clusters))


def whole(value: float) -> int | float:
    """Return a count as an integer where it is one; averaged repeats may leave a fraction."""
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-9 else round(value, 6)


def _slices(places: Ints, sources: Ints, labels: Labels, order: Sequence[str]) -> dict[str, Slice]:
    """Return the slice of each label that one of `places` has, in the order of `order`."""
    codes = np.array(labels.codes, dtype=np.int32)[places]
    parts = {name: places[codes == labels.names[name]] for name in order}
    return {name: Slice.of(part, sources) for name, part in parts.items() if len(part)}


def _interval(estimate: Estimate) -> list[float] | None:
    if estimate.low is None or estimate.high is None:
        return None
    return [_rounded(max(0.0, estimate.low)), _rounded(min(1.0, estimate.high))]


def _rounded(value: float) -> float:
    return round(value, 10)
