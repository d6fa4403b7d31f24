"""Samples are drawn, opened, closed; grades are stored once, changed, taken back."""

import uuid

import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.conflicts import IdTaken
from annotation.models import Revision
from evaluation.actions.grades import BadGrade, GradingClosed, give_grade, undo_grade
from evaluation.actions.grading_samples import (
    BadSample,
    close_sample,
    discard_sample,
    make_sample,
    open_sample,
    set_judge_rule,
)
from evaluation.models import Grade, GradingSample, Run, SampledAnswer
from evaluation.queries.grading_candidates import offered_runs
from evaluation.queries.grading_room import desk, is_given
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
FIRST = {"score": 0, "error_type": "both_fail"}


@pytest.fixture
def release(db):
    return make.judged_release()


@pytest.fixture
def sample(release, reviewer, reviewer_2, maintainer):
    return make.grading_sample(release, [reviewer, reviewer_2], by=maintainer)


def test_a_sample_is_drawn_from_judged_free_answers_with_weights(release, sample, maintainer):
    assert [offer.answers for offer in offered_runs(release)] == [6, 6]
    assert sample.size == 12 and len(sample.strata) == 6
    answers = SampledAnswer.objects.filter(sample=sample)
    assert {row.prediction.item_version.key_index for row in answers} == {None}
    small = make.grading_sample(release, [maintainer], by=maintainer, size=6, state="draft")
    assert sum(row.weight for row in small.answers.all()) == pytest.approx(12)
    again = make.grading_sample(release, [maintainer], by=maintainer, size=6, state="draft")
    drawn = [list(one.answers.values_list("prediction", "position")) for one in (small, again)]
    assert drawn[0] == drawn[1]
    assert Revision.objects.filter(verb="make_grading_sample", target_id=small.pk).exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 0}, "1 to 2000"),
        ({"size": 5}, "strata"),
        ({"name": " "}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"seed": -1}, "seed"),
        ({"grades_wanted": 3}, "1 to 2 grades per answer"),
        ({"graders": []}, "graders"),
        ({"runs": []}, "at least one run"),
        ({"instructions": "x" * 4001}, "Instructions"),
    ],
)
def test_a_sample_that_does_not_fit_is_refused(release, reviewer, maintainer, change, message):
    fits = {
        "name": "S", "runs": list(Run.objects.all()), "graders": [reviewer, maintainer],
        "size": 12, "grades_wanted": 2, "seed": 1,
    }  # fmt: skip
    with pytest.raises(BadSample, match=message):
        make_sample(release=release, by=maintainer, **fits | change)
    assert not GradingSample.objects.exists()


def test_who_may_and_when(release, sample, reviewer, outsider, maintainer):
    with pytest.raises(PermissionDenied):
        make.grading_sample(release, [reviewer], by=reviewer)
    with pytest.raises(BadSample, match="reviewers"):
        make.grading_sample(release, [outsider], by=maintainer)
    with pytest.raises(BadSample, match="open"):
        open_sample(sample=sample, by=maintainer)
    with pytest.raises(BadSample, match="Only a draft"):
        discard_sample(sample=sample, by=maintainer)
    with pytest.raises(PermissionDenied):
        close_sample(sample=sample, by=reviewer)
    draft = make.grading_sample(release, [reviewer], by=maintainer, state="draft")
    discard_sample(sample=draft, by=maintainer)
    assert not GradingSample.objects.filter(pk=draft.pk).exists()


def test_a_grade_is_stored_once_and_a_changed_mind_keeps_the_first(sample, reviewer):
    answer = sample.answers.first()
    sent = {"grade_id": uuid.uuid4(), "answer_id": answer.pk, "by": reviewer}
    first = give_grade(**sent, **FIRST)
    assert give_grade(**sent, **FIRST) == first
    with pytest.raises(IdTaken):
        give_grade(**sent, score=1, error_type="wrong_conclusion")
    second = give_grade(
        grade_id=uuid.uuid4(), answer_id=answer.pk, score=2, error_type="none", by=reviewer
    )
    first.refresh_from_db()
    assert first.replaced_at and not second.replaced_at and Grade.objects.count() == 2
    undo_grade(grade_id=second.pk, by=reviewer)
    undo_grade(grade_id=second.pk, by=reviewer)
    first.refresh_from_db()
    assert first.replaced_at is None, "what it replaced stands again"
    undo_grade(grade_id=first.pk, by=reviewer)
    assert not Grade.objects.filter(undone_at=None).exists() and Grade.objects.count() == 2
    trail = Revision.objects.filter(target_kind="grade", target_id=answer.pk)
    assert sorted(trail.values_list("verb", flat=True)) == ["give_grade"] * 2 + ["undo_grade"] * 2
    assert "both_fail" not in str(list(trail.values())), "trails are read by others"


