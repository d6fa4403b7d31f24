"""Where a judge's marks lie apart from clinicians': by strictness, length and family.

A difference is the judge's points minus the mean of the clinicians' points for one answer, from
-2 to 2. Means are weighted; their errors are clustered by source and come from each source's
influence (Taylor linearisation of the ratio), with the factor G / (G - 1) and Student's t with
G - 1 degrees of freedom.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.domain.clustered import codes_of, sums_by_cluster, t_quantile
from evaluation.domain.judge_agreement import Graded

Floats = NDArray[np.float64]
PER = 100  # characters that a slope is told for


@dataclass(frozen=True)
class Measured:
    """A mean, a difference or a slope with its 95 % interval over `clusters` sources; None
    where it cannot be had."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


@dataclass(frozen=True)
class Strictness:
    """How far the judge lies above clinicians, in points, and the shares of answers (0 to 1)
    that it marks above, below and as they do on average."""

    mean: Measured
    above: float | None
    below: float | None
    same: float | None


@dataclass(frozen=True)
class LengthBias:
    """Mean differences by thirds of the answers' length; `slope` in points per 100 characters."""

    thirds: tuple[tuple[int, int, Measured], ...]  # shortest and longest of the third, characters
    slope: Measured


@dataclass(frozen=True)
class FamilyBias:
    """Self-preference: what the judge gives its own family beyond clinicians, minus what it
    gives others beyond clinicians. `families` are the models that count as its own."""

    own: Measured
    others: Measured
    difference: Measured
    families: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Differences:
    """One row for each answer that the judge and at least one clinician marked."""

    points: Floats
    weights: Floats
    lengths: Floats
    clusters: NDArray[np.int64]
    models: tuple[str, ...]

    def where(self, chosen: NDArray[np.bool_]) -> "Differences":
        """Return the chosen rows."""
        models = tuple(name for name, kept in zip(self.models, chosen, strict=True) if kept)
        return Differences(
            self.points[chosen],
            self.weights[chosen],
            self.lengths[chosen],
            self.clusters[chosen],
            models,
        )


def differences(
    graded: Sequence[Graded], verdicts: dict[Hashable, int], *, weighted: bool
) -> Differences:
    """Return the judge's points minus the clinicians' mean, by answer; weights of 1 for the
    sample alone, of the answers stood for where `weighted`."""
    rows = [one for one in graded if one.answer in verdicts and one.grades]
    codes, _ = codes_of([one.cluster for one in rows])
    return Differences(
        np.array([verdicts[one.answer] - one.mean for one in rows], dtype=float),
        np.array([one.weight if weighted else 1.0 for one in rows], dtype=float),
        np.array([one.length for one in rows], dtype=float),
        codes,
        tuple(one.model for one in rows),
    )


def mean_of(rows: Differences) -> Measured:
    """Return the weighted mean difference."""
    if not len(rows.points):
        return Measured(None, None, None, 0, 0)
    mean = float(np.average(rows.points, weights=rows.weights))
    influence = rows.weights * (rows.points - mean) / rows.weights.sum()
    return _measured(mean, influence, rows.clusters)


def strictness(rows: Differences) -> Strictness:
    """Return how lenient or strict the judge is."""
    mean = mean_of(rows)
    if mean.value is None:
        return Strictness(mean, None, None, None)
    total = rows.weights.sum()
    above, below = (
        float(rows.weights[chosen].sum() / total)
        for chosen in (rows.points > 1e-9, rows.points < -1e-9)
    )
    return Strictness(mean, above, below, 1.0 - above - below)


def length_bias(rows: Differences) -> LengthBias:
    """Return the differences by length of the answer."""
    count = len(rows.points)
    order = np.argsort(rows.lengths, kind="stable")
    thirds = []
    for part in np.array_split(order, 3) if count >= 3 else ():
        chosen = np.zeros(count, dtype=bool)
        chosen[part] = True
        found = rows.where(chosen)
        thirds.append((int(found.lengths.min()), int(found.lengths.max()), mean_of(found)))
    return LengthBias(tuple(thirds), _slope(rows))


def family_bias(rows: Differences, own: frozenset[str]) -> FamilyBias:
    """Return the judge's self-preference; `own` are the models of its own family."""
    chosen = np.array([name in own for name in rows.models], dtype=bool)
    mine, others = rows.where(chosen), rows.where(~chosen)
    nothing = Measured(None, None, None, 0, 0)
    present = tuple(sorted(set(mine.models)))
    first, second = mean_of(mine), mean_of(others)
    if first.value is None:
        why = "No graded model is of the judge's family, so it cannot prefer its own here."
        return FamilyBias(first, second, nothing, present, why)
    if second.value is None:
        why = "All graded models are of the judge's family, so there is nothing to compare with."
        return FamilyBias(first, second, nothing, present, why)
    influence = np.where(
        chosen,
        rows.weights * (rows.points - first.value) / mine.weights.sum(),
        -rows.weights * (rows.points - second.value) / others.weights.sum(),
    )
    difference = _measured(first.value - second.value, influence, rows.clusters)
    return FamilyBias(first, second, difference, present, "")


def _slope(rows: Differences) -> Measured:
    """Return the weighted least squares slope of the difference on the answer's length."""
    if len(rows.points) < 3 or np.ptp(rows.lengths) == 0:
        return Measured(None, None, None, len(rows.points), 0)
    x = rows.lengths / PER
    total = rows.weights.sum()
    x = x - float((rows.weights * x).sum() / total)
    y = rows.points - float((rows.weights * rows.points).sum() / total)
    spread = float((rows.weights * x * x).sum())
    slope = float((rows.weights * x * y).sum() / spread)
    return _measured(slope, rows.weights * x * (y - slope * x) / spread, rows.clusters)


def _measured(value: float, influence: Floats, clusters: NDArray[np.int64]) -> Measured:
    codes = np.unique(clusters, return_inverse=True)[1]
    sums = sums_by_cluster(influence, codes)
    groups, n = len(sums), len(influence)
    if groups < 2:
        return Measured(value, None, None, n, groups)
    error = math.sqrt(groups / (groups - 1) * float(sums @ sums))
    if error < 1e-12:  # every source says the same: no telling how much another would differ
        return Measured(value, None, None, n, groups)
    half = t_quantile(groups) * error
    return Measured(value, value - half, value + half, n, groups)
