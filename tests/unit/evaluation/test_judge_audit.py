"""The figures of a judge audit: from stored grades and verdicts, once the sample is closed."""

import json

import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.actions.grading_samples import close_sample
from evaluation.actions.judge_standings import keep_figures
from evaluation.judge_audit import audit_figures, audit_judges
from evaluation.models import Judgement, JudgeStanding
from tests import evaluation_factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(reviewer, reviewer_2, maintainer):
    return make.grading_sample(make.judged_release(), [reviewer, reviewer_2], by=maintainer)


def judged(sample) -> list[int]:
    """The first judge's points, in the order of the sample."""
    return [
        row.prediction.judgements.order_by("pk").first().score
        for row in sample.answers.order_by("position")
    ]


def other_judge(sample, label: str, scores, **fields) -> None:
    for row, score in zip(sample.answers.order_by("position"), scores, strict=True):
        make.judgement(row.prediction, score, judge_label=label, **fields)


def test_figures_are_those_of_the_grades(sample, reviewer, reviewer_2, maintainer):
    points = judged(sample)
    stricter = [max(0, score - 1) for score in points]
    make.grade(sample, reviewer, points)
    make.grade(sample, reviewer_2, stricter)
    other_judge(sample, "Oracle 9", stricter)
    found = audit_figures(sample)

    assert (found["answers"], found["graded"], found["grades"], found["graders"]) == (12, 12, 24, 2)
    first, second = sorted(found["judges"], key=lambda judge: judge["label"] != "Seer 9")
    wanted = cohen_kappa_score(points * 2, points + stricter, weights="quadratic")
    assert first["agreement"]["kappa"][0] == pytest.approx(wanted)
    assert first["sample"]["strictness"]["mean"]["value"] == pytest.approx(
        sum(points) / 12 - (sum(points) + sum(stricter)) / 24
    )
    assert first["sample"]["strictness"]["below"] == 0
    assert second["sample"]["strictness"]["above"] == 0
    # Who is of whose family: by the first word of the names.
    assert first["all"]["family"]["families"] == ("Seer 1",)
    assert second["all"]["family"]["families"] == ("Oracle 2",)
    assert [row["model"] for row in first["by_model"]] == ["Oracle 2", "Seer 1"]
    assert [pair["graders"] for pair in found["pairs"]] == [[1, 2]]
    assert {panel["rule"] for panel in found["panels"]} == {"majority", "mean", "any"}
    highest = next(panel for panel in found["panels"] if panel["rule"] == "any")
    assert highest["agreement"]["kappa"] == first["agreement"]["kappa"]
    # What each model's row would be: by either judge, by the panels.
    assert [row["model"] for row in found["rows"]] == ["Oracle 2", "Seer 1"]
    for row in found["rows"]:
        means = {one["judge"]: one["mean"] for one in row["means"]}
        assert row["n"] == 6 and means["any"] == means["Seer 9"] > means["Oracle 9"]
        assert means["mean"] == pytest.approx((means["Seer 9"] + means["Oracle 9"]) / 2)
        assert means["majority"] == means["Oracle 9"], "a tie goes to the lower score"
    json.dumps(found, allow_nan=False)


def test_repeats_of_a_judge_tell_how_stable_it_is(sample):
    points = judged(sample)
    run = sample.answers.first().prediction.run
    again = make.run(run.release, rejudges=run, origin="rejudge")
    flipped = [2 - score if place < 3 else score for place, score in enumerate(points)]
    other_judge(sample, "Seer 9", flipped, repeat=1, rejudging=again)
    found = audit_figures(sample)["stability"]
    assert [row["label"] for row in found] == ["Seer 9"]
    moved = sum(a != b for a, b in zip(points, flipped, strict=True))
    assert found[0]["pairs"] == 12 and found[0]["flips"][0] == pytest.approx(moved / 12)
    assert audit_figures(sample)["judges"][0]["agreement"]["pairs"] == 0, "no grade yet"


def test_marks_in_the_other_order_are_counted_apart(sample, reviewer):
    points = judged(sample)
    make.grade(sample, reviewer, points)
    before = audit_figures(sample)
    run = sample.answers.first().prediction.run
    again = make.run(run.release, rejudges=run, origin="rejudge")
    lower = [max(0, score - 1) for score in points]
    for repeat in (0, 1):
        other_judge(sample, "Seer 9", lower, rubric_version="r1-swapped", repeat=repeat,
                    rejudging=again)  # fmt: skip
    other_judge(sample, "Oracle 9", lower, rubric_version="r1-swapped", rejudging=again)
    after = audit_figures(sample)
    found, never = sorted(after.pop("order"), key=lambda row: row["label"] != "Seer 9")
    assert before.pop("order") == [] and after == before
    assert (found["label"], found["rubric"], found["answers"]) == ("Seer 9", "r1", 12)
    moved = sum(a != b for a, b in zip(points, lower, strict=True))
    assert found["differ"][0] == pytest.approx(moved / 12)
    assert found["shift"]["value"] == pytest.approx((sum(lower) - sum(points)) / 12)
    assert found["flips"] is None and "Chance cannot be told" in found["why"]
    assert never["differ"] is None and "no answer in both orders" in never["why"]


def test_only_a_closed_sample_has_figures_and_judges_stand_by_the_newest(
    sample, reviewer, maintainer
):
    make.grade(sample, reviewer, judged(sample))
    with pytest.raises(ValueError, match="not closed"):
        audit_judges(sample)
    close_sample(sample=sample, by=maintainer)
    kept = audit_judges(sample)
    stands = JudgeStanding.objects.get()
    assert (stands.judge_label, stands.n, stands.kappa) == ("Seer 9", 12, 1.0)
    at = kept.computed_at
    assert audit_judges(sample).computed_at == at, "equal figures change nothing"
    newer = make.grading_sample(sample.release, [reviewer], by=maintainer)
    close_sample(sample=newer, by=maintainer)
    audit_judges(newer)
    assert JudgeStanding.objects.get().sample == newer
    keep_figures(sample=sample, figures=kept.figures | {"grades": 0})
    assert JudgeStanding.objects.get().sample == newer, "an older sample changes no standing"


@pytest.mark.parametrize("case", ["no grades", "judge always 2", "one source", "no verdict"])
def test_degenerate_input_gives_sentences(sample, reviewer, maintainer, case):
    if case != "no grades":
        make.grade(sample, reviewer, judged(sample))
    if case == "judge always 2":
        Judgement.objects.update(score=2, error_type="none")
    if case == "one source":
        video = sample.release.benchmark.videos.first()
        sample.release.benchmark.videos.update(source=video.source)
    if case == "no verdict":
        Judgement.objects.update(score=None, failed=True)
    found = audit_figures(sample)
    json.dumps(found, allow_nan=False)
    if case == "no verdict":
        assert found["judges"] == []
    else:
        assert found["judges"][0]["agreement"]["why"].endswith(".")
