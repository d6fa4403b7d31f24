import numpy as np
import pytest

from evaluation.domain import resampling, uncertainty


def sample(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(40), 6)
    level = random.beta(4, 4, 40)
    return (random.random(240) < level[clusters]).astype(float), clusters


def test_bootstrap_agrees_with_the_t_interval_and_repeats_itself() -> None:
    values, clusters = sample(1)
    low, high = resampling.cluster_bootstrap(values, clusters, seed=5)
    exact = uncertainty.clustered_mean(values, clusters)
    assert low == pytest.approx(exact.low, abs=0.015)
    assert high == pytest.approx(exact.high, abs=0.015)
    assert (low, high) == resampling.cluster_bootstrap(values, clusters, seed=5)


def test_sign_flip_agrees_with_the_t_test() -> None:
    values, clusters = sample(2)
    others = np.random.default_rng(3).random(240)  # no ties, so that p has no steps
    exact = uncertainty.paired_difference(values, others, clusters)
    found = resampling.sign_flip(values - others, clusters, seed=5)
    assert found == pytest.approx(exact.p, abs=0.03)


def test_sign_flip_of_a_difference_everywhere_is_the_least_possible() -> None:
    found = resampling.sign_flip(np.ones(5), np.arange(5), seed=1, draws=20_000)
    assert found == pytest.approx(2 / 2**5, abs=0.005)


def test_one_cluster_is_refused() -> None:
    with pytest.raises(ValueError, match="two clusters"):
        resampling.cluster_bootstrap([1.0, 0.0], [0, 0], seed=1)
    with pytest.raises(ValueError, match="one length"):
        resampling.sign_flip([1.0, 0.0], [0], seed=1)
