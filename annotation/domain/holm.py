"""Holm's correction: many tests at once, the chance of any false finding kept at its level."""

import numpy as np
from numpy.typing import ArrayLike

from annotation.domain.clustered import Floats


def holm(p_values: ArrayLike) -> Floats:
    """Return Holm's adjusted p values; NaN stays NaN and does not count as a test."""
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full_like(p, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted
