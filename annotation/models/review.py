"""Reviews: one clinician's verdict on one version of one item."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.benchmark import Benchmark
from annotation.models.item import Item, ItemVersion


class Verdict(models.TextChoices):
    KEEP = "keep", "Keep"
    DROP = "drop", "Drop"
    UNSURE = "unsure", "Unsure"
    SKIP = "skip", "Skip"


class DropReason(models.IntegerChoices):
    """The digit that gives the reason is its value."""

    NO_VIDEO_NEEDED = 1, "Answerable without video"
    WRONG_KEY = 2, "Wrong answer"
    AMBIGUOUS = 3, "Ambiguous"
    NOT_IN_ROI = 4, "Not visible in ROI"
    WRONG_WINDOW = 5, "Wrong time window"
    NEEDS_NARRATION = 6, "Needs narration or on-screen text"
    DUPLICATE = 7, "Duplicate"
    DISPUTED = 8, "Clinically disputed"
    VIDEO_UNAVAILABLE = 9, "Video unavailable"


class SkipReason(models.TextChoices):
    LATER = "later", "Later, I want to think about it"
    FIELD = "field", "Not my field"
    VIDEO = "video", "The video does not play"
    QUESTION = "question", "I have to ask somebody"
    OTHER = "other", "Another reason"


class Purpose(models.TextChoices):
    """What a vote is for; only a vote of the first kind says anything about the item."""

    VOTE = "vote", "Vote"
    REPEAT = "repeat", "Second look, for the agreement of a reader with themself"
    TRAINING = "training", "Training"


class Review(models.Model):
    """A vote. Its id is made by the client, so that sending it twice stores it once.

    A later vote of the same reader on the same version stands above an earlier one and
    keeps it; `undone_at` marks a vote that the reader took back. `benchmark` repeats the item's
    and `version_number` the version's: a reader's thousands of votes are told without reading
    as many items.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    item = models.ForeignKey(Item, models.CASCADE, related_name="reviews")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="reviews")
    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="reviews", db_index=False)
    version_number = models.PositiveIntegerField()
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="reviews")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    reasons = models.JSONField(default=list, blank=True, help_text="DropReason values.")
    comment = models.TextField(blank=True, max_length=4000)
    purpose = models.CharField(max_length=8, choices=Purpose.choices, default=Purpose.VOTE)
    skip_reason = models.CharField(max_length=12, choices=SkipReason.choices, blank=True)
    active_seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(active_seconds__gte=0), name="review_active_seconds_not_negative"
            )
        ]
        indexes = [
            models.Index(fields=["reviewer", "item"], name="review_by_reader"),
            models.Index(fields=["reviewer", "-created_at"], name="review_latest"),
            models.Index(fields=["benchmark", "reviewer", "item"], name="review_in_benchmark"),
            models.Index(fields=["item", "created_at"], name="review_by_item"),
            models.Index(
                fields=["item"],
                condition=Q(verdict="drop", undone_at__isnull=True),
                name="review_drops",
            ),
        ]

    def save(self, *args: Any, **more: Any) -> None:
        if self.benchmark_id is None:
            self.benchmark_id = self.item.benchmark_id
        if self.version_number is None:
            self.version_number = self.item_version.number
        super().save(*args, **more)
