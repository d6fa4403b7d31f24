"""What models made of each item of a release, measured by a worker: for those who mend items."""

from django.db import models

from annotation.models import Item, ItemVersion, Release
from evaluation.domain.item_statistics import FEWEST_FOR_DISCRIMINATION


class StatisticsState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class StatisticsReport(models.Model):
    """The newest measurement of a release: which models it rests on, `key` of their entries."""

    release = models.OneToOneField(Release, models.CASCADE, related_name="statistics_report")
    state = models.CharField(
        max_length=8, choices=StatisticsState.choices, default=StatisticsState.WAITING
    )
    asked_at = models.DateTimeField()
    measured_at = models.DateTimeField(null=True, blank=True)
    seen = models.JSONField(default=list, blank=True, help_text="Models that saw the video.")
    blind = models.JSONField(default=list, blank=True, help_text="Models that saw text alone.")
    error = models.CharField(max_length=300, blank=True)


class ItemStatistic(models.Model):
    """One kept item over models. Shares are 0 to 1; see `evaluation.domain.item_statistics`.

    `rival` is the index, in the published order of options, of the wrong option that most
    models chose.
    """

    release = models.ForeignKey(Release, models.CASCADE, related_name="item_statistics")
    item = models.ForeignKey(Item, models.CASCADE, related_name="statistics")
    item_version = models.ForeignKey(ItemVersion, models.CASCADE, related_name="+")
    models_scored = models.PositiveIntegerField(default=0)
    difficulty = models.FloatField(null=True, blank=True, help_text="Mean score; low is hard.")
    discrimination = models.FloatField(null=True, blank=True)
    agreement = models.FloatField(null=True, blank=True)
    rival = models.PositiveSmallIntegerField(null=True, blank=True)
    rival_models = models.PositiveIntegerField(default=0)
    rival_share = models.FloatField(null=True, blank=True)
    rival_p = models.FloatField(null=True, blank=True)
    blind_replies = models.PositiveIntegerField(default=0)
    blind_share = models.FloatField(null=True, blank=True)
    blind_p = models.FloatField(null=True, blank=True)
    chance = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "item"], name="item_statistic_unique"),
        ]
        indexes = [
            models.Index(fields=["release", "blind_share"], name="item_statistic_blind"),
            models.Index(fields=["release", "rival_share"], name="item_statistic_rival"),
            models.Index(fields=["release", "difficulty"], name="item_statistic_difficulty"),
        ]

    @property
    def why_no_discrimination(self) -> str:
        """Say why there is no discrimination, in words that fit a cell."""
        if self.models_scored < FEWEST_FOR_DISCRIMINATION:
            return f"needs {FEWEST_FOR_DISCRIMINATION} models"
        return "all models alike"

    @property
    def other_option(self) -> str:
        """Return the text of the rival option, empty where there is none."""
        return "" if self.rival is None else str(self.item_version.options[self.rival])


class LookAgainRule(models.Model):
    """When items of a benchmark are proposed for another look: set by a maintainer.

    Nothing is ever dropped by it.
    """

    benchmark = models.OneToOneField(
        "annotation.Benchmark", models.CASCADE, related_name="look_again_rule"
    )
    blind_replies = models.PositiveSmallIntegerField(default=3)
    blind_share = models.FloatField(default=0.8)
    fewest_models = models.PositiveSmallIntegerField(default=3)
    rival_share = models.FloatField(default=0.6)
