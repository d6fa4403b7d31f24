"""Panels of judges and how stable one judge is."""

import pytest

from evaluation.domain.judge_panel import Rule, panel_verdict, panel_verdicts, whole_points
from evaluation.domain.judge_rows import model_row
from evaluation.domain.judge_stability import stability


@pytest.mark.parametrize(
    ("scores", "majority", "mean", "highest"),
    [
        ([2, 2, 0], 2, 4 / 3, 2),
        ([0, 1], 0, 0.5, 1),
        ([0, 1, 2], 0, 1, 2),
        ([1, 1, 2, 2], 1, 1.5, 2),
        ([2], 2, 2, 2),
    ],
)
def test_rules_and_ties(scores, majority, mean, highest):
    assert panel_verdict(scores, Rule.MAJORITY) == majority
    assert panel_verdict(scores, Rule.MEAN) == pytest.approx(mean)
    assert panel_verdict(scores, Rule.ANY) == highest


def test_a_panel_marks_what_all_its_judges_marked():
    judges = [{"a": 2, "b": 0}, {"a": 1, "b": 0, "c": 2}]
    assert panel_verdicts(judges, Rule.MEAN) == {"a": 1.5, "b": 0.0}
    with pytest.raises(ValueError, match="two judges"):
        panel_verdicts(judges[:1], Rule.ANY)
    with pytest.raises(ValueError, match="without a verdict"):
        panel_verdict([], Rule.ANY)


def test_halves_go_down():
    assert [whole_points(v) for v in (0, 0.5, 0.6, 1, 1.5, 5 / 3, 2)] == [0, 0, 1, 1, 1, 2, 2]


def test_a_row_by_each_judge_and_panel_over_the_same_answers():
    verdicts = {"a": {1: 2, 2: 0, 3: 1}, "b": {1: 1, 2: 0}, "few": {3: 2}}
    row = model_row("m", verdicts, {1: "x", 2: "y", 3: "z"})
    assert row and row.n == 2, "a judge of a third of the answers is no judge of the row"
    assert [(one.judge, one.mean) for one in row.means] == [
        *(("a", 1.0), ("b", 0.5), ("majority", 0.5), ("mean", 0.75), ("any", 1.0)),
    ]
    assert all(0 <= one.low <= one.mean <= one.high <= 2 for one in row.means)
    assert model_row("m", {"a": {1: 2}}, {1: "x"}) is None and model_row("m", {}, {}) is None


def test_flips_between_repeats():
    marks = [("a", 1, 2), ("a", 1, 2), ("b", 2, 0), ("b", 2, 1), ("b", 2, 1), ("c", 3, 1)]
    found = stability(marks)
    assert (found.answers, found.pairs, found.why) == (2, 3, "")
    assert found.same.value == pytest.approx(2 / 3)
    share, low, high = found.flips
    assert share == pytest.approx(1 / 3) and low <= share <= high


def test_without_a_repeat_a_sentence_says_so():
    found = stability([("a", 1, 2)])
    assert found.flips is None and "judge a run again" in found.why
    assert stability([]).pairs == 0
