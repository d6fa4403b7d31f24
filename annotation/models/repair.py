"""Repairs: proposals that take a shortcut out of an item, waiting for a person's yes or no."""

from django.conf import settings
from django.db import models

from annotation.models.benchmark import Benchmark
from annotation.models.item import Item, ItemVersion


class RepairState(models.TextChoices):
    OPEN = "open", "Proposed"
    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"


class Repair(models.Model):
    """One proposal for one version of an item.

    `kind` names the repair (see `annotation.domain.repairs`, and `length` for what a text model
    rewrote); `changes` are fields of an edit and their new values, `words` say what changes.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="repairs")
    item = models.ForeignKey(Item, models.CASCADE, related_name="repairs")
    item_version = models.ForeignKey(ItemVersion, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    changes = models.JSONField()
    words = models.CharField(max_length=300)
    cosmetic = models.BooleanField(default=True)
    state = models.CharField(max_length=8, choices=RepairState.choices, default=RepairState.OPEN)
    found_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item_version", "kind"], name="repair_unique_for_a_version"
            ),
        ]
        indexes = [
            models.Index(fields=["benchmark", "state", "kind", "item"], name="repair_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.item_id}"


class RepairSearch(models.Model):
    """The newest search for repairs of a benchmark; a worker makes it."""

    benchmark = models.OneToOneField(Benchmark, models.CASCADE, related_name="repair_search")
    waiting = models.BooleanField(default=True)
    asked_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
