"""Clinicians' grades of free responses, and what they say about judges."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Benchmark, Release
from evaluation.domain.judge_calibration import LEAST_ANSWERS, LEAST_KAPPA
from evaluation.domain.judge_panel import PANEL_NAME_LENGTH, PANEL_RUBRIC_LENGTH
from evaluation.models.prediction import Prediction


class SampleState(models.TextChoices):
    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class GradingSample(models.Model):
    """Free responses of one release, drawn for clinicians to grade; see
    `evaluation.domain.grading_sample`.

    `strata` holds {model, score, population, drawn} in the order that answers refer to. Until
    it is closed nobody who grades is told whose answers these are or what a judge gave them.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="grading_samples")
    release = models.ForeignKey(Release, models.PROTECT, related_name="grading_samples")
    name = models.CharField(max_length=120)
    instructions = models.TextField(blank=True)
    rubric_version = models.CharField(max_length=32)
    seed = models.PositiveIntegerField()
    size = models.PositiveIntegerField(default=0)
    grades_wanted = models.PositiveSmallIntegerField(default=2)
    strata = models.JSONField(default=list)
    state = models.CharField(max_length=6, choices=SampleState.choices, default=SampleState.DRAFT)
    figures = models.JSONField(default=dict, blank=True)
    computed_at = models.DateTimeField(null=True, blank=True)
    stamp = models.CharField(max_length=64, blank=True)  # the rejudgings that `figures` count
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name


class GradingSeat(models.Model):
    """One clinician who grades a sample. Seats are given before it opens: `ordinal` decides
    which answers are theirs and in which order they meet them."""

    sample = models.ForeignKey(GradingSample, models.CASCADE, related_name="seats")
    grader = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="grading_seats"
    )
    ordinal = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "grader"], name="grading_seat_once"),
            models.UniqueConstraint(fields=["sample", "ordinal"], name="grading_seat_ordinal"),
        ]


class SampledAnswer(models.Model):
    """An answer of a sample; it stands for `weight` answers of its stratum."""

    sample = models.ForeignKey(GradingSample, models.CASCADE, related_name="answers")
    prediction = models.ForeignKey(Prediction, models.CASCADE, related_name="+")
    stratum = models.PositiveSmallIntegerField()
    weight = models.FloatField()
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "prediction"], name="sampled_answer_once"),
            models.UniqueConstraint(fields=["sample", "position"], name="sampled_answer_place"),
        ]


class Grade(models.Model):
    """What one clinician gave one answer: points and error type, or that they passed it over
    (`skipped`, without points).

    Its id is made by the client, so that sending it twice stores it once. A changed mind is a
    later grade: the earlier one stays, with `replaced_at`. `undone_at` marks one taken back.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    answer = models.ForeignKey(SampledAnswer, models.CASCADE, related_name="grades")
    grader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="grades")
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    error_type = models.CharField(max_length=32, blank=True)
    skipped = models.BooleanField(default=False)
    active_seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    replaced_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(skipped=True, score__isnull=True) | Q(skipped=False, score__lte=2),
                name="grade_has_points_or_is_skipped",
            ),
            models.CheckConstraint(
                condition=Q(active_seconds__gte=0), name="grade_active_seconds_not_negative"
            ),
            models.UniqueConstraint(
                fields=["answer", "grader"],
                condition=Q(replaced_at__isnull=True, undone_at__isnull=True),
                name="grade_one_stands",
            ),
        ]
        indexes = [models.Index(fields=["grader", "-created_at"], name="grade_latest")]


class JudgeRule(models.Model):
    """From which kappa and how many graded answers on a judge counts as calibrated: set by a
    maintainer for a benchmark."""

    benchmark = models.OneToOneField(Benchmark, models.CASCADE, related_name="judge_rule")
    least_kappa = models.FloatField(default=LEAST_KAPPA)
    least_answers = models.PositiveIntegerField(default=LEAST_ANSWERS)


class JudgeStanding(models.Model):
    """How far one judge, or a panel, agrees with clinicians, by the newest closed sample of a
    benchmark.

    `kappa`, `low` and `high` are quadratic kappa weighted to all answers, with its interval;
    None where there is none.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="judge_standings")
    sample = models.ForeignKey(GradingSample, models.CASCADE, related_name="standings")
    judge_label = models.CharField(max_length=PANEL_NAME_LENGTH)
    rubric_version = models.CharField(max_length=PANEL_RUBRIC_LENGTH)
    kappa = models.FloatField(null=True, blank=True)
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    n = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "judge_label", "rubric_version"], name="judge_standing_once"
            ),
        ]
