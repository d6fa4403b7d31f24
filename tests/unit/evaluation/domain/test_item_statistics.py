"""Item statistics against scipy and worked examples."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, pearsonr

from evaluation.domain.item_statistics import (
    difficulty,
    discrimination,
    lowest_by_chance,
    pair_agreement,
    rival,
    solved_p,
)

NAN = math.nan


def test_difficulty_leaves_out_what_has_no_score() -> None:
    mean, count = difficulty(np.array([[1.0, 0.0, NAN], [0.0, NAN, NAN]]))
    assert mean[:2].tolist() == [0.5, 0.0]
    assert math.isnan(mean[2])
    assert count.tolist() == [2, 1, 0]


def test_difficulty_without_any_model() -> None:
    mean, count = difficulty(np.empty((0, 2)))
    assert np.isnan(mean).all()
    assert count.tolist() == [0, 0]


def test_discrimination_is_the_item_rest_correlation() -> None:
    scores = np.random.default_rng(7).integers(0, 2, (9, 12)).astype(float)
    found = discrimination(scores)
    for item in range(12):
        rest = np.delete(scores, item, axis=1).mean(axis=1)
        assert found[item] == pytest.approx(pearsonr(scores[:, item], rest).statistic)


def test_discrimination_bears_missing_scores() -> None:
    scores = np.random.default_rng(8).integers(0, 2, (9, 12)).astype(float)
    scores[2, 4] = scores[5, 0] = NAN
    found = discrimination(scores)
    rows = [row for row in range(9) if row != 2]
    rest = [np.nanmean(np.delete(scores[row], 4)) for row in rows]
    assert found[4] == pytest.approx(pearsonr(scores[rows, 4], rest).statistic)


@pytest.mark.parametrize(
    "scores",
    [np.ones((9, 4)), np.eye(4), np.full((6, 3), NAN), np.empty((0, 3)), np.ones((9, 1))],
)
def test_discrimination_is_unknown_where_nothing_can_be_said(scores: np.ndarray) -> None:
    assert np.isnan(discrimination(scores)).all()


@pytest.mark.parametrize("models", [5, 8, 20])
def test_the_lowest_correlation_by_chance_has_that_p(models: int) -> None:
    bound = lowest_by_chance(models)
    x = np.arange(models, dtype=float)
    noise = np.cos(3 * x)
    noise -= noise.mean() + (x - x.mean()) * np.polyfit(x, noise, 1)[0]
    away, size = x - x.mean(), np.linalg.norm(noise)
    y = bound * away / np.linalg.norm(away) + np.sqrt(1 - bound**2) * noise / size
    found = pearsonr(x, y, alternative="less")
    assert found.statistic == pytest.approx(bound)
    assert found.pvalue == pytest.approx(0.05)


def test_over_few_models_no_correlation_is_told() -> None:
    with pytest.raises(ValueError, match="4 models"):
        lowest_by_chance(4)


def test_pair_agreement() -> None:
    assert pair_agreement([3, 1, 0, 0]) == 0.5  # 6 of 12 ordered pairs
    assert pair_agreement([4, 0]) == 1.0
    assert pair_agreement([1, 1, 1]) == 0.0
    assert pair_agreement([1]) is None


def test_the_rival_is_the_most_chosen_wrong_option() -> None:
    found = rival([1, 4, 0, 0], key=0)
    assert found is not None
    assert (found.option, found.models) == (1, 4)
    one = binomtest(4, 5, 1 / 4, alternative="greater").pvalue
    assert found.p == pytest.approx(3 * one)


def test_there_is_no_rival_where_all_chose_the_key_or_none_chose() -> None:
    assert rival([5, 0, 0], key=0) is None
    assert rival([0, 0, 0], key=1) is None


def test_of_two_equal_rivals_the_first_is_named_and_p_stays_a_probability() -> None:
    found = rival([0, 1, 1], key=0)
    assert found is not None
    assert (found.option, found.p) == (1, 1.0)


def test_solved_p_is_the_upper_tail() -> None:
    expected = binomtest(5, 6, 0.25, alternative="greater").pvalue
    assert solved_p(5, 6, 0.25) == pytest.approx(expected)
    assert solved_p(0, 6, 0.25) == 1.0
    assert solved_p(0, 0, 0.25) == 1.0


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 8),
    st.integers(1, 6),
    st.integers(0, 2**31),
)
def test_figures_stay_in_their_bounds(models: int, items: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = np.where(random.random((models, items)) < 0.2, NAN, random.random((models, items)))
    mean, count = difficulty(scores)
    assert ((mean >= 0) & (mean <= 1) | np.isnan(mean)).all()
    assert (count <= models).all()
    power = discrimination(scores)
    assert ((np.abs(power) <= 1 + 1e-9) | np.isnan(power)).all()
