"""Shortcut audits: what of a benchmark can be answered without its videos, as found at a time."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.benchmark import Benchmark
from annotation.models.item import Item
from annotation.models.release import Release


class AuditState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


class ShortcutAudit(models.Model):
    """One audit of a release, or (release null) of a benchmark as it stood.

    `report` is that of `annotation.domain.audit.report`; `error` is the sentence of a failed
    one. Reports stay, so that a later audit can be compared with an earlier one; the flags of
    single items are kept for the newest audit of each release or draft alone.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="audits")
    release = models.ForeignKey(
        Release, models.CASCADE, related_name="audits", null=True, blank=True
    )
    state = models.CharField(max_length=8, choices=AuditState.choices, default=AuditState.WAITING)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(default=dict, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False),
                name="shortcut_audit_done_has_an_end",
            )
        ]
        indexes = [models.Index(fields=["benchmark", "release"], name="audit_by_release")]

    def __str__(self) -> str:
        return f"audit {self.pk}"


class AuditFlag(models.Model):
    """A flag that an audit gave an item: its name, and the reason as one sentence."""

    audit = models.ForeignKey(ShortcutAudit, models.CASCADE, related_name="flags")
    item = models.ForeignKey(Item, models.CASCADE, related_name="audit_flags")
    flag = models.CharField(max_length=40)
    reason = models.CharField(max_length=400)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["audit", "item", "flag"], name="audit_flag_once_an_item"
            )
        ]
        indexes = [models.Index(fields=["audit", "flag"], name="audit_flag_by_name")]
