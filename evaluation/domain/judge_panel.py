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
LEAST_JUDGES, MOST_JUDGES = 2, 5
LABEL_LENGTH = 80
PANEL_NAME_LENGTH, PANEL_RUBRIC_LENGTH = 450, 200
Judge = tuple[str, str]  # label, rubric version


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


def panel_name(rule: Rule, members: Sequence[Judge]) -> tuple[str, str]:
    """Return the panel's label and rubric version, as those of a judge: other members, another
    rule or another rubric are another judge."""
    names = ", ".join(label[:LABEL_LENGTH] for label, _ in members)
    rubrics = " + ".join(sorted({rubric for _, rubric in members}))
    return f"{rule.value.capitalize()} of {names}", rubrics[:PANEL_RUBRIC_LENGTH]


def pick_members(asked: Mapping[int, Mapping[Judge, set[int]]]) -> list[Judge]:
    """Return the judges that make the panel of some rows, by name; [] for fewer than two.

    `asked` holds, by row, the answers that each judge was given. Members are the two judges that
    have been through most rows (see `is_through`), at least half of them, and whoever has been
    through as many: a trial on one row makes no panel, and none smaller. Of one label the
    rubric counts that it marked most rows by, the later name where they tie.
    """
    through = Counter(judge for row in asked.values() for judge in row if is_through(row, judge))
    best: dict[str, Judge] = {}
    for judge, _ in sorted(through.items(), key=lambda one: (one[1], one[0])):
        best[judge[0]] = judge
    ordered = sorted(best.values(), key=lambda judge: (-through[judge], judge))
    if len(ordered) < LEAST_JUDGES:
        return []
    least = max(through[ordered[LEAST_JUDGES - 1]], len(asked) / 2)
    members = [judge for judge in ordered if through[judge] >= least][:MOST_JUDGES]
    return sorted(members) if len(members) >= LEAST_JUDGES else []


def is_through(row: Mapping[Judge, set[int]], judge: Judge) -> bool:
    """Say whether `judge` was given every answer of the row that any judge was given."""
    answers: set[int] = set().union(*row.values())
    return answers <= row.get(judge, set())


def whole_points(value: float) -> int:
    """Return a panel's verdict as points for a table of 0, 1 and 2: halves go down."""
    return math.ceil(value - 0.5)
