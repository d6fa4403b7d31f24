"""A regularised logistic model of a choice: which option of an item is its key.

The conditional logit of McFadden (1974) with a ridge penalty: the chance of option j is
exp(x_j w) over the sum of that over the item's options. With two options an item it is the
ordinary logistic regression on the difference of the two rows, without an intercept.
"""

import numpy as np
from numpy.typing import NDArray

from annotation.domain.audit.features import Matrix, Rows

MOST_STEPS = 12
CLOSE_ENOUGH = 1e-4


def log_chances(scores: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Return the log of the chance of each option from its score; the chances of an item's
    options sum to 1."""
    shifted = scores - np.repeat(np.maximum.reduceat(scores, rows.starts), rows.sizes)
    totals = np.log(np.add.reduceat(np.exp(shifted), rows.starts))
    return shifted - np.repeat(totals, rows.sizes)


def fit(
    features: Matrix, rows: Rows, keys: NDArray[np.int64], *, penalty: float
) -> NDArray[np.float64]:
    """Return the weights that make the keys most likely, less `penalty` / 2 times their square.

    Args:
        features: one row an option, one column a feature.
        rows: where the options of each item stand.
        keys: the row of each item's key.
        penalty: above 0; it keeps the weights finite where keys can be told apart perfectly.

    Newton's method, each step halved until the objective no longer falls.
    """
    x = np.asarray(features, dtype=np.float64)
    chosen = x[keys].sum(axis=0)
    weights = np.zeros(x.shape[1])
    value, p = _objective(x, rows, keys, weights, penalty)
    for _ in range(MOST_STEPS):
        gradient = chosen - x.T @ p - penalty * weights
        step = np.linalg.solve(_information(x, rows, p, penalty), gradient)
        length = 1.0
        while length > CLOSE_ENOUGH:
            tried, p_tried = _objective(x, rows, keys, weights + length * step, penalty)
            if tried >= value:
                break
            length /= 2
        else:
            break
        weights, gained = weights + length * step, tried - value
        value, p = tried, p_tried
        if gained < CLOSE_ENOUGH:
            break
    return weights


def _objective(
    x: NDArray[np.float64],
    rows: Rows,
    keys: NDArray[np.int64],
    weights: NDArray[np.float64],
    penalty: float,
) -> tuple[float, NDArray[np.float64]]:
    logs = log_chances(x @ weights, rows)
    value = float(logs[keys].sum()) - penalty / 2 * float(weights @ weights)
    return value, np.exp(logs)


def _information(
    x: NDArray[np.float64], rows: Rows, p: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    weighted = x * p[:, None]
    means = np.add.reduceat(weighted, rows.starts)
    return x.T @ weighted - means.T @ means + penalty * np.eye(x.shape[1])
