"""How many keys a learned combination of surface features finds in sources it never saw."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from annotation.domain.audit.crossing import Outcome, cross_validate
from annotation.domain.audit.features import Design, Matrix, design, measures
from annotation.domain.audit.folds import folds_of
from annotation.domain.audit.items import Mcq
from annotation.domain.audit.screening import Screen, screen_of
from annotation.domain.clustered import Estimate, clustered_mean, codes_of

REFITS = 99
NULL_RANGE = (0.025, 0.975)
NOTHING = "There is no kept MCQ with a key, so there is nothing to learn."


class NothingToLearn(ValueError):
    """The items do not allow a held-out score; the message says why in one sentence."""


@dataclass(frozen=True)
class Learned:
    """The learned combination's score on sources held out.

    `estimate` is the share of keys found, with its interval clustered by source (a tie counts
    as the share that a guess among the tied wins). Folds share training data, so that interval
    is a little too narrow: whether there is a leak is said by `p`, the share of refits under
    uniformly redrawn keys that find as many (the benchmark itself counted in), and `null` is
    the range of the middle 95 % of them. `outcome` holds the result per item.
    """

    estimate: Estimate
    p: float
    refits: int
    null: tuple[float, float]
    folds: int
    outcome: Outcome
    strongest: list[tuple[str, float]]


def learn(mcqs: Sequence[Mcq], values: Matrix | None = None, *, refits: int = REFITS) -> Learned:
    """Return how many keys of `mcqs` can be found without video.

    Args:
        mcqs: kept MCQs with keys.
        values: their `features.measures`, where they are at hand.
        refits: how often the keys are redrawn, at least 1; 99 let p go down to .01.

    What is redrawn depends on the stems alone, so that an audit can be repeated, and audits of
    different benchmarks have nothing in common.

    Raises NothingToLearn where there is no MCQ, or only one source.
    """
    if not mcqs:
        raise NothingToLearn(NOTHING)
    return learn_from(
        mcqs, design(mcqs, measures(mcqs) if values is None else values), refits=refits
    )


def learn_from(mcqs: Sequence[Mcq], features: Design, *, refits: int) -> Learned:
    """Return how many keys of `mcqs` their `features` find; without refits p is 1.

    Raises NothingToLearn where there is no MCQ, or only one source.
    """
    if not mcqs:
        raise NothingToLearn(NOTHING)
    codes, sources = codes_of([mcq.source for mcq in mcqs])
    if len(sources) < 2:
        raise NothingToLearn(
            "All MCQs are of one source, so none can be held out, and what is learned from it "
            "could be a memory of it."
        )
    seed = zlib.crc32("\n".join(mcq.stem for mcq in mcqs).encode("utf-8", "surrogatepass"))
    folds = folds_of([mcq.source for mcq in mcqs])
    screen = screen_of(features, folds)
    # The matrices are small: threads of the linear algebra would wait for one another.
    with threadpool_limits(1):
        outcome = cross_validate(screen, _keys(screen, mcqs), np.random.default_rng(seed))
        null = under_redrawn_keys(screen, refits, seed)
    estimate = clustered_mean(outcome.found, codes)
    as_good = int(np.count_nonzero(null >= estimate.mean - 1e-9))
    low, high = np.quantile(null, NULL_RANGE) if refits else (np.nan, np.nan)
    return Learned(
        estimate=estimate,
        p=(1 + as_good) / (1 + refits),
        refits=refits,
        null=(float(low), float(high)),
        folds=int(folds.max()) + 1,
        outcome=outcome,
        strongest=outcome.strongest(screen.design),
    )


def under_redrawn_keys(screen: Screen, refits: int, seed: int) -> NDArray[np.float64]:
    """Return the share of keys found in each refit, the whole procedure repeated on keys that
    are drawn uniformly among each item's options."""
    random = np.random.default_rng([seed, 1])
    rows = screen.design.rows
    return np.array(
        [
            cross_validate(screen, rows.starts + random.integers(0, rows.sizes), random).accuracy
            for _ in range(refits)
        ]
    )


def _keys(screen: Screen, mcqs: Sequence[Mcq]) -> NDArray[np.int64]:
    return screen.design.rows.starts + np.array([mcq.key for mcq in mcqs], dtype=np.int64)
