"""Several judges as one: majority, mean or any, from verdicts that are stored."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from enum import StrEnum


class Rule(StrEnum):
    MAJORITY = "majority"
    MEAN = "mean"
    ANY = "any"


SAID = {
    Rule.MAJORITY: "the score that most judges give; a tie goes to the lower of the tied scores",
    Rule.MEAN: "the mean of the judges' scores; for kappa rounded, halves down",
    Rule.ANY: "the highest score that any judge gives",
}
LEAST_JUDGES = 2


def panel_verdict(scores: Sequence[int], rule: Rule) -> float:
    """Return what the panel gives, 0 to 2: whole points, but for the mean.

    Ties are resolved against the answer, so that a panel is never more lenient than half of
    its judges, `any` apart. Raises ValueError without a score.
    """
    if not scores:
        raise ValueError("a panel without a verdict gives none")
    if rule is Rule.ANY:
        return float(max(scores))
    if rule is Rule.MEAN:
        return sum(scores) / len(scores)
    counted = Counter(scores)
    most = max(counted.values())
    return float(min(score for score, count in counted.items() if count == most))


def panel_verdicts(judges: Sequence[Mapping[Hashable, int]], rule: Rule) -> dict[Hashable, float]:
    """Return the panel's verdicts over the answers that every judge has marked.

    Raises ValueError for fewer than two judges.
    """
    if len(judges) < LEAST_JUDGES:
        raise ValueError("a panel needs at least two judges")
    common = set(judges[0]).intersection(*judges[1:])
    return {
        answer: panel_verdict([verdicts[answer] for verdicts in judges], rule) for answer in common
    }


def whole_points(value: float) -> int:
    """Return a panel's verdict as points for a table of 0, 1 and 2: halves go down."""
    return math.ceil(value - 0.5)
