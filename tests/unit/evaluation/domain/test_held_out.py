"""What is told of a held-out part, and what somebody who sends variants learns from it."""

from collections.abc import Callable

import numpy as np
import pytest

from evaluation.domain.held_out import LEAST, STEP, told_share

ITEMS, OPTIONS, SENT = 200, 4, 90  # a month of three submissions a day
Told = Callable[[float, float | None], float | None]


def exactly(share: float, best: float | None) -> float | None:
    return share


def in_steps(share: float, best: float | None) -> float | None:
    return told_share(share, ITEMS, best)


def climb(told: Told, seed: int) -> float:
    """Change a few answers, keep what is told to be better: the gain in the true share."""
    draw = np.random.default_rng(seed)
    key = draw.integers(0, OPTIONS, ITEMS)
    mine = draw.integers(0, OPTIONS, ITEMS)
    first, best = float((mine == key).mean()), None
    for _ in range(SENT):
        tried = mine.copy()
        tried[draw.choice(ITEMS, 10, replace=False)] = draw.integers(0, OPTIONS, 10)
        seen = told(float((tried == key).mean()), best)
        if best is None or seen > best:
            mine, best = tried, seen
    return float((mine == key).mean()) - first


def boost(told: Told, seed: int) -> float:
    """Send random answers, then vote by what each was told to score: the gain over chance."""
    draw = np.random.default_rng(seed)
    key = draw.integers(0, OPTIONS, ITEMS)
    votes, best = np.zeros((ITEMS, OPTIONS)), None
    sent, seen = [], []
    for _ in range(SENT):
        sent.append(draw.integers(0, OPTIONS, ITEMS))
        found = told(float((sent[-1] == key).mean()), best)
        seen.append(found)
        best = found if best is None else max(best, found)
    for answers, weight in zip(sent, np.array(seen) - np.mean(seen), strict=True):
        votes[np.arange(ITEMS), answers] += weight
    votes += draw.random(votes.shape) * 1e-9
    return float((votes.argmax(axis=1) == key).mean()) - 1 / OPTIONS


@pytest.mark.parametrize(("attack", "exact", "most"), [(climb, 0.10, 0.03), (boost, 0.15, 0.05)])
def test_a_month_of_variants_gains_little(
    attack: Callable[[Told, int], float], exact: float, most: float
) -> None:
    """Mean gains over 40 tries, in shares; the exact figures show that the attack is one."""
    bare = np.mean([attack(exactly, seed) for seed in range(40)])
    stepped = np.mean([attack(in_steps, seed) for seed in range(40)])
    print(f"{attack.__name__}: {bare:+.3f} with exact figures, {stepped:+.3f} with those told")
    assert bare > exact
    assert stepped < most


def test_only_a_clear_gain_moves_what_is_told() -> None:
    assert told_share(0.523, 100) == 0.5 and told_share(0.53, 100) == 0.55
    assert told_share(0.549, 100, best=0.5) == 0.5
    assert told_share(0.1, 100, best=0.5) == 0.5
    assert told_share(0.5 + STEP, 100, best=0.5) == 0.55
    assert told_share(1.0, LEAST - 1) is None