@pytest.mark.parametrize(
    "bad",
    [
        {"score": 3, "error_type": "none"},
        {"score": -1, "error_type": "both_fail"},
        {"score": None, "error_type": "none"},
        {"score": 2, "error_type": "both_fail"},
        {"score": 0, "error_type": "none"},
        {"score": 1, "error_type": "rude"},
        {"score": 1, "error_type": "wrong_conclusion", "skipped": True},
        {**FIRST, "active_seconds": float("nan")},
        {**FIRST, "active_seconds": 1e12},
    ],
)
def test_a_grade_that_does_not_fit_is_refused(sample, reviewer, bad):
    with pytest.raises(BadGrade):
        give_grade(grade_id=uuid.uuid4(), answer_id=sample.answers.first().pk, by=reviewer, **bad)
    assert not Grade.objects.exists()


def test_only_graders_of_an_open_sample_grade(sample, release, reviewer, adjudicator, maintainer):
    answer = sample.answers.first().pk
    with pytest.raises(SampledAnswer.DoesNotExist):
        give_grade(grade_id=uuid.uuid4(), answer_id=answer, by=adjudicator, **FIRST)
    given = give_grade(grade_id=uuid.uuid4(), answer_id=answer, by=reviewer, **FIRST)
    with pytest.raises(Grade.DoesNotExist):
        undo_grade(grade_id=given.pk, by=maintainer)
    close_sample(sample=sample, by=maintainer)
    with pytest.raises(GradingClosed):
        give_grade(grade_id=uuid.uuid4(), answer_id=answer, by=reviewer, **FIRST)
    with pytest.raises(GradingClosed):
        undo_grade(grade_id=given.pk, by=reviewer)


def test_each_answer_goes_to_as_many_graders_as_wanted(release, maintainer):
    graders = [factories.account() for _ in range(4)]
    sample = make.grading_sample(release, graders, by=maintainer, grades_wanted=2)
    given = [
        sum(is_given(sample, position, ordinal, 4) for ordinal in range(4))
        for position in range(sample.size)
    ]
    assert given == [2] * 12
    desks = [desk(seat) for seat in sample.seats.all()]
    assert [one.total for one in desks] == [6, 6, 6, 6]
    not_theirs = sample.answers.get(position=2)  # seats 2 and 3
    with pytest.raises(SampledAnswer.DoesNotExist):
        give_grade(grade_id=uuid.uuid4(), answer_id=not_theirs.pk, by=graders[0], **FIRST)


def test_the_desk_goes_on_round_its_end_and_tells_what_is_left(sample, reviewer):
    seat = sample.seats.get(grader=reviewer)
    order = [place.answer_id for place in desk(seat).places]
    assert order != sorted(order) and desk(seat).left is None
    give_grade(grade_id=uuid.uuid4(), answer_id=order[0], skipped=True, by=reviewer)
    for answer in order[1:4]:
        give_grade(
            grade_id=uuid.uuid4(), answer_id=answer, by=reviewer, active_seconds=30.0, **FIRST
        )
    now = desk(seat)
    assert (now.done, now.skipped, now.open, now.left) == (3, 1, 8, 9 * 30.0)
    assert now.next() == order[4] and now.next(after=order[-1]) == order[4]
    assert now.next(after=order[4]) == order[5], "its grade may still be on its way"
    assert now.next(skipped=True) == order[0]
    assert now.beside(order[0], 1) == order[1] and now.beside(order[0], -1) is None


def test_the_rule_of_a_benchmark_has_bounds(release, maintainer, reviewer):
    bench = release.benchmark
    rule = set_judge_rule(benchmark=bench, least_kappa=0.7, least_answers=150, by=maintainer)
    assert (rule.least_kappa, rule.least_answers) == (0.7, 150)
    for kappa, answers in ((float("nan"), 100), (1.1, 100), (-0.1, 100), (0.6, 9), (0.6, 10**7)):
        with pytest.raises(BadSample):
            set_judge_rule(benchmark=bench, least_kappa=kappa, least_answers=answers, by=maintainer)
    with pytest.raises(PermissionDenied):
        set_judge_rule(benchmark=bench, least_kappa=0.7, least_answers=150, by=reviewer)
