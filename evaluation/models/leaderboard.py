"""Leaderboard entries: frozen summaries of runs on releases."""

from django.conf import settings
from django.db import models

from annotation.models import Release
from evaluation.models.run import Run


class LeaderboardEntry(models.Model):
    """A summary of a run on a release, computed once and hashed. Private until published.

    `figures` holds counts, means and intervals (see `evaluation.leaderboard`). `clusters`
    holds the sums of scores by source: all that paired tests and gains need, small at any
    number of items. `per_item` holds the scores by item. Neither of these two is ever
    served to the public.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="entries")
    release = models.ForeignKey(Release, models.PROTECT, related_name="entries")
    version = models.PositiveIntegerField(default=1)
    figures = models.JSONField(default=dict)
    clusters = models.JSONField(default=dict)
    per_item = models.JSONField(default=dict)
    hash = models.CharField(max_length=64)
    note = models.CharField(max_length=300, blank=True)
    provisional = models.BooleanField(default=False)
    computed_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-computed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "release", "version"], name="entry_unique_version"
            ),
        ]
