"""Draws the answers that clinicians grade: stratified by score and model, seeded.

Strata hold equally many answers as far as they have them, so that rare ones (full marks of a
weak model) are seen at all. An answer then stands for `population / drawn` answers of its
stratum: figures weighted so refer to all answers, figures without weights to the sample.
"""

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Candidate:
    """An answer that could be graded: its prediction, what its judge gave, who answered."""

    prediction: int
    score: int
    model: str


@dataclass(frozen=True)
class Stratum:
    """Answers of one model with one score: how many there are, how many were drawn."""

    model: str
    score: int
    population: int
    drawn: int

    @property
    def weight(self) -> float:
        """Return how many answers of the stratum each drawn one stands for."""
        return self.population / self.drawn if self.drawn else 0.0


@dataclass(frozen=True)
class Drawn:
    """`answers` holds (prediction, index of its stratum) in the order in which they are shown."""

    strata: tuple[Stratum, ...]
    answers: tuple[tuple[int, int], ...]


def draw_sample(candidates: Sequence[Candidate], *, size: int, seed: int) -> Drawn:
    """Draw `size` answers, or all where there are fewer; the same seed draws the same.

    Raises ValueError without candidates, and where `size` leaves a stratum without an answer.
    """
    strata: dict[tuple[str, int], list[int]] = defaultdict(list)
    for one in candidates:
        strata[one.model, one.score].append(one.prediction)
    if not strata:
        raise ValueError("There is no judged free response to draw from.")
    if size < len(strata):
        raise ValueError(
            f"The answers fall into {len(strata)} strata of score and model: draw at least"
            f" {len(strata)}, or choose fewer models."
        )
    names = sorted(strata)
    counts = share_out(size, [len(strata[name]) for name in names])
    chosen: list[tuple[int, int]] = []
    source = random.Random(seed)  # noqa: S311 (a seeded draw, not a secret)
    for index, (name, count) in enumerate(zip(names, counts, strict=True)):
        drawn = source.sample(sorted(strata[name]), count)
        chosen += [(prediction, index) for prediction in drawn]
    source.shuffle(chosen)
    return Drawn(
        tuple(
            Stratum(model, score, len(strata[model, score]), count)
            for (model, score), count in zip(names, counts, strict=True)
        ),
        tuple(chosen),
    )


def share_out(size: int, populations: Sequence[int]) -> list[int]:
    """Share `size` out evenly, no stratum above its population; the first get the remainder."""
    given = [0] * len(populations)
    left = min(size, sum(populations))
    while left:
        open_ = [index for index, most in enumerate(populations) if given[index] < most]
        each = max(1, left // len(open_))
        for index in open_:
            more = min(each, populations[index] - given[index], left)
            given[index] += more
            left -= more
    return given


def order_for(positions: Sequence[int], *, seed: int, ordinal: int) -> list[int]:
    """Return the order in which the grader of that number meets the answers: one of their own,
    so that what comes late is not the same for all."""
    mixed = list(positions)
    random.Random(f"{seed}/{ordinal}").shuffle(mixed)  # noqa: S311
    return mixed
