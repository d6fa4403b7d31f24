import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from statsmodels.discrete.conditional_models import ConditionalLogit

from annotation.domain.audit.choice import fit, log_chances
from annotation.domain.audit.features import Rows


def rows(sizes):
    sizes = np.array(sizes)
    return Rows(np.cumsum(sizes) - sizes, sizes)


def drawn(sizes, features, seed):
    """Random features, and keys drawn by a model of them."""
    random = np.random.default_rng(seed)
    where = rows(sizes)
    x = random.normal(size=(where.count, features))
    p = np.exp(log_chances(x @ random.normal(size=features), where))
    keys = [
        start + random.choice(size, p=p[start : start + size])
        for start, size in zip(where.starts, where.sizes, strict=True)
    ]
    return x, where, np.array(keys)


def test_with_two_options_it_is_ridge_logistic_regression_on_differences():
    x, where, keys = drawn([2] * 300, 5, seed=1)
    first_is_key = keys == where.starts
    peer = LogisticRegression(C=1 / 3.0, fit_intercept=False, tol=1e-10)
    peer.fit(x[0::2] - x[1::2], first_is_key)
    assert fit(x, where, keys, penalty=3.0) == pytest.approx(peer.coef_[0], abs=1e-3)


def test_with_unequal_numbers_of_options_it_is_the_conditional_logit():
    x, where, keys = drawn([2, 3, 4, 5] * 60, 3, seed=2)
    chosen = np.zeros(where.count)
    chosen[keys] = 1
    peer = ConditionalLogit(chosen, x, groups=where.items).fit(disp=0)
    assert fit(x, where, keys, penalty=1e-9) == pytest.approx(peer.params, abs=1e-3)


def test_keys_that_can_be_told_apart_perfectly_leave_the_weights_finite():
    where = rows([4] * 50)
    x = np.zeros((200, 1))
    x[where.starts] = 1
    weights = fit(x, where, where.starts, penalty=1.0)
    assert 2 < weights[0] < 6


def test_features_that_are_all_equal_get_no_weight():
    where = rows([3] * 10)
    assert fit(np.ones((30, 2)), where, where.starts, penalty=1.0) == pytest.approx([0, 0])


def test_chances_sum_to_one_within_items_and_bear_huge_scores():
    where = rows([2, 3])
    p = np.exp(log_chances(np.array([1e4, -1e4, 0.0, 0.0, 0.0]), where))
    assert p == pytest.approx([1, 0, 1 / 3, 1 / 3, 1 / 3])
