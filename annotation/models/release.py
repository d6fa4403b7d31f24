"""Releases: frozen, hashed sets of item versions with their keep decisions."""

from django.conf import settings
from django.db import models

from annotation.models.benchmark import Benchmark
from annotation.models.item import ItemVersion


class Release(models.Model):
    """`hash` is sha256 (hex) over the item keys, version digests and keep decisions."""

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="releases")
    tag = models.CharField(max_length=32)
    hash = models.CharField(max_length=64)
    notes = models.TextField(blank=True)
    kept_mcq = models.PositiveIntegerField(default=0)
    kept_free = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["benchmark", "tag"], name="release_unique_tag"),
        ]

    def __str__(self) -> str:
        return self.tag


class ReleaseItem(models.Model):
    """One item version of a release. Only those with `keep` count in figures.

    Those that were held out when it was frozen stay so in it: they make a part of their own,
    told in rounded figures alone.
    """

    release = models.ForeignKey(Release, models.CASCADE, related_name="release_items")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="release_items")
    keep = models.BooleanField()
    held_out = models.BooleanField(default=False)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "item_version"], name="release_item_unique_version"
            ),
        ]
        indexes = [
            models.Index(
                fields=["release", "position"],
                condition=models.Q(held_out=True),
                name="release_item_held_out",
            ),
        ]
