"""Kappa of judge and clinicians: checked against scikit-learn, its interval by simulation."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.domain.judge_agreement import (
    Graded,
    agreement,
    clinician_pairs,
    judge_pairs,
    quadratic_kappa,
)


def graded(rows, *, weight=1.0, clusters=10) -> list[Graded]:
    """One `Graded` for each row of clinicians' grades."""
    return [
        Graded(number, "m", number % clusters, weight, dict(enumerate(grades)))
        for number, grades in enumerate(rows)
    ]


def simulated(random, clusters: int, answers: int) -> list[tuple]:
    """Pairs of marks of a shared latent quality, correlated within a source."""
    pairs = []
    for cluster in range(clusters):
        level, leaning = random.normal(0, 0.5), random.normal(0, 0.25)
        for number in range(max(1, random.poisson(answers / clusters))):
            quality = random.normal(level, 1)
            said = quality + random.normal((leaning, 0), 0.5)
            judge, clinician = np.digitize(said, [-0.5, 0.5])
            pairs.append(((cluster, number), cluster, 1.0, int(judge), int(clinician)))
    return pairs


def test_kappa_is_scikit_learns():
    random = np.random.default_rng(3)
    for _ in range(20):
        judge, clinician = random.integers(0, 3, 60), random.integers(0, 3, 60)
        rows = graded([(int(grade),) for grade in clinician])
        found = agreement(judge_pairs(rows, dict(enumerate(judge.tolist()))))
        wanted = cohen_kappa_score(judge, clinician, weights="quadratic", labels=[0, 1, 2])
        assert found.kappa.value == pytest.approx(wanted)
        assert found.exact.value == pytest.approx((judge == clinician).mean())


def test_weights_repeat_the_answers_that_a_drawn_one_stands_for():
    random = np.random.default_rng(5)
    judge, clinician = random.integers(0, 3, 40), random.integers(0, 3, 40)
    weights = random.integers(1, 6, 40)
    rows = [
        Graded(number, "m", number % 8, float(weight), {"c": int(grade)})
        for number, (weight, grade) in enumerate(zip(weights, clinician, strict=True))
    ]
    found = agreement(judge_pairs(rows, dict(enumerate(judge.tolist()))))
    wanted = cohen_kappa_score(
        judge.repeat(weights), clinician.repeat(weights), weights="quadratic", labels=[0, 1, 2]
    )
    assert found.kappa_all.value == pytest.approx(wanted)
    assert found.kappa.value != pytest.approx(wanted)


def test_an_answer_counts_once_however_many_clinicians_graded_it():
    rows = [*graded([(2, 2, 2, 2)]), Graded(1, "m", 1, 1.0, {0: 0})]
    found = agreement(judge_pairs(rows, {0: 2, 1: 1}))
    assert (found.n, found.pairs, found.exact.value) == (2, 5, 0.5)
    assert found.table == ((0, 0, 0), (1, 0, 0), (0, 0, 4))


def test_clinicians_with_one_another_all_both_ways_and_in_pairs():
    rows = graded([(0, 1), (2, 2), (1, 1), (2, 0), (0, 0)])
    both = agreement(clinician_pairs(rows))
    ordered = agreement(clinician_pairs(rows, (0, 1)))
    first, second = zip(*(tuple(row.grades.values()) for row in rows), strict=True)
    wanted = cohen_kappa_score(
        first + second, second + first, weights="quadratic", labels=[0, 1, 2]
    )
    assert both.kappa.value == pytest.approx(wanted)
    assert both.n == ordered.n == 5 and both.pairs == 2 * ordered.pairs
    assert not clinician_pairs(rows, (0, 7))


def test_interval_holds_the_truth():
    random = np.random.default_rng(11)
    truth = np.zeros((3, 3))
    for *_, judge, clinician in simulated(random, 4_000, 40_000):
        truth[judge, clinician] += 1
    true = float(quadratic_kappa(truth))
    held = 0
    for _ in range(120):
        found = agreement(simulated(random, 20, 100)).kappa
        held += found.low <= true <= found.high
    assert 0.90 <= held / 120 <= 0.995


@pytest.mark.parametrize(
    ("marks", "clusters", "sentence", "has_kappa"),
    [
        ([], 5, "Nothing was marked by both", False),
        ([(2, 2)] * 10, 5, "Both sides give 2 throughout", False),
        ([(2, 0), (2, 1), (2, 2)] * 4, 5, "One side gives 2 throughout", True),
        ([(0, 2), (1, 2)] * 4, 5, "One side gives 2 throughout", True),
        ([(0, 0), (1, 2), (2, 2)] * 4, 1, "one source", True),
    ],
)
def test_what_says_nothing_is_told_in_a_sentence(marks, clusters, sentence, has_kappa):
    rows = graded([(clinician,) for _, clinician in marks], clusters=clusters)
    found = agreement(judge_pairs(rows, {n: judge for n, (judge, _) in enumerate(marks)}))
    assert sentence in found.why
    assert (found.kappa.value is not None) == has_kappa
    assert found.kappa.low is None or found.kappa.low <= found.kappa.value


def test_the_interval_is_seeded():
    pairs = simulated(np.random.default_rng(2), 12, 60)
    assert agreement(pairs) == agreement(pairs)
