"""Searches that a reader keeps."""

from django.conf import settings
from django.db import models

from annotation.models.benchmark import Benchmark


class SavedFilter(models.Model):
    """A search of the find page under a name; `query` is what stands in its address."""

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="saved_filters")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_filters"
    )
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=2000, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "benchmark", "name"], name="saved_filter_unique_name"
            )
        ]

    def __str__(self) -> str:
        return self.name
