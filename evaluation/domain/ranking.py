"""Ranks as intervals: paired tests of all entries, clustered by source, Holm over the pairs.

Works on sums of scores by cluster, so its cost does not depend on the number of items.
"""

from dataclasses import dataclass

import numpy as np

from annotation.domain.holm import holm
from evaluation.domain.uncertainty import Floats, Ints, same_everywhere, t_two_sided

ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """All paired tests of m entries over the same items of one release.

    Matrices are m × m: `difference[i, j]` is mean i - mean j, `se` its clustered error,
    `p` its two-sided p (NaN where no test can be had), `p_holm` after Holm over the pairs.
    """

    means: Floats
    difference: Floats
    se: Floats
    p: Floats
    p_holm: Floats
    sources: int


@dataclass(frozen=True)
class Rank:
    """The places that the tests leave open, from `low` to `high`; 1 is best."""

    low: int
    high: int


def compare_all(sums: Floats, sizes: Ints) -> Comparison:
    """Test each pair of entries.

    Args:
        sums: m × G, the sum of scores of each entry in each cluster; an item that is
            missing counts 0, so that all entries stand on the same items.
        sizes: G, the number of items in each cluster, all above 0.
    """
    total, groups = int(sizes.sum()), len(sizes)
    means = sums.sum(axis=1) / total
    residuals = sums - sizes * means[:, None]
    gram = residuals @ residuals.T
    own = np.diagonal(gram)
    square = np.maximum(own[:, None] + own[None, :] - 2 * gram, 0)
    difference = means[:, None] - means[None, :]
    p = np.full_like(square, np.nan)
    se = np.zeros_like(square)
    if groups > 1:
        se = np.sqrt(groups / (groups - 1) * square) / total
        varies = square > 1e-12 * (own[:, None] + own[None, :])
        p[varies] = t_two_sided(difference[varies] / se[varies], groups)
        p[~varies] = np.where(np.abs(difference[~varies]) < 1e-12, 1.0, same_everywhere(groups))
    return Comparison(means, difference, se, p, _holm_matrix(p), groups)


def rank_intervals(comparison: Comparison, alpha: float = ALPHA) -> list[Rank]:
    """Return each entry's rank interval.

    It runs from 1 + the number of entries that are significantly better to the number of
    entries that are not significantly worse (the entry itself counted).
    """
    proven = np.nan_to_num(comparison.p_holm, nan=1.0) < alpha
    better = proven & (comparison.difference < 0)
    worse = proven & (comparison.difference > 0)
    count = len(comparison.means)
    low = 1 + better.sum(axis=1)
    high = count - worse.sum(axis=1)
    return [Rank(int(a), int(b)) for a, b in zip(low, high, strict=True)]


def _holm_matrix(p: Floats) -> Floats:
    upper = np.triu_indices(len(p), k=1)
    adjusted = np.ones_like(p)
    adjusted[upper] = holm(p[upper])
    adjusted.T[upper] = adjusted[upper]
    return adjusted
