"""The figures of a judge audit: computed once a sample is closed, stored, shown by its page.

They hold counts, coefficients and intervals, and neither an answer nor a grader's name: graders
are numbered by their seats.
"""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from annotation.domain.agreement import Figure
from evaluation.actions.judge_standings import keep_figures
from evaluation.domain.judge_agreement import (
    Agreement,
    Graded,
    agreement,
    clinician_pairs,
    judge_pairs,
)
from evaluation.domain.judge_bias import differences, family_bias, length_bias, strictness
from evaluation.domain.judge_families import of_one_family
from evaluation.domain.judge_order import Marks, order_effect
from evaluation.domain.judge_panel import (
    LEAST_JUDGES,
    Rule,
    panel_name,
    panel_verdicts,
    whole_points,
)
from evaluation.domain.judge_stability import stability
from evaluation.models import GradingSample
from evaluation.queries.judge_marks import (
    Judge,
    Verdicts,
    graded_answers,
    marks_by_order,
    repeated_marks,
    verdicts_on,
)
from evaluation.queries.judge_rows import rows_by_judge
from evaluation.queries.panels import audit_stamp, panel_members

FIGURES_VERSION = 1
MOST_PAIRS = 45  # pairs of clinicians told one by one
MOST_JUDGES = 20


def audit_judges(sample: GradingSample) -> GradingSample:
    """Compute the figures of a closed sample and store them. No model is called."""
    stamp = audit_stamp(sample.release_id)
    return keep_figures(sample=sample, figures=audit_figures(sample), stamp=stamp)


def audit_figures(sample: GradingSample) -> dict[str, Any]:
    """Return the figures of `sample`, JSON-ready. Nine queries, whatever its size."""
    graded = graded_answers(sample)
    seats = dict(sample.seats.values_list("grader_id", "ordinal"))
    verdicts = dict(list(verdicts_on(sample).items())[:MOST_JUDGES])
    marked = [one for one in graded if one.grades]
    return {
        "schema": FIGURES_VERSION,
        "answers": len(graded),
        "graded": len(marked),
        "grades": sum(len(one.grades) for one in marked),
        "graders": len({grader for one in marked for grader in one.grades}),
        "population": round(sum(one.weight for one in graded), 6),
        "clinicians": agreement_json(agreement(clinician_pairs(marked))),
        "pairs": _pairs(marked, seats),
        "judges": [judge_figures(judge, found, marked) for judge, found in verdicts.items()],
        "panels": panel_figures(verdicts, marked, panel_members(sample.release_id)),
        "rows": [asdict(row) for row in rows_by_judge(sample.release_id)],
        "stability": [
            {"label": judge.label, "rubric": judge.rubric, **_stability(marks)}
            for judge, marks in repeated_marks(sample.release_id).items()
        ],
        "order": [
            {"label": judge.label, "rubric": judge.rubric, **asdict(order_effect(*marks))}
            for judge, marks in marks_by_order(sample.release_id).items()
        ],
    }


def judge_figures(judge: Judge, verdicts: Verdicts, graded: Sequence[Graded]) -> dict[str, Any]:
    """Return what the clinicians' grades say about one judge."""
    models = sorted({one.model for one in graded})
    own = of_one_family(judge.label, models)
    found: dict[str, Any] = {
        "label": judge.label,
        "rubric": judge.rubric,
        "agreement": agreement_json(agreement(judge_pairs(graded, verdicts))),
        "by_model": [
            {
                "model": model,
                "own": model in own,
                "agreement": agreement_json(agreement(judge_pairs(_of(graded, model), verdicts))),
            }
            for model in models
        ],
    }
    for name, weighted in (("sample", False), ("all", True)):
        rows = differences(graded, verdicts, weighted=weighted)
        found[name] = {
            "strictness": asdict(strictness(rows)),
            "length": asdict(length_bias(rows)),
            "family": asdict(family_bias(rows, own)),
        }
    return found


def panel_figures(
    verdicts: dict[Judge, Verdicts],
    graded: Sequence[Graded],
    members: Sequence[tuple[str, str]] = (),
) -> list[dict[str, Any]]:
    """Return how far the judges together agree with the clinicians, by each rule: the `members`
    of the leaderboard's panel, else all that marked at least half of the answers."""
    named = [judge for judge in verdicts if (judge.label, judge.rubric) in members]
    judges = named if named and len(named) == len(members) else _overlapping(verdicts, graded)
    if len(judges) < LEAST_JUDGES:
        return []
    names = [judge.label for judge in judges]
    members = [(judge.label, judge.rubric) for judge in judges]
    found = []
    for rule in Rule:
        given = panel_verdicts([verdicts[judge] for judge in judges], rule)
        whole: Verdicts = {answer: whole_points(value) for answer, value in given.items()}
        marks = differences(graded, whole, weighted=True)
        label, rubric = panel_name(rule, members)
        found.append(
            {
                "label": label,
                "rubric": rubric,
                "rule": rule.value,
                "judges": names,
                "agreement": agreement_json(agreement(judge_pairs(graded, whole))),
                "strictness": asdict(strictness(marks)),
            }
        )
    return found


def agreement_json(found: Agreement) -> dict[str, Any]:
    """Return an agreement as it is stored: figures as [value, low, high]."""
    return {
        "n": found.n,
        "pairs": found.pairs,
        "sources": found.clusters,
        "table": [list(row) for row in found.table],
        "kappa": _three(found.kappa),
        "kappa_all": _three(found.kappa_all),
        "exact": _three(found.exact),
        "exact_all": _three(found.exact_all),
        "why": found.why,
    }


def _overlapping(verdicts: dict[Judge, Verdicts], graded: Sequence[Graded]) -> list[Judge]:
    """Return the judges that marked at least half of the graded answers: a panel of others
    would stand on the few that all of them happened to mark."""
    answers = {one.answer for one in graded}
    return [
        judge
        for judge, found in verdicts.items()
        if answers and 2 * len(answers & found.keys()) >= len(answers)
    ]


def _pairs(graded: Sequence[Graded], seats: dict[int, int]) -> list[dict[str, Any]]:
    graders = sorted(seats, key=lambda grader: seats[grader])
    found = []
    for first, second in list(combinations(graders, 2))[:MOST_PAIRS]:
        pairs = clinician_pairs(graded, (first, second))
        if pairs:
            names = [seats[first] + 1, seats[second] + 1]
            found.append({"graders": names, "agreement": agreement_json(agreement(pairs))})
    return found


def _stability(marks: Marks) -> dict[str, Any]:
    found = stability(marks)
    return {
        "answers": found.answers,
        "pairs": found.pairs,
        "same": _three(found.same),
        "flips": list(found.flips) if found.flips else None,
        "kappa": _three(found.kappa),
        "why": found.why,
    }


def _of(graded: Sequence[Graded], model: str) -> list[Graded]:
    return [one for one in graded if one.model == model]


def _three(found: Figure) -> list[float | None]:
    return [found.value, found.low, found.high]
