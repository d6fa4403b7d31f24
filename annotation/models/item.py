"""Items and the versions of what a model is asked."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from annotation.models.benchmark import Benchmark, Video


class Kind(models.TextChoices):
    MCQ = "mcq", "MCQ"
    FREE = "free", "Free response"


class ItemState(models.TextChoices):
    TODO = "todo", "To do"
    KEPT = "kept", "Kept"
    DROPPED = "dropped", "Dropped"
    UNSURE = "unsure", "Unsure"
    DISAGREEMENT = "disagreement", "Disagreement"


class KeepSource(models.TextChoices):
    NONE = "", "Not settled"
    IMPORT = "import", "Import"
    VOTES = "votes", "Votes"
    ADJUDICATOR = "adjudicator", "Adjudicator"


class Item(models.Model):
    """One QA record of a video. What a model is asked stands in its current version.

    `key` is kind/video name/index and survives edits; `position` orders the items of a
    benchmark in lists. `state`, `keep` and `keep_source` are written by `annotation.actions` only.
    `question_type`, `start`, `end`, `text` and `votes_since` repeat the current version for slim
    lists, `video_position` the place of the video: lists run by it, then by `start`.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="items")
    video = models.ForeignKey(Video, models.CASCADE, related_name="items")
    kind = models.CharField(max_length=4, choices=Kind.choices)
    index = models.PositiveIntegerField(help_text="Place in the published file, from 0.")
    key = models.CharField(max_length=300)
    position = models.PositiveIntegerField(help_text="Order in lists, from 0.")
    ordinal = models.PositiveIntegerField(
        help_text="Order of arrival among items of its kind, from 0; balances key places."
    )
    video_position = models.PositiveIntegerField(help_text="Place of the video among videos.")
    current = models.ForeignKey(
        "ItemVersion", models.PROTECT, related_name="+", null=True, blank=True
    )
    votes_since = models.PositiveIntegerField(
        default=1, help_text="Number of the oldest version whose votes count."
    )
    question_type = models.CharField(max_length=64, blank=True)
    start = models.FloatField(default=0)
    end = models.FloatField(default=0)
    text = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=16, choices=ItemState.choices, default=ItemState.TODO)
    keep = models.BooleanField(null=True, blank=True)
    keep_source = models.CharField(
        max_length=16, choices=KeepSource.choices, default=KeepSource.NONE, blank=True
    )
    held_out = models.BooleanField(
        default=False, help_text="Scored, never shown to the public, singly or in a file."
    )
    is_example = models.BooleanField(
        default=False, help_text="Shown to the public with its key and what models replied."
    )
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "key"], name="item_unique_key"),
            models.CheckConstraint(
                condition=Q(held_out=False) | Q(is_example=False),
                name="item_held_out_is_no_example",
            ),
            models.UniqueConstraint(
                fields=["video", "kind", "index"], name="item_unique_place_in_file"
            ),
            models.CheckConstraint(
                condition=(Q(keep__isnull=True) & Q(keep_source=""))
                | (Q(keep__isnull=False) & ~Q(keep_source="")),
                name="item_keep_has_a_source",
            ),
        ]
        # Lists are found by these; the words of `text` by an index of PostgreSQL alone, see
        # annotation.queries.text_search.
        indexes = [
            models.Index(fields=["benchmark", "position"], name="item_by_position"),
            models.Index(
                fields=["benchmark", "video_position", "start", "position"], name="item_in_list"
            ),
            models.Index(
                fields=["benchmark"], condition=Q(votes_since__gt=1), name="item_with_old_votes"
            ),
            models.Index(fields=["benchmark", "state", "position"], name="item_by_state"),
            models.Index(fields=["benchmark", "keep_source"], name="item_by_keep_source"),
            models.Index(fields=["benchmark", "question_type"], name="item_by_type"),
            models.Index(
                fields=["benchmark", "position"],
                condition=Q(held_out=True),
                name="item_held_out",
            ),
            models.Index(
                fields=["benchmark", "position"],
                condition=Q(is_example=True),
                name="item_shown_as_example",
            ),
            models.Index("benchmark", F("end") - F("start"), name="item_by_length"),
        ]

    def __str__(self) -> str:
        return self.key

    def save(self, *args: Any, **more: Any) -> None:
        if self.video_position is None:
            self.video_position = self.video.position
        super().save(*args, **more)


class ItemVersion(models.Model):
    """What a model is asked, frozen: text, options and their shown order, key, window,
    and the segment and ROI of its video. Rows are never changed after they are written.

    `options` stand in the published order and have no letters; `shown_order[i]` is the
    index in `options` of the option shown at place i. `start` and `end` are seconds from
    the start of the video, `video_start` and `video_end` seconds of the source, the ROI
    fractions of the full frame. `text_digest` covers what a blind model sees and is scored
    by, `clip_digest` the pixels, `digest` both with ground truth and accepted variants (sha256,
    hex): a judgement of a free response rests on the variants, the response itself does not.
    `votes_since` is the number of the oldest version whose votes still count: its own, or an
    older one after cosmetic edits.
    """

    item = models.ForeignKey(Item, models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    votes_since = models.PositiveIntegerField(default=1)
    stem = models.TextField()
    options = models.JSONField(default=list, blank=True)
    shown_order = models.JSONField(default=list, blank=True)
    key_index = models.PositiveSmallIntegerField(null=True, blank=True)
    reference_answer = models.TextField(blank=True)
    accepted_variants = models.JSONField(
        default=list, blank=True, help_text="Answers as good as the reference answer."
    )
    ground_truth = models.TextField(blank=True)
    question_type = models.CharField(max_length=64, blank=True)
    start = models.FloatField()
    end = models.FloatField()
    video_start = models.FloatField()
    video_end = models.FloatField()
    roi_x = models.FloatField()
    roi_y = models.FloatField()
    roi_w = models.FloatField()
    roi_h = models.FloatField()
    roi_is_override = models.BooleanField(default=False)
    text_digest = models.CharField(max_length=64)
    clip_digest = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["item_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="item_version_unique_number"),
            models.CheckConstraint(
                condition=Q(start__gte=0) & Q(end__gt=F("start")),
                name="item_version_ends_after_start",
            ),
            models.CheckConstraint(
                condition=Q(votes_since__gte=1) & Q(votes_since__lte=F("number")),
                name="item_version_votes_since_a_version_until_now",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} v{self.number}"
