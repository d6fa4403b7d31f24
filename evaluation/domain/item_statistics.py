"""Statistics of single items over several models: difficulty, discrimination, agreement,
suspected wrong keys, and how often an item is solved without its video.

Classical item analysis, free of item-response models: with a handful of models a fitted curve
would only look exact. Each figure comes with the number of models or replies behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
CHANCE = 0.05
FEWEST_FOR_DISCRIMINATION = 5  # models; a correlation over fewer says nothing


@dataclass(frozen=True)
class Rival:
    """The option, not the key, that most models chose: its index, how many chose it, and how
    likely it is that as many guesses meet on any one wrong option."""

    option: int
    models: int
    p: float


def difficulty(scores: Floats) -> tuple[Floats, Ints]:
    """Return the mean score and the number of models behind it, per item.

    Args:
        scores: models × items, 0 to 1, NaN where a model has no score.

    Returns: means (items; NaN without any score) and counts (items).
    """
    known = ~np.isnan(scores)
    count = known.sum(axis=0)
    total = np.where(known, scores, 0.0).sum(axis=0)
    mean = np.divide(total, count, out=np.full(scores.shape[1], np.nan), where=count > 0)
    return mean, count.astype(np.int64)


def discrimination(scores: Floats) -> Floats:
    """Return the item-rest correlation of each item: do models that do well elsewhere do well
    here? Pearson's r of an item's scores with the mean score over the other items.

    A missing score is left out of both. NaN where fewer than FEWEST_FOR_DISCRIMINATION models
    have a score, or where either side does not vary.

    Args:
        scores: models × items, 0 to 1, NaN where a model has no score.
    """
    models, items = scores.shape
    if models < FEWEST_FOR_DISCRIMINATION or items < 2:
        return np.full(items, np.nan)
    known = ~np.isnan(scores)
    filled = np.where(known, scores, 0.0)
    total, count = filled.sum(axis=1, keepdims=True), known.sum(axis=1, keepdims=True)
    others = count - known
    rest = np.divide(total - filled, others, out=np.zeros_like(filled), where=others > 0)
    use = known & (others > 0)
    n = use.sum(axis=0)
    x, y = np.where(use, filled, 0.0), np.where(use, rest, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_x, mean_y = x.sum(axis=0) / n, y.sum(axis=0) / n
        dx, dy = np.where(use, filled - mean_x, 0.0), np.where(use, rest - mean_y, 0.0)
        spread = np.sqrt((dx**2).sum(axis=0) * (dy**2).sum(axis=0))
        found = (dx * dy).sum(axis=0) / spread
    enough = (n >= FEWEST_FOR_DISCRIMINATION) & (spread > 1e-12)
    return np.where(enough, found, np.nan)


def lowest_by_chance(models: int) -> float:
    """Return the correlation over `models` models that one without any falls below in 5 of 100
    draws (one-sided, by Student's t with models - 2 degrees of freedom).

    Raises ValueError below FEWEST_FOR_DISCRIMINATION models.
    """
    from scipy.special import stdtrit

    if models < FEWEST_FOR_DISCRIMINATION:
        raise ValueError(f"no correlation is told over {models} models")
    free = models - 2
    t = float(stdtrit(free, CHANCE))
    return t / float(np.sqrt(free + t * t))


def pair_agreement(counts: Sequence[int]) -> float | None:
    """Return the share of pairs of models that chose the same option; None below two models.

    Args:
        counts: how many models chose each option.
    """
    n = sum(counts)
    if n < 2:
        return None
    return sum(count * (count - 1) for count in counts) / (n * (n - 1))


def rival(counts: Sequence[int], *, key: int) -> Rival | None:
    """Return the wrong option that most models chose; None where no model chose a wrong one.

    `p` is the chance that, of as many guesses spread evenly over the options, this many or more
    meet on one of the wrong options (Bonferroni over them, at most 1).

    Args:
        counts: how many models chose each option, in published order.
        key: index of the answer key.
    """
    wrong = [(count, -option) for option, count in enumerate(counts) if option != key]
    if not wrong or max(wrong)[0] == 0:
        return None
    most, option = max(wrong)
    tail = _at_least(most, sum(counts), 1 / len(counts))
    return Rival(-option, most, min(1.0, tail * (len(counts) - 1)))


def solved_p(right: float, replies: int, chance: float) -> float:
    """Return how likely guesses are right as often: P(X >= right) of binomial(replies, chance).

    Replies of one model to one item are not independent, so with many repeats of few models this
    is too small; what people decide by is the share beside it.
    """
    return _at_least(int(np.ceil(right)), replies, chance) if replies else 1.0


def _at_least(count: int, tries: int, chance: float) -> float:
    """Return P(X >= count) of binomial(tries, chance)."""
    # Not scipy.stats, and not before it is needed: it would cost each worker 40 MB.
    from scipy.special import bdtrc

    return float(bdtrc(count - 1, tries, chance)) if count > 0 else 1.0
