"""How far readers agree: raw agreement, Cohen's kappa, Krippendorff's alpha, overlaps.

Verdicts are whole numbers 0 … k - 1. Every coefficient is computed from k x k tables, one for
each source, so that the interval is a bootstrap over sources (items of one source stand or
fall together): draws of sources are sums of tables. Sources: Cohen 1960; Krippendorff,
Content Analysis (2004), chapter 11, whose published example is in the tests.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from annotation.domain.clips import Span
from annotation.domain.clustered import wilson

DRAWS = 2_000
MOST_GROUPS = 250  # more sources are drawn in this many groups, which are as independent
SEED = 20_260_407
LEVEL = 0.95
LEAST_DEFINED = 0.5  # share of draws in which a coefficient must exist for an interval

Floats = NDArray[np.float64]
Coefficient = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Rating:
    """One reader's `value` (0 … k - 1) for one unit; `cluster` is the unit's source."""

    unit: Hashable
    reader: Hashable
    value: int
    cluster: Hashable


@dataclass(frozen=True)
class Figure:
    """A figure with its 95 % interval over `clusters` sources; `n` units stand behind it.

    `value` is None where it does not exist (nothing to compare, or one verdict only);
    `low` and `high` are None where no interval can be had.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


NOTHING = Figure(None, None, None, 0, 0)


# Coefficients: tables (..., k, k) to values (...), NaN where undefined.


def raw_agreement(tables: Floats) -> Floats:
    """Return the share of pairs that say the same."""
    total = tables.sum(axis=(-2, -1))
    return _divided(np.trace(tables, axis1=-2, axis2=-1), total)


def cohen_kappa(tables: Floats) -> Floats:
    """Return Cohen's kappa; rows are the first reader's verdicts, columns the second's."""
    total = tables.sum(axis=(-2, -1))
    by_chance = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    expected = _divided(by_chance, total**2)
    return _divided(raw_agreement(tables) - expected, 1 - expected)


def nominal_alpha(tables: Floats) -> Floats:
    """Return Krippendorff's alpha from coincidences, where verdicts are names."""
    return _alpha(tables, lambda totals: 1.0 - np.eye(totals.shape[-1]))


def ordinal_alpha(tables: Floats) -> Floats:
    """Return Krippendorff's alpha from coincidences, where verdicts have an order.

    The distance of two verdicts is the number of values between their middles, squared.
    """

    def squares(totals: Floats) -> Floats:
        middles = np.cumsum(totals, axis=-1) - totals / 2
        return (middles[..., :, None] - middles[..., None, :]) ** 2

    return _alpha(tables, squares)


def _alpha(tables: Floats, squares: Callable[[Floats], Floats]) -> Floats:
    totals = tables.sum(axis=-1)
    n = totals.sum(axis=-1)
    distances = squares(totals)
    observed = (tables * distances).sum(axis=(-2, -1))
    expected = (totals[..., :, None] * totals[..., None, :] * distances).sum(axis=(-2, -1))
    return 1 - _divided((n - 1) * observed, expected)


def _divided(above: Floats, below: Floats) -> Floats:
    above, below = np.broadcast_arrays(np.asarray(above, float), np.asarray(below, float))
    there = below > 1e-12
    return np.divide(above, below, out=np.full(below.shape, np.nan), where=there)


# Tables of ratings, one a cluster.


@dataclass(frozen=True)
class Tables:
    """`by_cluster` (G, k, k) and the number of units that went into it."""

    by_cluster: Floats
    n: int

    def figure(self, coefficient: Coefficient, *, seed: int = SEED) -> Figure:
        """Return a coefficient of all clusters together, with its bootstrap interval."""
        return _figure(self.by_cluster, coefficient, self.n, seed)


def coincidences(ratings: Iterable[Rating], categories: int) -> Tables:
    """Return the coincidences of verdicts: each unit's ordered pairs of ratings by different
    readers, weighted by 1 / (ratings of the unit - 1). Units with one rating say nothing.

    Raises ValueError where a reader rates a unit twice or a value is not one of `categories`.
    """
    tables: dict[Hashable, Floats] = defaultdict(lambda: np.zeros((categories, categories)))
    compared = 0
    for found in _by_unit(ratings, categories).values():
        if len(found) < 2:
            continue
        compared += 1
        counts = np.bincount([rating.value for rating in found], minlength=categories)
        pairs = np.outer(counts, counts) - np.diag(counts)
        tables[found[0].cluster] += pairs / (len(found) - 1)
    return _stacked(tables, categories, compared)


def contingency(
    ratings: Iterable[Rating], readers: tuple[Hashable, Hashable], categories: int
) -> Tables:
    """Return how often the first reader says one thing and the second another, over the
    units that both have rated. Raises ValueError as `coincidences` does.
    """
    tables: dict[Hashable, Floats] = defaultdict(lambda: np.zeros((categories, categories)))
    compared = 0
    for found in _by_unit(ratings, categories).values():
        said = {rating.reader: rating.value for rating in found}
        if readers[0] in said and readers[1] in said:
            compared += 1
            tables[found[0].cluster][said[readers[0]], said[readers[1]]] += 1
    return _stacked(tables, categories, compared)


