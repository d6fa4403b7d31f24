"""The intervals against statsmodels and worked examples."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from evaluation.domain import uncertainty


def peer(values: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Mean and clustered error as statsmodels has them, with our finite-G factor.

    Its small-sample factor is G/(G-1) · (n-1)/(n-k); ours leaves out the second, 1 for k = 1.
    """
    fit = sm.OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": True}
    )
    return float(fit.params[0]), float(fit.bse[0])


@pytest.mark.parametrize("seed", range(20))
def test_clustered_error_equals_statsmodels(seed: int) -> None:
    random = np.random.default_rng(seed)
    clusters = random.integers(0, 35, 249)
    values = random.integers(0, 2, 249).astype(float)
    found = uncertainty.clustered_mean(values, clusters)
    mean, error = peer(values, clusters)
    assert found.mean == pytest.approx(mean, abs=1e-12)
    assert found.se == pytest.approx(error, abs=1e-9)
    assert found.clusters == len(set(clusters.tolist()))


def test_worked_example_of_a_clustered_interval() -> None:
    # Two sources of two items: residual sums are 0.5 and -0.5 around the mean 0.75.
    found = uncertainty.clustered_mean([1, 1, 1, 0], [0, 0, 1, 1])
    error = math.sqrt(2 * 0.5) / 4
    assert found.se == pytest.approx(error)
    assert found.high == pytest.approx(0.75 + 12.706204736 * error)


def test_one_source_gives_a_mean_without_an_interval() -> None:
    found = uncertainty.clustered_mean([1, 0, 1], [7, 7, 7])
    assert (found.mean, found.low, found.clusters) == (pytest.approx(2 / 3), None, 1)


def test_sources_that_all_agree_get_wilson_over_sources() -> None:
    found = uncertainty.clustered_mean([1] * 12, [0, 1, 2, 3] * 3)
    assert (found.low, found.high) == pytest.approx(proportion_confint(4, 4, method="wilson"))


def test_paired_difference_equals_statsmodels_and_its_t_test() -> None:
    random = np.random.default_rng(4)
    clusters = random.integers(0, 20, 150)
    a, b = random.random(150), random.random(150)
    found = uncertainty.paired_difference(a, b, clusters)
    mean, error = peer(a - b, clusters)
    assert (found.mean, found.se) == (pytest.approx(mean), pytest.approx(error, abs=1e-9))
    from scipy import stats

    assert found.p == pytest.approx(2 * stats.t.sf(abs(mean / error), 19), abs=1e-9)


def test_a_difference_that_is_the_same_everywhere_has_the_exact_sign_flip_p() -> None:
    assert uncertainty.paired_difference([1, 1, 1], [0, 0, 0], [0, 1, 2]).p == 0.25
    assert uncertainty.paired_difference([1, 0], [1, 0], [0, 1]).p == 1.0


@pytest.mark.parametrize(("successes", "n"), [(0, 8), (165, 249), (8, 8), (1, 1)])
def test_wilson_equals_statsmodels(successes: int, n: int) -> None:
    expected = proportion_confint(successes, n, method="wilson")
    assert uncertainty.wilson(successes, n) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("b", "c"), [(10, 2), (7, 7), (0, 0), (30, 57)])
def test_mcnemar_equals_statsmodels(b: int, c: int) -> None:
    expected = mcnemar([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert uncertainty.mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-12)


def test_smallest_detectable_difference() -> None:
    assert uncertainty.smallest_detectable(0.05) == pytest.approx(0.14)


@pytest.mark.parametrize(
    ("scores", "clusters"), [([], []), ([1.0], [0, 1]), ([math.nan], [0]), ([math.inf], [0])]
)
def test_what_cannot_be_averaged_is_refused(scores: list[float], clusters: list[int]) -> None:
    with pytest.raises(ValueError, match=r"scores and clusters|not a finite"):
        uncertainty.clustered_mean(scores, clusters)


def test_counts_below_zero_and_empty_proportions_are_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        uncertainty.mcnemar_exact(-1, 2)
    with pytest.raises(ValueError, match="no proportion"):
        uncertainty.wilson(3, 0)
    with pytest.raises(ValueError, match="same items"):
        uncertainty.paired_difference([1, 0], [1], [0, 1])


# Kept MCQs of each of the 35 sources of the published benchmark: 249.
PUBLISHED = (2, *[3] * 3, *[4] * 10, *[5] * 3, *[6] * 4, *[7] * 3, *[8] * 6, 12, 14, 17, 18, 29)


def simulated_coverage(benchmarks: int, seed: int) -> float:
    """Share of simulated benchmarks whose interval holds the truth, with clusters as large as
    the published ones and an item correlation within a source of about 0.1."""
    random = np.random.default_rng(seed)
    held = 0
    for _ in range(benchmarks):
        level = random.beta(5.4, 3.6, 35)  # mean .6, variance 0.024
        clusters = np.repeat(np.arange(35), PUBLISHED)
        values = (random.random(249) < level[clusters]).astype(float)
        found = uncertainty.clustered_mean(values, clusters)
        held += found.low <= 0.6 <= found.high
    return held / benchmarks


def test_intervals_hold_the_truth_in_93_to_97_of_100_simulated_benchmarks() -> None:
    assert 0.93 <= simulated_coverage(2000, seed=20260407) <= 0.97
