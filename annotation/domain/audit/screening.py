"""Which features are worth fitting: those whose value for the keys is far from chance.

The statistic is the score test of a choice model at equal chances: over the training items,
the key's value less the item's mean, summed, over the square root of its variance were each
option as likely to be the key. It looks at training items alone, in every fold anew.
"""

import math
from dataclasses import dataclass

import numpy as np

from annotation.domain.audit.features import Design
from annotation.domain.clustered import Floats, Ints

MOST_FEATURES = 60
LOWEST_COUNT = 100
SMALLEST_VARIANCE = 1.0  # below it a sum of chances is no normal number


@dataclass(frozen=True)
class Screen:
    """What of the screening does not depend on the keys, so that all refits share it.

    Per fold and feature, summed over the fold's items: `variances` under equal chances, and
    `means` of the item. `total` is the sum of the variances over the folds.
    """

    design: Design
    folds: Ints
    variances: Floats
    means: Floats
    total: Floats


def screen_of(design: Design, folds: Ints) -> Screen:
    """Return what does not depend on the keys, so that it is computed once for all refits."""
    count = int(folds.max()) + 1
    variances = np.zeros((count, len(design.names)))
    means = np.zeros_like(variances)
    for fold in range(count):  # fold by fold, so that little stands in memory at once
        variances[fold], means[fold] = _moments(design, np.flatnonzero(folds == fold))
    return Screen(design, folds, variances, means, variances.sum(axis=0))


def _moments(design: Design, items: Ints) -> tuple[Floats, Floats]:
    """Return, per feature, the sums over `items` of its variance and of its mean, each option
    being as likely as the others."""
    from scipy.sparse import csr_matrix

    taken, sizes = design.rows.of(items)
    shares = 1 / np.repeat(sizes, sizes)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    averaging = csr_matrix((shares, np.arange(len(taken)), ends), shape=(len(items), len(taken)))
    item_means = averaging @ design.by_row[taken]
    mean = np.asarray(item_means.sum(axis=0)).ravel()
    item_means.data **= 2
    marks = mean - np.asarray(item_means.sum(axis=0)).ravel()
    dense = shares @ design.dense[taken] ** 2
    return np.concatenate([dense, marks]), np.concatenate([np.zeros_like(dense), mean])


def gains(screen: Screen, keys: Ints) -> Floats:
    """Return, per fold and feature, the sum of the keys' values less the items' means.

    `keys` are the rows of the keys, one per item.
    """
    from scipy.sparse import csr_matrix

    design = screen.design
    count = len(keys)
    picked = csr_matrix(
        (np.ones(count, dtype=np.float32), (screen.folds, keys)),
        shape=(len(screen.variances), design.rows.count),
    )
    found = np.hstack([picked @ design.dense, (picked @ design.by_row).toarray()])
    return found - screen.means


def far_from_chance(screen: Screen, gain: Floats, fold: int) -> Ints:
    """Return the features that pass outside `fold`, strongest first, at most MOST_FEATURES.

    `gain` are the features' gains summed over the other folds.
    """
    variance = screen.total - screen.variances[fold]
    z = np.abs(gain) / np.sqrt(np.maximum(variance, SMALLEST_VARIANCE))
    z[variance < SMALLEST_VARIANCE] = 0.0
    hand_made = screen.design.hand_made
    bars = np.full(len(z), _bar(hand_made))
    bars[hand_made:] = _bar(len(z) - hand_made)
    passing = np.flatnonzero(z > bars)
    return passing[np.argsort(-z[passing], kind="stable")][:MOST_FEATURES]


def _bar(features: int) -> float:
    """Return about the largest value that so many features reach by chance."""
    return math.sqrt(2 * math.log(max(features, LOWEST_COUNT)))
