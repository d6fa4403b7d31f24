"""The append-only trail: who changed what, when and why."""

from django.db import models


class Revision(models.Model):
    """One saved change of an item, a video, a round, a release, a run or an account.

    No foreign keys, so that history never blocks live data; the actor is the pseudonym of
    an account, or "import" or "system", so that erasing a person keeps the trail. `request_id`
    names what several revisions were written by together, as "bulk/17".
    """

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=32)
    verb = models.CharField(max_length=48)
    target_kind = models.CharField(max_length=24)
    target_id = models.BigIntegerField()
    benchmark_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    before = models.JSONField(default=dict, blank=True)
    after = models.JSONField(default=dict, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["target_kind", "target_id"], name="revision_by_target"),
            models.Index(fields=["actor", "-id"], name="revision_by_actor"),
        ]
