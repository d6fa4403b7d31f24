"""Resampling by cluster: a check on the t intervals that assumes no distribution. Seeded."""

import numpy as np
from numpy.typing import ArrayLike

from evaluation.domain.uncertainty import LEVEL, Floats, sums_by_cluster

DRAWS = 10_000
CHUNK = 1_000_000  # numbers held at once


def cluster_bootstrap(
    scores: ArrayLike,
    clusters: ArrayLike,
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> tuple[float, float]:
    """Return the percentile interval of the mean of `scores`, whole clusters redrawn.

    Args:
        scores: one number per item.
        clusters: the cluster of each item, 0 to G - 1; at least two clusters.
        seed: makes the draws repeatable.
        draws: how many benchmarks are drawn.
        level: the share of draws that the interval holds.

    Raises ValueError for fewer than two clusters.
    """
    sums, sizes = _cluster_sums(scores, clusters)
    groups = len(sums)
    random = np.random.default_rng(seed)
    means: list[Floats] = []
    step = max(1, CHUNK // groups)
    for start in range(0, draws, step):
        count = min(step, draws - start)
        drawn = random.integers(0, groups, size=(count, groups))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(means), [tail, 1 - tail])
    return float(low), float(high)


def sign_flip(
    differences: ArrayLike, clusters: ArrayLike, *, seed: int, draws: int = DRAWS
) -> float:
    """Return the two-sided p of "no difference", the sign of each cluster's sum flipped.

    The observed benchmark counts as one of the draws, so p is never 0.
    Raises ValueError for fewer than two clusters.
    """
    sums, _ = _cluster_sums(differences, clusters)
    groups = len(sums)
    observed = abs(float(sums.sum()))
    random = np.random.default_rng(seed)
    step = max(1, CHUNK // groups)
    as_far = 0
    for start in range(0, draws, step):
        count = min(step, draws - start)
        signs = random.integers(0, 2, size=(count, groups)) * 2 - 1
        as_far += int(np.count_nonzero(np.abs(signs @ sums) >= observed - 1e-9))
    return (as_far + 1) / (draws + 1)


def _cluster_sums(scores: ArrayLike, clusters: ArrayLike) -> tuple[Floats, Floats]:
    codes = np.asarray(clusters, dtype=np.int64)
    values = np.asarray(scores, dtype=float)
    if values.shape != codes.shape:
        raise ValueError("scores and clusters must be lists of one length")
    sums, sizes = sums_by_cluster(values, codes), np.bincount(codes).astype(np.float64)
    seen = sizes > 0
    if np.count_nonzero(seen) < 2:
        raise ValueError("resampling by cluster needs at least two clusters")
    return sums[seen], sizes[seen]
