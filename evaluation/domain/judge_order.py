"""Whether the order of the fields sways a judge: its marks on the same answers, the reference
read before the answer and after it.

A judge that draws its words marks differently now and then in any order. So the share of marks
that differ between the orders stands beside the share that flips when the usual order is only
repeated; where order does nothing, both are the same but for chance.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.domain.clustered import codes_of
from evaluation.domain.judge_bias import Differences, Measured, mean_of
from evaluation.domain.judge_stability import stability

Marks = list[tuple[Hashable, Hashable, int]]  # answer, source, points; of one answer in their order
Share = tuple[float, float | None, float | None]
_ByAnswer = Mapping[Hashable, Sequence[int]]


@dataclass(frozen=True)
class OrderEffect:
    """How far the order of the fields sways a judge, over `answers` marked in both.

    `differ` is the share (0 to 1) of them whose first marks differ between the orders; `flips`
    the share whose first two marks in the usual order differ, over the `repeated` ones that have
    two; `beyond` the first minus the second over these. `shift` is the points in the other order
    minus those in the usual one. All with 95 % intervals clustered by source. `why` says in
    sentences what could not be measured and how it can be.
    """

    answers: int
    repeated: int
    differ: Share | None
    flips: Share | None
    beyond: Measured
    shift: Measured
    why: str


def order_effect(usual: Marks, other: Marks) -> OrderEffect:
    """Return what the order does, from one judge's marks in either."""
    first, second = _by_answer(usual), _by_answer(other)
    sources = {answer: source for answer, source, _ in other}
    both = [answer for answer in second if answer in first]
    twice = [answer for answer in both if len(first[answer]) > 1]
    moved = {answer: first[answer][0] != second[answer][0] for answer in both}
    flipped = {answer: first[answer][0] != first[answer][1] for answer in twice}
    beyond = _mean([float(moved[one]) - float(flipped[one]) for one in twice], twice, sources)
    shift = _mean([float(second[one][0] - first[one][0]) for one in both], both, sources)
    return OrderEffect(
        answers=len(both),
        repeated=len(twice),
        differ=_share({one: (first[one][0], second[one][0]) for one in both}, sources),
        flips=_share({one: first[one][:2] for one in twice}, sources),
        beyond=beyond,
        shift=shift,
        why=_why(beyond, shift),
    )


def _by_answer(marks: Marks) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for answer, _, points in marks:
        found[answer].append(points)
    return dict(found)


def _share(pairs: _ByAnswer, sources: Mapping[Hashable, Hashable]) -> Share | None:
    """Return the share of `pairs` whose two marks differ."""
    marks = ((one, sources[one], points) for one, pair in pairs.items() for points in pair)
    return stability(marks).flips


def _mean(
    values: Sequence[float], answers: Iterable[Hashable], sources: Mapping[Hashable, Hashable]
) -> Measured:
    codes, _ = codes_of([sources[one] for one in answers])
    ones, none = np.ones(len(values)), np.zeros(len(values))
    return mean_of(Differences(np.array(values, dtype=float), ones, none, codes, ()))


def _why(beyond: Measured, shift: Measured) -> str:
    if not shift.n:
        return (
            "Not measured: this judge marked no answer in both orders. Let it judge the same run"
            " again in the usual order."
        )
    said = []
    if shift.clusters < 2:
        said.append("All answers are of one source, so no interval can be had.")
    elif shift.low is None or (beyond.n and beyond.low is None):
        said.append("Where every source says the same, a difference has no interval.")
    if not beyond.n:
        said.append(
            "Chance cannot be told from order yet: this judge marked none of these answers twice"
            " in the usual order. Let it judge the same run again in that order."
        )
    return " ".join(said)
