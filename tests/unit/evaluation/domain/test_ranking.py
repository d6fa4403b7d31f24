import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from annotation.domain.holm import holm
from evaluation.domain import ranking, uncertainty


def scores(seed: int, entries: int = 6) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    clusters = random.integers(0, 12, 200)
    clusters[:12] = range(12)
    level = np.linspace(0.3, 0.8, entries)[:, None]
    return (random.random((entries, 200)) < level).astype(float), clusters


def sums_of(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    return np.array([np.bincount(clusters, weights=row) for row in values])


def test_each_pair_equals_the_paired_difference_of_its_items() -> None:
    values, clusters = scores(1)
    found = ranking.compare_all(sums_of(values, clusters), np.bincount(clusters))
    for i in range(6):
        for j in range(6):
            if i != j:
                pair = uncertainty.paired_difference(values[i], values[j], clusters)
                assert found.difference[i, j] == pytest.approx(pair.mean, abs=1e-12)
                assert found.se[i, j] == pytest.approx(pair.se, abs=1e-9)
                assert found.p[i, j] == pytest.approx(pair.p, abs=1e-9)


def test_holm_equals_statsmodels() -> None:
    p = np.random.default_rng(3).random(15) ** 3
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)


def test_holm_leaves_tests_out_that_could_not_be_made() -> None:
    found = holm([0.01, np.nan, 0.04])
    assert found[0] == pytest.approx(0.02)
    assert np.isnan(found[1])
    assert found[2] == pytest.approx(0.04)


def test_rank_intervals_of_the_published_four() -> None:
    """Differences and p values as the four published models have them: 1–2, 1–3, 2–3, 4."""
    means = np.array([0.663, 0.554, 0.522, 0.297])
    p = np.array(
        [
            [1, 0.065, 0.004, 1e-9],
            [0.065, 1, 0.32, 1e-6],
            [0.004, 0.32, 1, 1e-6],
            [1e-9, 1e-6, 1e-6, 1],
        ]
    )
    shown = ranking.Comparison(means, means[:, None] - means[None, :], p, p, p, 35)
    found = [(rank.low, rank.high) for rank in ranking.rank_intervals(shown)]
    assert found == [(1, 2), (1, 3), (2, 3), (4, 4)]


def test_equal_entries_share_a_rank_and_one_entry_is_first() -> None:
    sums, sizes = np.array([[3.0, 1.0], [3.0, 1.0]]), np.array([4, 4])
    twins = ranking.compare_all(sums, sizes)
    assert [(r.low, r.high) for r in ranking.rank_intervals(twins)] == [(1, 2), (1, 2)]
    alone = ranking.compare_all(sums[:1], sizes)
    assert ranking.rank_intervals(alone) == [ranking.Rank(1, 1)]


def test_one_source_proves_no_difference() -> None:
    found = ranking.compare_all(np.array([[9.0], [1.0]]), np.array([10]))
    assert ranking.rank_intervals(found) == [ranking.Rank(1, 2), ranking.Rank(1, 2)]
