"""How often each single rule is right, against chance, with Holm's correction over all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.domain.audit.items import Mcq
from annotation.domain.audit.rules import SILENT, Rule
from annotation.domain.clustered import Estimate, Ints, clustered_mean, codes_of
from annotation.domain.holm import holm

LEAKS_AT = 0.05


@dataclass(frozen=True)
class RuleScore:
    """`correct` of `n` MCQs by following the rule where it speaks (`picked` times), and what
    chance would give there. `estimate` is the accuracy of who guesses where it is silent, with
    its interval clustered by source; `p` is one-sided against uniform keys, `p_holm` corrected
    over the library."""

    rule: Rule
    correct: int
    picked: int
    n: int
    expected: float
    estimate: Estimate
    p: float
    p_holm: float

    @property
    def leaks(self) -> bool:
        return self.p_holm <= LEAKS_AT


def score_rules(mcqs: Sequence[Mcq], picks: Mapping[Rule, Ints]) -> list[RuleScore]:
    """Return the score of each rule, best accuracy first, rules that are silent throughout last;
    `mcqs` must not be empty."""
    keys = np.array([mcq.key for mcq in mcqs], dtype=np.int64)
    chance = 1 / np.array([len(mcq.options) for mcq in mcqs])
    codes, _ = codes_of([mcq.source for mcq in mcqs])
    ps = [tail(picked, keys, chance) for picked in picks.values()]
    scores = []
    for (rule, picked), p, p_holm in zip(picks.items(), ps, holm(ps).tolist(), strict=True):
        spoke = picked != SILENT
        right = picked == keys
        estimate = clustered_mean(np.where(spoke, right, chance), codes)
        scores.append(
            RuleScore(
                rule,
                int(right.sum()),
                int(spoke.sum()),
                len(mcqs),
                float(chance[spoke].sum()),
                estimate,
                p,
                p_holm,
            )
        )
    return sorted(
        scores, key=lambda score: (not score.picked, -score.estimate.mean, score.rule.name)
    )


def tail(picked: Ints, keys: Ints, chance: NDArray[np.float64]) -> float:
    """Return the chance that uniform keys make a rule right as often as it is.

    Binomial with the mean chance: exact where all MCQs have as many options; else a little too
    large, since a sum of unequal chances varies less.
    """
    from scipy.special import bdtrc

    spoke = picked != SILENT
    tries = int(spoke.sum())
    right = int((picked == keys)[spoke].sum())
    if right == 0:
        return 1.0
    return float(bdtrc(right - 1, tries, float(chance[spoke].mean())))
