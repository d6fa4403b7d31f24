"""What clinicians and judges gave to the answers of a sample, and judges to answers twice."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass

from evaluation.domain.judge_agreement import Graded
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
    """Return each judge's first verdict on the answers of `sample`. One query."""
    answers = SampledAnswer.objects.filter(sample=sample).values("prediction")
    rows = (
        Judgement.objects.filter(prediction__in=answers, failed=False, score__isnull=False)
        .order_by("repeat", "pk")
        .values_list("judge_label", "rubric_version", "prediction_id", "score")
    )
    found: dict[Judge, Verdicts] = defaultdict(dict)
    for label, rubric, prediction, score in rows:
        if score is not None:
            found[Judge(label, rubric)].setdefault(prediction, score)
    return dict(sorted(found.items()))


def repeated_marks(release_id: int) -> dict[Judge, list[tuple[Hashable, Hashable, int]]]:
    """Return (answer, source, points) of judges that marked an answer of the release more than
    once, the marks of one answer in their order. One query."""
    again = Judgement.objects.filter(
        prediction__run__release=release_id, repeat__gt=0, rejudging__isnull=False
    )
    rows = (
        Judgement.objects.filter(
            prediction__in=again.values("prediction"), failed=False, score__isnull=False
        )
        .order_by("prediction", "repeat", "pk")
        .values_list(
            "judge_label",
            "rubric_version",
            "prediction_id",
            "prediction__item_version__item__video__source",
            "score",
        )[:MOST_REPEATS]
    )
    found: dict[Judge, list[tuple[Hashable, Hashable, int]]] = defaultdict(list)
    for label, rubric, prediction, source, score in rows:
        if score is not None:
            found[Judge(label, rubric)].append((prediction, source, score))
    return dict(sorted(found.items()))
