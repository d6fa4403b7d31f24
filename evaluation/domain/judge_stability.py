"""Whether a judge says the same again: flips between its repeats on one answer."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from annotation.domain.agreement import Figure, Rating, repeats
from evaluation.domain.judge_agreement import SCORES, kappa_of, share_of


@dataclass(frozen=True)
class Stability:
    """`same` is the share of repeated marks that equal the mark before, `flips` the rest,
    `kappa` quadratic, over `pairs` of marks on `answers` answers. `why` says why there is
    none."""

    answers: int
    pairs: int
    same: Figure
    flips: tuple[float, float | None, float | None] | None
    kappa: Figure
    why: str


def stability(marks: Iterable[tuple[Hashable, Hashable, int]]) -> Stability:
    """Return how stable a judge is. `marks` are (answer, source, points), the marks of one
    answer in the order in which they were made."""
    ratings = [Rating(answer, "judge", points, source) for answer, source, points in marks]
    tables = repeats(ratings, SCORES)
    count: dict[Hashable, int] = {}
    for one in ratings:
        count[one.unit] = count.get(one.unit, 0) + 1
    repeated = sum(number > 1 for number in count.values())
    same, kappa = share_of(tables), kappa_of(tables)
    flips = None
    if same.value is not None:
        low = None if same.high is None else 1.0 - same.high
        high = None if same.low is None else 1.0 - same.low
        flips = (1.0 - same.value, low, high)
    why = "" if tables.n else "No answer was marked twice by this judge: judge a run again."
    return Stability(repeated, tables.n, same, flips, kappa, why)
