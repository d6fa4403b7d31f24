"""Strictness, length and family: checked against statsmodels, planted and found."""

import numpy as np
import pytest
import statsmodels.api as sm

from evaluation.domain.judge_agreement import Graded
from evaluation.domain.judge_bias import (
    Measured,
    differences,
    family_bias,
    length_bias,
    mean_of,
    strictness,
)


def made(count: int, *, seed: int = 1, clusters: int = 15, lean=lambda row, length: 0.0):
    """Answers of two models with grades, and a judge that leans as told."""
    random = np.random.default_rng(seed)
    rows, verdicts = [], {}
    for number in range(count):
        model, length = ("own", "other")[number % 2], int(random.integers(20, 900))
        grades = {g: int(random.integers(0, 3)) for g in ("x", "y")}
        rows.append(
            Graded(number, model, int(random.integers(clusters)), 1.0 + number % 4, grades, length)
        )
        said = rows[-1].mean + lean(rows[-1], length) + random.normal(0, 0.4)
        verdicts[number] = int(np.clip(np.rint(said), 0, 2))
    return rows, verdicts


def clustered(y, x, weights, groups):
    model = sm.WLS(y, x, weights=weights).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    groups_ = len(set(groups))
    return model.params, model.bse * np.sqrt(groups_ / (groups_ - 1))


def half(found: Measured) -> float:
    return (found.high - found.low) / 2


def test_mean_slope_and_difference_have_statsmodels_clustered_errors():
    from annotation.domain.clustered import t_quantile

    rows, verdicts = made(200)
    found = differences(rows, verdicts, weighted=True)
    ones, own = np.ones(200), np.array([name == "own" for name in found.models], dtype=float)
    cases = (
        (ones[:, None], 0, mean_of(found)),
        (np.column_stack([ones, found.lengths / 100]), 1, length_bias(found).slope),
        (np.column_stack([ones, own]), 1, family_bias(found, frozenset({"own"})).difference),
    )
    for x, place, mine in cases:
        params, errors = clustered(found.points, x, found.weights, found.clusters)
        assert mine.value == pytest.approx(params[place])
        assert half(mine) == pytest.approx(t_quantile(mine.clusters) * errors[place], rel=0.02)


def test_planted_leanings_are_found_and_others_are_not():
    rows, verdicts = made(400, lean=lambda row, length: 0.8 * (row.model == "own"))
    found = differences(rows, verdicts, weighted=False)
    family = family_bias(found, frozenset({"own"}))
    assert family.difference.low > 0.2 and family.families == ("own",)
    rows, verdicts = made(400, lean=lambda row, length: (length - 450) / 600)
    found = differences(rows, verdicts, weighted=False)
    length = length_bias(found)
    assert length.slope.low > 0.05
    assert [third[2].value for third in length.thirds] == sorted(t[2].value for t in length.thirds)
    plain = family_bias(found, frozenset({"own"})).difference
    assert plain.low < 0 < plain.high


def test_strictness_counts_above_and_below():
    rows = [Graded(n, "m", n, 1.0, {"x": 1}) for n in range(4)]
    found = strictness(differences(rows, {0: 0, 1: 1, 2: 2, 3: 2}, weighted=False))
    assert (found.above, found.below, found.same) == (0.5, 0.25, 0.25)
    assert found.mean.value == pytest.approx(0.25)


def test_what_cannot_be_told_is_none_and_said():
    nothing = differences([], {}, weighted=True)
    assert mean_of(nothing) == Measured(None, None, None, 0, 0)
    assert strictness(nothing).above is None and length_bias(nothing).thirds == ()
    assert "No graded model" in family_bias(nothing, frozenset({"own"})).why
    rows, verdicts = made(30, clusters=1)
    one_source = differences(rows, verdicts, weighted=True)
    assert mean_of(one_source).low is None and mean_of(one_source).value is not None
    assert "nothing to compare" in family_bias(one_source, frozenset({"own", "other"})).why
    same = [Graded(n, "m", n, 1.0, {"x": 2}, 50) for n in range(5)]
    flat = differences(same, dict.fromkeys(range(5), 2), weighted=False)
    assert length_bias(flat).slope.value is None and mean_of(flat).low is None
