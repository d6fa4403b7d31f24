"""A benchmark, the sources and videos it is made of, and their event logs."""

from django.db import models
from django.db.models import F, Q


class Benchmark(models.Model):
    """A named collection of videos and items."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    citation = models.TextField(blank=True, help_text="BibTeX, shown on the leaderboard.")
    attribution = models.CharField(max_length=300, blank=True)
    licence = models.CharField(
        max_length=200,
        blank=True,
        help_text="Of the items: an SPDX name or an address. The sources keep their own.",
    )
    votes_required = models.PositiveSmallIntegerField(default=1)
    order_seed = models.PositiveIntegerField(default=20260407)
    is_public = models.BooleanField(default=True)
    allow_player_outline = models.BooleanField(
        default=False, help_text="Outline of the ROI over the paused player; see docs/youtube.md."
    )
    guidelines = models.TextField(
        blank=True, help_text="How to judge its items, in Markdown; opens beside the item."
    )
    extra = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(votes_required__gte=1) & Q(votes_required__lte=3),
                name="benchmark_votes_required_1_to_3",
            )
        ]

    def __str__(self) -> str:
        return self.name


class SourceKind(models.TextChoices):
    YOUTUBE = "youtube", "YouTube"
    FILE = "file", "File"


class SourceState(models.TextChoices):
    OK = "ok", "Plays"
    UNKNOWN = "unknown", "Not tried"
    REMOVED = "removed", "Removed or private"
    EMBEDDING_OFF = "embedding_off", "Embedding turned off"
    BLOCKED = "blocked", "Blocked"


class Source(models.Model):
    """One upload on YouTube, or one file in our store. It is the statistical cluster.

    `key` is the 11-character YouTube id, or a path below `MEDIA_STORE/sources`.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="sources")
    kind = models.CharField(max_length=8, choices=SourceKind.choices)
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=300, blank=True)
    state = models.CharField(
        max_length=16, choices=SourceState.choices, default=SourceState.UNKNOWN
    )
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    duration = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "kind", "key"], name="source_unique_key"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.key}"


class Video(models.Model):
    """A segment of a source, in seconds of the source, with its ROI in fractions of the frame.

    `files` keeps the spellings under which the published layout names this video
    (keys: mcq, free, events, metadata); `extra` keeps unknown metadata keys for the export.
    `quarantined_at` is set while nobody may see its pixels, since a person's identifier was
    reported in them.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="videos")
    source = models.ForeignKey(Source, models.PROTECT, related_name="videos")
    name = models.CharField(max_length=255)
    title = models.CharField(max_length=255)
    category = models.CharField(max_length=64, blank=True)
    position = models.PositiveIntegerField()
    start = models.FloatField()
    end = models.FloatField()
    roi_x = models.FloatField(default=0.0)
    roi_y = models.FloatField(default=0.0)
    roi_w = models.FloatField(default=1.0)
    roi_h = models.FloatField(default=1.0)
    version = models.PositiveIntegerField(default=1)
    quarantined_at = models.DateTimeField(null=True, blank=True)
    files = models.JSONField(default=dict, blank=True)
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "name"], name="video_unique_name"),
            models.CheckConstraint(
                # The published data has a segment that starts 0.43 s before its source.
                condition=Q(start__gte=-10) & Q(end__gt=0) & Q(end__gt=F("start")),
                name="video_ends_after_start",
            ),
            models.CheckConstraint(
                condition=Q(roi_x__gte=0)
                & Q(roi_y__gte=0)
                & Q(roi_w__gt=0)
                & Q(roi_h__gt=0)
                & Q(roi_x__lte=1)
                & Q(roi_y__lte=1)
                & Q(roi_w__lte=1)
                & Q(roi_h__lte=1),
                name="video_roi_in_frame",
            ),
        ]
        indexes = [
            models.Index(fields=["benchmark", "position"], name="video_by_position"),
            models.Index(
                fields=["quarantined_at"],
                condition=Q(quarantined_at__isnull=False),
                name="video_in_quarantine",
            ),
        ]

    def __str__(self) -> str:
        return self.title


class Event(models.Model):
    """One entry of a video's event log; times in seconds from the start of the video."""

    video = models.ForeignKey(Video, models.CASCADE, related_name="events")
    position = models.PositiveIntegerField()
    start = models.FloatField()
    end = models.FloatField()
    action = models.TextField()
    interpretation = models.TextField(blank=True)
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["video", "position"], name="event_unique_position"),
        ]

    def __str__(self) -> str:
        return f"{self.start:.2f}–{self.end:.2f} {self.action[:60]}"
