"""What clinicians and judges gave to the answers of a sample, and judges to answers twice."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.domain.judge_agreement import Graded
from evaluation.domain.judge_order import Marks
from evaluation.domain.rubric import in_other_order, is_swapped
from evaluation.models import Grade, GradingSample, Judgement, SampledAnswer
from evaluation.queries.grading_candidates import model_name

MOST_REPEATS = 500_000  # marks looked at for the stability of judges


@dataclass(frozen=True, order=True)
class Judge:
    """A judge as its verdicts name it."""

    label: str
    rubric: str


Verdicts = dict[Hashable, int]


def graded_answers(sample: GradingSample) -> list[Graded]:
    """Return the answers of `sample` in their order, each with the grades that stand; graders
    by id. Two queries."""
    grades: dict[int, dict[Hashable, int]] = defaultdict(dict)
    stand = Grade.objects.filter(
        answer__sample=sample, replaced_at=None, undone_at=None, score__isnull=False
    )
    for answer, grader, score in stand.values_list("answer_id", "grader_id", "score"):
        if score is not None:
            grades[answer][grader] = score
    rows = SampledAnswer.objects.filter(sample=sample).select_related(
        "prediction__run__contestant", "prediction__item_version__item__video"
    )
    return [
        Graded(
            answer=row.prediction_id,
            model=model_name(row.prediction.run),
            cluster=row.prediction.item_version.item.video.source_id,
            weight=row.weight,
            grades=grades.get(row.pk, {}),
            length=len(row.prediction.answer_text),
        )
        for row in rows
    ]


def verdicts_on(sample: GradingSample) -> dict[Judge, Verdicts]:
    """Return each judge's first verdict on the answers of `sample`, by the fields in their usual
    order. One query."""
    answers = SampledAnswer.objects.filter(sample=sample).values("prediction")
    rows = (
        Judgement.objects.in_usual_order()
        .filter(prediction__in=answers, failed=False, score__isnull=False)
        .order_by("repeat", "pk")
        .values_list("judge_label", "rubric_version", "prediction_id", "score")
    )
    found: dict[Judge, Verdicts] = defaultdict(dict)
    for label, rubric, prediction, score in rows:
        if score is not None:
            found[Judge(label, rubric)].setdefault(prediction, score)
    return dict(sorted(found.items()))


def repeated_marks(release_id: int) -> dict[Judge, Marks]:
    """Return the marks of judges that marked an answer of the release more than once, all by the
    fields in their usual order. One query."""
    usual = Judgement.objects.in_usual_order()
    again = usual.filter(prediction__run__release=release_id, repeat__gt=0, rejudging__isnull=False)
    return _marks(usual, again)


def marks_by_order(release_id: int) -> dict[Judge, tuple[Marks, Marks]]:
    """Return the marks of judges that were given the fields in the other order: those in the
    usual order on the same answers, those in the other. One query."""
    swapped = Judgement.objects.in_other_order().filter(prediction__run__release=release_id)
    found = _marks(Judgement.objects.all(), swapped)
    usual = {
        judge: Judge(judge.label, in_other_order(judge.rubric))
        for judge in found
        if is_swapped(judge.rubric)
    }
    return {one: (found.get(one, []), found[judge]) for judge, one in usual.items()}


def _marks(looked_at: QuerySet[Judgement], on: QuerySet[Judgement]) -> dict[Judge, Marks]:
    """Return the marks among `looked_at` on the answers of `on` by judge, the marks of one answer
    in their order."""
    rows = (
        looked_at.filter(prediction__in=on.values("prediction"), failed=False, score__isnull=False)
        .order_by("prediction", "repeat", "pk")
        .values_list(
            "judge_label",
            "rubric_version",
            "prediction_id",
            "prediction__item_version__item__video__source",
            "score",
        )[:MOST_REPEATS]
    )
    found: dict[Judge, Marks] = defaultdict(list)
    for label, rubric, prediction, source, score in rows:
        if score is not None:
            found[Judge(label, rubric)].append((prediction, source, score))
    return dict(sorted(found.items()))
