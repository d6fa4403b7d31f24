"""Review rounds: which items are looked at, by whom, in which order, and how many times."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.benchmark import Benchmark

MOST_VOTES = 3
MOST_REPEATED = 0.5


class RoundMode(models.TextChoices):
    JUDGE = "judge", "Judge: item and key are shown"
    ANSWER = "answer", "Answer first, then see the key"


class RoundOrder(models.TextChoices):
    SHUFFLED = "shuffled", "Shuffled, each reader differently"
    BY_VIDEO = "by_video", "Video by video"


class RoundState(models.TextChoices):
    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


def new_seed() -> int:
    """Return a seed of 31 bits."""
    return secrets.randbelow(2**31)


class Round(models.Model):
    """One pass of chosen readers over chosen items of a benchmark.

    `votes_wanted` readers look at each item. `repeat_share` of what a reader has voted on comes
    back to the same reader later. `size` and `training_size` count its items, so that no page
    counts a million rows; they are written where items are chosen.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="rounds")
    name = models.CharField(max_length=120)
    mode = models.CharField(max_length=6, choices=RoundMode.choices, default=RoundMode.JUDGE)
    votes_wanted = models.PositiveSmallIntegerField(default=1)
    order = models.CharField(max_length=8, choices=RoundOrder.choices, default=RoundOrder.SHUFFLED)
    seed = models.PositiveIntegerField(default=new_seed)
    repeat_share = models.FloatField(default=0.0)
    state = models.CharField(max_length=6, choices=RoundState.choices, default=RoundState.DRAFT)
    instructions = models.TextField(blank=True, max_length=4000)
    size = models.PositiveIntegerField(default=0)
    training_size = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="round_unique_name"),
            models.CheckConstraint(
                condition=Q(votes_wanted__gte=1) & Q(votes_wanted__lte=MOST_VOTES),
                name="round_votes_wanted_1_to_3",
            ),
            models.CheckConstraint(
                condition=Q(repeat_share__gte=0) & Q(repeat_share__lte=MOST_REPEATED),
                name="round_repeat_share_up_to_half",
            ),
        ]
        indexes = [models.Index(fields=["benchmark", "state"], name="round_by_state")]

    def __str__(self) -> str:
        return self.name
