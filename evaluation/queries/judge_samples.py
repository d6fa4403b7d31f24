"""Samples of a benchmark for its pages: which stand, how far they are, where judge and
clinicians part."""

from dataclasses import dataclass

from django.db.models import Avg, Q

from annotation.models import Benchmark
from evaluation.domain.judge_calibration import LEAST_ANSWERS, LEAST_KAPPA
from evaluation.models import GradingSample, Judgement, JudgeRule, SampledAnswer
from evaluation.models.grading import SampleState
from evaluation.queries.grading_candidates import model_name
from evaluation.queries.grading_room import Desk, progress_by_grader

SHOWN = 20
APART = 1.0  # points between judge and clinicians from which on an answer is told
MOST_SAMPLES = 50


@dataclass(frozen=True)
class SampleLine:
    """One sample with how far each grader is; of a closed one none is asked for."""

    sample: GradingSample
    desks: list[tuple[str, Desk]]

    @property
    def done(self) -> int:
        return sum(desk.done for _, desk in self.desks)

    @property
    def total(self) -> int:
        return sum(desk.total for _, desk in self.desks)


@dataclass(frozen=True)
class Apart:
    """An answer on which a judge and the clinicians lie apart, for those who may see runs."""

    model: str
    stem: str
    reference: str
    answer: str
    item_id: int
    judge: str
    judged: int
    explanation: str
    grades: float


def rule_of(benchmark: Benchmark) -> tuple[float, int]:
    """Return the least kappa and the least number of answers that a badge takes. One query."""
    rule = JudgeRule.objects.filter(benchmark=benchmark).first()
    return (rule.least_kappa, rule.least_answers) if rule else (LEAST_KAPPA, LEAST_ANSWERS)


def closed_samples(benchmark: Benchmark) -> list[GradingSample]:
    """Return the closed samples of a benchmark, newest first, with their releases. One query."""
    closed = GradingSample.objects.filter(benchmark=benchmark, state=SampleState.CLOSED)
    return list(closed.select_related("release").order_by("-closed_at", "-pk")[:MOST_SAMPLES])


def sample_lines(benchmark: Benchmark) -> list[SampleLine]:
    """Return the samples of a benchmark, newest first; a few queries for each open one."""
    samples = GradingSample.objects.filter(benchmark=benchmark).select_related("release")
    return [
        SampleLine(
            sample,
            [(seat.grader.get_username(), found) for seat, found in progress_by_grader(sample)],
        )
        for sample in samples[:MOST_SAMPLES]
    ]


def apart(sample: GradingSample) -> list[Apart]:
    """Return the answers of a closed sample on which a judge and the clinicians lie furthest
    apart. Three queries."""
    stand = Q(grades__replaced_at=None, grades__undone_at=None, grades__score__isnull=False)
    graded = (
        SampledAnswer.objects.filter(sample=sample)
        .annotate(mean=Avg("grades__score", filter=stand))
        .filter(mean__isnull=False)
        .values_list("prediction", "mean")
    )
    means = dict(graded)
    rows = list(
        Judgement.objects.in_usual_order()
        .filter(prediction__in=means, failed=False, repeat=0, score__isnull=False)
        .select_related(
            "prediction__run__contestant", "prediction__item_version", "prediction__run"
        )
        .order_by("pk")
    )
    found = sorted(
        ((abs((row.score or 0) - means[row.prediction_id]), -row.pk, row) for row in rows),
        key=lambda one: (-one[0], one[1]),
    )
    return [_apart(row, means[row.prediction_id]) for gap, _, row in found[:SHOWN] if gap >= APART]


def _apart(row: Judgement, mean: float) -> Apart:
    version = row.prediction.item_version
    return Apart(
        model=model_name(row.prediction.run),
        stem=version.stem,
        reference=version.reference_answer,
        answer=row.prediction.answer_text,
        item_id=version.item_id,
        judge=row.judge_label,
        judged=row.score or 0,
        explanation=row.explanation,
        grades=mean,
    )
