"""Batch jobs: many predict calls of a run, handed to the provider as one."""

from django.db import models

from evaluation.models.run import Run


class BatchState(models.TextChoices):
    INTENT = "intent", "To be submitted"
    SUBMITTED = "submitted", "At the provider"
    ENDED = "ended", "Ended"


class BatchJob(models.Model):
    """A job, written down with the intents of its calls before the provider hears of it.

    Its work items are claimed under `token`, without a lease: no dying worker takes them away.
    The token is part of the job's display name, by which it is found at the provider when a
    worker died between the submission and its answer (`tried_at` stands and `name` does not).
    `shown` holds the clip's sha256 and facts of each item that has one, by the item's key.
    `holder` is the worker that looks after it now; times are in the database's clock.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="batch_jobs")
    token = models.CharField(max_length=32, unique=True)
    state = models.CharField(max_length=12, choices=BatchState.choices, default=BatchState.INTENT)
    name = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=12, blank=True)
    shown = models.JSONField(default=dict)
    cancel_asked = models.BooleanField(default=False)
    polls = models.PositiveIntegerField(default=0)
    poll_at = models.DateTimeField()
    holder = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField()
    created_at = models.DateTimeField(auto_now_add=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["run", "state"], name="batch_job_of_run")]

    @property
    def display_name(self) -> str:
        return f"sonovqa run {self.run_id} {self.token}"
