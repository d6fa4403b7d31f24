"""Means with errors clustered by source.

Scores are numbers from 0 to 1. Clusters are whole numbers 0 … G - 1, one per score; items of
one source stand or fall together, so an error that treats them as independent is too small
(Miller 2024, arXiv 2411.00640, with the finite-G factor G / (G - 1) and Student's t with
G - 1 degrees of freedom).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """A mean with its clustered error. `low` and `high` are None where no error can be had
    (fewer than two clusters); they are not cut to 0 … 1."""

    mean: float
    se: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


def t_quantile(clusters: int, level: float = LEVEL) -> float:
    """Return the two-sided quantile of Student's t with `clusters` - 1 degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(clusters - 1, (1 + level) / 2))


def clustered_mean(scores: ArrayLike, clusters: ArrayLike, level: float = LEVEL) -> Estimate:
    """Return the mean of `scores` with the error clustered by `clusters`.

    Where all clusters agree (each mean the same, so the error would be 0) the interval is
    Wilson's over clusters: the data cannot tell how much a further source would differ.

    Raises ValueError for no scores, unequal lengths or scores that are not finite.
    """
    values, codes = checked(scores, clusters)
    sums, sizes = sums_by_cluster(values, codes), np.bincount(codes)
    seen = sizes > 0
    return estimate_from_sums(sums[seen], sizes[seen], level)


def estimate_from_sums(sums: Floats, sizes: Ints, level: float = LEVEL) -> Estimate:
    """Return the same as `clustered_mean` from each cluster's sum of scores and size."""
    n, groups = int(sizes.sum()), len(sizes)
    mean = float(sums.sum() / n)
    if groups < 2:
        return Estimate(mean, None, None, None, n, groups)
    residuals = sums - sizes * mean
    square = float(residuals @ residuals)
    se = math.sqrt(groups / (groups - 1) * square) / n
    if se < 1e-12 and 0 <= mean <= 1:
        low, high = wilson(mean * groups, groups, level)
        return Estimate(mean, 0.0, low, high, n, groups)
    half = t_quantile(groups, level) * se
    return Estimate(mean, se, mean - half, mean + half, n, groups)


def sums_by_cluster(values: Floats, codes: Ints) -> Floats:
    """Return the sum of `values` in each cluster 0 … the largest of `codes`."""
    return np.bincount(codes, weights=values).astype(np.float64)


def wilson(successes: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's score interval of a proportion. Raises ValueError for n < 1."""
    if n < 1 or not 0 <= successes <= n + 1e-9:
        raise ValueError(f"no proportion: {successes} of {n}")
    from scipy.special import ndtri

    z = float(ndtri((1 + level) / 2))
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


def codes_of(labels: Sequence[object]) -> tuple[Ints, list[object]]:
    """Return whole-number codes of `labels` and the labels in order of first appearance."""
    seen: dict[object, int] = {}
    codes = np.fromiter(
        (seen.setdefault(label, len(seen)) for label in labels), dtype=np.int64, count=len(labels)
    )
    return codes, list(seen)


def checked(scores: ArrayLike, clusters: ArrayLike) -> tuple[Floats, Ints]:
    """Return both as arrays. Raises ValueError as `clustered_mean` does."""
    values = np.asarray(scores, dtype=float)
    codes = np.asarray(clusters, dtype=np.int64)
    if values.ndim != 1 or values.shape != codes.shape or not values.size:
        raise ValueError("scores and clusters must be lists of one length, at least 1")
    if not np.isfinite(values).all():
        raise ValueError("a score is not a finite number; leave unscored items out")
    return values, codes
