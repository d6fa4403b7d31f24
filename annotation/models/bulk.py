"""What is done to many items at once."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.benchmark import Benchmark
from annotation.models.item import Item


class BulkKind(models.TextChoices):
    DROP = "drop", "Drop"
    KEEP = "keep", "Keep"
    REOPEN = "reopen", "Open again, with a question"
    CATEGORY = "category", "Set the category of their videos"
    TYPE = "type", "Set the type"
    REPAIR = "repair", "Accept proposed repairs"
    ASSIGN = "assign", "Give to readers of a round"


class BulkState(models.TextChoices):
    PREPARING = "preparing", "Counting"
    READY = "ready", "Not applied yet"
    RUNNING = "running", "Being applied"
    DONE = "done", "Applied"
    UNDOING = "undoing", "Being taken back"
    UNDONE = "undone", "Taken back"
    FAILED = "failed", "Stopped"


class BulkAction(models.Model):
    """One thing done to many items: who, what, why, when, and to which (its targets).

    `words` is the reason, or the question to the readers; `value` the category, the type or
    the id of a round, `readers` the ids of the accounts that are given the items;
    `query` the address of the search that chose the items and `wanted` its checked fields, both
    empty where they were picked one by one. `seen` is the id of the newest revision when the
    list was read: what was written later was not looked at. `tally` counts the targets by
    outcome, and `items` of the videos; a worker holds the action until `held_until`.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="bulk_actions")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="bulk_actions"
    )
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    kind = models.CharField(max_length=12, choices=BulkKind.choices)
    words = models.CharField(max_length=500, blank=True)
    value = models.CharField(max_length=64, blank=True)
    readers = models.JSONField(default=list, blank=True)
    query = models.CharField(max_length=2000, blank=True)
    wanted = models.JSONField(default=dict, blank=True)
    seen = models.BigIntegerField()
    state = models.CharField(max_length=12, choices=BulkState.choices, default=BulkState.PREPARING)
    tally = models.JSONField(default=dict, blank=True)
    error = models.CharField(max_length=500, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    held_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["benchmark", "by"], name="bulk_by_author"),
            models.Index(
                fields=["state"],
                condition=Q(state__in=["preparing", "running", "undoing"]),
                name="bulk_at_work",
            ),
        ]

    def __str__(self) -> str:
        return f"bulk action {self.pk}"


class Outcome(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DONE = "done", "Changed"
    SAME = "same", "Was so already"
    CHANGED = "changed", "Changed by somebody since you looked"
    REFUSED = "refused", "Refused"
    UNDONE = "undone", "Taken back"
    TOUCHED = "touched", "Touched since, left as it is"


class BulkTarget(models.Model):
    """One item of a bulk action; for a category the first item of each video.

    `was` is what the item stood at when the action was prepared, `revision_id` the revision
    that the action wrote, `note` why it was refused.
    """

    bulk = models.ForeignKey(BulkAction, models.CASCADE, related_name="targets")
    item = models.ForeignKey(Item, models.CASCADE, related_name="+")
    was = models.CharField(max_length=80)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, default=Outcome.WAITING)
    revision_id = models.BigIntegerField(null=True, blank=True)
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["bulk", "item"], name="bulk_target_once_an_action")
        ]
        indexes = [models.Index(fields=["bulk", "outcome", "id"], name="bulk_target_by_outcome")]