def repeats(ratings: Iterable[Rating], categories: int) -> Tables:
    """Return how often a reader says the same of a unit again: first against second rating,
    second against third, in the order given. One table for all readers.
    """
    tables: dict[Hashable, Floats] = defaultdict(lambda: np.zeros((categories, categories)))
    compared = 0
    said: dict[tuple[Hashable, Hashable], list[Rating]] = defaultdict(list)
    for rating in ratings:
        _check(rating, categories)
        said[rating.unit, rating.reader].append(rating)
    for found in said.values():
        for before, after in pairwise(found):
            compared += 1
            tables[before.cluster][before.value, after.value] += 1
    return _stacked(tables, categories, compared)


def reader_pairs(ratings: Iterable[Rating]) -> dict[tuple[Hashable, Hashable], int]:
    """Return the pairs of readers who have units in common, and how many."""
    found: dict[tuple[Hashable, Hashable], int] = defaultdict(int)
    readers: dict[Hashable, list[Hashable]] = defaultdict(list)
    for rating in ratings:
        readers[rating.unit].append(rating.reader)
    for together in readers.values():
        for pair in combinations(sorted(together, key=str), 2):
            found[pair] += 1
    return dict(found)


def _by_unit(ratings: Iterable[Rating], categories: int) -> dict[Hashable, list[Rating]]:
    units: dict[Hashable, list[Rating]] = defaultdict(list)
    seen: set[tuple[Hashable, Hashable]] = set()
    for rating in ratings:
        _check(rating, categories)
        if (rating.unit, rating.reader) in seen:
            raise ValueError(f"{rating.reader!r} rates {rating.unit!r} twice")
        seen.add((rating.unit, rating.reader))
        units[rating.unit].append(rating)
    return units


def _check(rating: Rating, categories: int) -> None:
    if not 0 <= rating.value < categories:
        raise ValueError(f"{rating.value!r} is none of {categories} verdicts")


def _stacked(tables: dict[Hashable, Floats], categories: int, n: int) -> Tables:
    if not tables:
        return Tables(np.zeros((0, categories, categories)), 0)
    return Tables(np.stack(list(tables.values())), n)


# Overlaps.


def window_iou(one: Span, other: Span) -> float:
    """Return the time that two windows share over the time that they cover, 0 to 1."""
    shared = max(0.0, min(one.end, other.end) - max(one.start, other.start))
    covered = one.duration + other.duration - shared
    return shared / covered if covered > 0 else 0.0


def mean_overlap(
    values: Sequence[float], clusters: Sequence[Hashable], *, seed: int = SEED
) -> Figure:
    """Return the mean of overlaps (0 to 1, one a pair of readers) with its interval."""
    sums: dict[Hashable, Floats] = defaultdict(lambda: np.zeros(2))
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] += (value, 1.0)
    if not sums:
        return NOTHING
    stacked = np.stack(list(sums.values()))
    return _figure(stacked, lambda sum_: _divided(sum_[..., 0], sum_[..., 1]), len(values), seed)


# The bootstrap.


def _figure(by_cluster: Floats, coefficient: Coefficient, n: int, seed: int) -> Figure:
    groups = len(by_cluster)
    if not n:
        return NOTHING
    value = float(coefficient(by_cluster.sum(axis=0)))
    if math.isnan(value):
        return Figure(None, None, None, n, groups)
    low, high = _interval(by_cluster, coefficient, value, seed)
    return Figure(value, low, high, n, groups)


def _interval(
    by_cluster: Floats, coefficient: Coefficient, value: float, seed: int
) -> tuple[float | None, float | None]:
    """Return the percentiles over draws of clusters.

    Where all draws give the same value the data cannot tell how much another source would
    differ: a raw agreement then has Wilson's interval over sources, a coefficient none.
    """
    groups = len(by_cluster)
    if groups < 2:
        return None, None
    drawn = _draws(by_cluster, coefficient, seed)
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < LEAST_DEFINED * DRAWS:
        return None, None
    if np.ptp(defined) < 1e-12:
        return wilson(value * groups, groups) if coefficient is raw_agreement else (None, None)
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(defined, [tail, 100 - tail])
    return float(low), float(high)


def _draws(by_cluster: Floats, coefficient: Coefficient, seed: int) -> Floats:
    if len(by_cluster) > MOST_GROUPS:
        merged = np.zeros((MOST_GROUPS, *by_cluster.shape[1:]))
        np.add.at(merged, np.arange(len(by_cluster)) % MOST_GROUPS, by_cluster)
        by_cluster = merged
    weights = _weights(len(by_cluster), seed).astype(float)
    return coefficient(np.tensordot(weights, by_cluster, axes=1))


@lru_cache(maxsize=8)
def _weights(groups: int, seed: int) -> NDArray[np.int16]:
    """Return how often each group is in each draw (DRAWS, groups)."""
    draw = np.random.default_rng(seed)
    return draw.multinomial(groups, np.full(groups, 1 / groups), size=DRAWS).astype(np.int16)
