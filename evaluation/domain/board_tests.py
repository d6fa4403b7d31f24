"""Tests between the entries of one release, from their stored sums by source.

`clusters` of an entry: kind → {"sources", "sizes", "sums", "by_type": {type → {"sizes",
"sums"}}}, sources in ascending order, sums of headline scores from 0 to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from evaluation.domain.ranking import Comparison, compare_all, rank_intervals
from evaluation.domain.uncertainty import Difference, difference_from_sums, smallest_detectable

NEIGHBOURS = 3  # pairs told in words
Clusters = Mapping[str, Any]


@dataclass(frozen=True)
class PairNote:
    """Two neighbours in a ranking: `difference` in shares (0 to 1), `p` after Holm."""

    better: str
    worse: str
    difference: float
    p: float


@dataclass(frozen=True)
class Standing:
    """The ranks of one condition, by entry; what its tests can tell apart."""

    ranks: Mapping[int, tuple[int, int]]
    pairs: tuple[PairNote, ...]
    detectable: float | None


@dataclass(frozen=True)
class Gain:
    """Video minus blind of one model, paired by item: overall and by type, of each kind."""

    kinds: Mapping[str, Difference]
    by_type: Mapping[str, Mapping[str, Difference]]


def stand(entries: Mapping[int, Clusters], names: Mapping[int, str]) -> Standing:
    """Rank entries of one condition by their MCQs, or by free responses where no entry has
    MCQs. An entry on other items or sources than most is left unranked."""
    kind = "mcq" if any("mcq" in clusters for clusters in entries.values()) else "free"
    usable = _on_the_same_items({pk: c[kind] for pk, c in entries.items() if kind in c})
    if not usable:
        return Standing({}, (), None)
    sizes = np.array(next(iter(usable.values()))["sizes"], dtype=np.int64)
    sums = np.array([part["sums"] for part in usable.values()], dtype=float)
    comparison = compare_all(sums, sizes)
    keys = list(usable)
    ranks = {
        pk: (rank.low, rank.high) for pk, rank in zip(keys, rank_intervals(comparison), strict=True)
    }
    return Standing(ranks, _pair_notes(comparison, [names[pk] for pk in keys]), _mde(comparison))


def gains(video: Clusters, blind: Clusters) -> Gain:
    """Return what the video adds for one model; kinds and types that both runs have."""
    kinds, by_type = {}, {}
    for kind in video.keys() & blind.keys():
        if video[kind]["sources"] != blind[kind]["sources"]:
            continue
        kinds[kind] = _difference(video[kind], blind[kind])
        by_type[kind] = {
            name: _difference(part, blind[kind]["by_type"][name])
            for name, part in video[kind]["by_type"].items()
            if name in blind[kind]["by_type"]
        }
    return Gain(kinds, by_type)


def _difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> Difference:
    sums = np.array(a["sums"], dtype=float) - np.array(b["sums"], dtype=float)
    return difference_from_sums(sums, np.array(a["sizes"], dtype=np.int64))


def _on_the_same_items(parts: Mapping[int, Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    frames = {pk: (tuple(part["sources"]), tuple(part["sizes"])) for pk, part in parts.items()}
    counted = list(frames.values())
    most = max(counted, key=counted.count, default=None)
    return {pk: part for pk, part in parts.items() if frames[pk] == most}


def _pair_notes(comparison: Comparison, names: list[str]) -> tuple[PairNote, ...]:
    order = np.argsort(-comparison.means, kind="stable")
    notes = []
    for a, b in pairwise(order[: NEIGHBOURS + 1]):
        if not np.isnan(comparison.p_holm[a, b]):
            difference = float(comparison.difference[a, b])
            notes.append(PairNote(names[a], names[b], difference, float(comparison.p_holm[a, b])))
    return tuple(notes)


def _mde(comparison: Comparison) -> float | None:
    upper = np.triu_indices(len(comparison.means), k=1)
    errors = comparison.se[upper]
    errors = errors[errors > 0]
    return smallest_detectable(float(np.median(errors))) if len(errors) else None
