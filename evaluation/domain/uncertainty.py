"""Uncertainty of means: paired differences clustered by source, McNemar, detectable size.

Scores are numbers from 0 to 1 (a free-response score is its points / 2). The clustered mean
itself stands in `annotation.domain.clustered`, since the audit of items needs it too.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from annotation.domain.clustered import (
    LEVEL,
    Estimate,
    Floats,
    Ints,
    checked,
    clustered_mean,
    codes_of,
    estimate_from_sums,
    sums_by_cluster,
    t_quantile,
    wilson,
)

__all__ = [
    "LEVEL",
    "Difference",
    "Estimate",
    "Floats",
    "Ints",
    "clustered_mean",
    "codes_of",
    "difference_from_sums",
    "estimate_from_sums",
    "mcnemar_exact",
    "paired_difference",
    "same_everywhere",
    "smallest_detectable",
    "sums_by_cluster",
    "t_quantile",
    "t_two_sided",
    "wilson",
]

POWER_FACTOR = 1.96 + 0.84  # two-sided 5 %, power 80 %


@dataclass(frozen=True)
class Difference(Estimate):
    """A paired mean difference; `p` is two-sided, None where no error can be had."""

    p: float | None


def t_two_sided(t: ArrayLike, clusters: int) -> Floats:
    """Return two-sided p values of `t` with `clusters` - 1 degrees of freedom."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(clusters - 1, -np.abs(np.asarray(t, dtype=float))))


def paired_difference(
    a: ArrayLike, b: ArrayLike, clusters: ArrayLike, level: float = LEVEL
) -> Difference:
    """Return the mean of a - b over common items, its clustered interval and t test.

    Raises ValueError as `clustered_mean` does.
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.shape != second.shape:
        raise ValueError("a paired difference needs the same items on both sides")
    values, codes = checked(first - second, clusters)
    sums, sizes = sums_by_cluster(values, codes), np.bincount(codes)
    return difference_from_sums(sums[sizes > 0], sizes[sizes > 0], level)


def difference_from_sums(sums: Floats, sizes: Ints, level: float = LEVEL) -> Difference:
    """Return a paired difference from each cluster's sum of differences and size."""
    n, groups = int(sizes.sum()), len(sizes)
    mean = float(sums.sum() / n)
    if groups < 2:
        return Difference(mean, None, None, None, n, groups, None)
    residuals = sums - sizes * mean
    se = math.sqrt(groups / (groups - 1) * float(residuals @ residuals)) / n
    if se < 1e-12:
        p = 1.0 if abs(mean) < 1e-12 else same_everywhere(groups)
        return Difference(mean, 0.0, mean, mean, n, groups, p)
    half = t_quantile(groups, level) * se
    p = float(t_two_sided(mean / se, groups))
    return Difference(mean, se, mean - half, mean + half, n, groups, p)


def same_everywhere(groups: int) -> float:
    """Return the p of a difference that is the same in each of `groups` clusters.

    Its clustered error is 0, so t says nothing; of the 2^G ways to flip the clusters' signs
    only two lie as far out (the exact sign-flip test).
    """
    return 2.0 ** (1 - groups)


def smallest_detectable(se: float) -> float:
    """Return the difference that a test finds with power 80 % at a paired error of `se`."""
    return POWER_FACTOR * se


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p of McNemar's test. Secondary: it ignores clusters."""
    if only_a < 0 or only_b < 0:
        raise ValueError("counts cannot be negative")
    from scipy.special import bdtr

    discordant = only_a + only_b
    if discordant == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), discordant, 0.5)))
