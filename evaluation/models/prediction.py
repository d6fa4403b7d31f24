"""Predictions (what a model replied) and judgements (what a judge made of it)."""

from django.db import models
from django.db.models import Q

from annotation.models import ItemVersion
from evaluation.domain.rubric import SWAPPED
from evaluation.models.contestant import Contestant
from evaluation.models.run import Run


class Outcome(models.TextChoices):
    """What became of a prediction. Failures are not answers and have no score."""

    PENDING = "pending", "Stored, not read yet"
    ANSWERED = "answered", "Answered"
    ABSTAINED = "abstained", "No answer in the reply"
    REFUSED = "refused", "Refused"
    FAILED = "failed", "Call failed"


class Prediction(models.Model):
    """The reply to one item in one run: raw text, stored before it is read, and the answer.

    `chosen` is an index into the version's `options` (published order). `shown_order` is
    set where the run showed another order than the version's own. `score` is 0 or 1 for an
    MCQ; for a free response it stands in the judgement. Latency is in seconds. `taken_from` is
    the prediction of an earlier run that this one repeats without a call.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="predictions")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="predictions")
    repeat = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.PENDING)
    raw_reply = models.TextField(blank=True)
    answer_text = models.TextField(blank=True)
    chosen = models.PositiveSmallIntegerField(null=True, blank=True)
    shown_order = models.JSONField(null=True, blank=True)
    score = models.FloatField(null=True, blank=True)
    error_class = models.CharField(max_length=24, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    latency = models.FloatField(null=True, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    model_version = models.CharField(max_length=200, blank=True)
    taken_from = models.ForeignKey(
        "self", models.SET_NULL, related_name="+", null=True, blank=True, editable=False
    )
    clip_sha256 = models.CharField(max_length=64, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item_version", "repeat"], name="prediction_unique"
            ),
            models.CheckConstraint(
                condition=~Q(outcome="failed") | Q(score__isnull=True),
                name="prediction_failure_has_no_score",
            ),
        ]


class Verdicts(models.QuerySet["Judgement"]):
    """Judgements, told apart by the run that paid for them."""

    def own(self) -> "Verdicts":
        """Return those that the prediction's own run asked for: the figures rest on them."""
        return self.filter(rejudging__isnull=True)

    def by(self, run: Run) -> "Verdicts":
        """Return those that `run` asked for, be it of its own predictions or of another run's."""
        if run.rejudges_id:
            return self.filter(rejudging=run)
        return self.own().filter(prediction__run=run)

    def in_usual_order(self) -> "Verdicts":
        """Return those for which the judge read the reference before the answer. The others tell
        how far the order sways a judge; they are neither repeats nor a panel's."""
        return self.exclude(rubric_version__endswith=SWAPPED)

    def in_other_order(self) -> "Verdicts":
        """Return those for which the judge read the answer before the reference."""
        return self.filter(rubric_version__endswith=SWAPPED)


class Judgement(models.Model):
    """One judge's verdict on one free-response prediction: 0, 1 or 2 and an error type.

    A judge that failed leaves `score` empty and `failed` set; that is never a 0. `rejudging`
    is the run by which a stored prediction was marked once more; such verdicts stand beside
    those of the prediction's own run and never in their place.
    """

    prediction = models.ForeignKey(Prediction, models.CASCADE, related_name="judgements")
    judge = models.ForeignKey(Contestant, models.PROTECT, related_name="+", null=True, blank=True)
    judge_label = models.CharField(max_length=120)
    judge_version = models.CharField(max_length=200, blank=True)
    rubric_version = models.CharField(max_length=32)
    repeat = models.PositiveSmallIntegerField(default=0)
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    error_type = models.CharField(max_length=32, blank=True)
    explanation = models.TextField(blank=True)
    raw_reply = models.TextField(blank=True)
    failed = models.BooleanField(default=False)
    rejudging = models.ForeignKey(
        Run, models.CASCADE, related_name="verdicts", null=True, blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Verdicts.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["prediction", "judge_label", "judge_version", "rubric_version", "repeat"],
                name="judgement_unique",
            ),
            models.CheckConstraint(
                condition=Q(score__isnull=True) | Q(score__lte=2), name="judgement_score_0_to_2"
            ),
            models.CheckConstraint(
                condition=Q(failed=False) | Q(score__isnull=True),
                name="judgement_failure_has_no_score",
            ),
        ]
