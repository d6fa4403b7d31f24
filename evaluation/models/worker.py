"""The workers that are alive, as they say themselves, and whether they take up work."""

from django.db import models


class WorkerBeat(models.Model):
    """One worker. `beat_at` is written by the worker by itself, `canary_at` by a small task
    that it took from its queue: a worker that beats and takes nothing is silent.

    Times are the database's. `process` is how the places of runs name the same worker.
    """

    name = models.CharField(max_length=200, unique=True)
    process = models.CharField(max_length=120, blank=True)
    queue = models.CharField(max_length=32, blank=True)
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField()
    canary_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["name"]
        verbose_name = "worker"

    def __str__(self) -> str:
        return self.name
