"""Submissions: prediction files from outside, and what became of them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Benchmark, Release
from evaluation.models.organisation import Organisation
from evaluation.models.run import Condition, Run, RunState


class SubmissionState(models.TextChoices):
    """What is stored. "Scored" is told from the run, which knows when its judge is done."""

    RECEIVED = "received", "Received"
    INVALID = "invalid", "Nothing could be taken"
    FAILED = "failed", "Failed here"
    CHECKED = "checked", "Checked"
    APPROVED = "approved", "Approved"
    REJECTED = "rejected", "Rejected"
    WITHDRAWN = "withdrawn", "Withdrawn"


ENDED = (RunState.DONE, RunState.CANCELLED, RunState.FAILED)
CLOSED = (
    SubmissionState.INVALID,
    SubmissionState.FAILED,
    SubmissionState.REJECTED,
    SubmissionState.WITHDRAWN,
)


class Submission(models.Model):
    """Files of one sender, for one model under one condition on one release; or the address of
    a server (`endpoint`) that our engine asks, whose key lies sealed with its provider.

    `uploaded` is sha256 (hex) over the bytes of the files, `answers` over the predictions in
    them; either alone tells a duplicate. `files` lists name, size in bytes and sha256.
    `report` says row by row what was refused. A submission that failed by our fault is not
    counted against the quota (`refunded`) of its sender, or of the organisation that the sender
    belonged to then (`sent_for`).
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="submissions")
    release = models.ForeignKey(Release, models.PROTECT, related_name="submissions")
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="submissions"
    )
    sent_for = models.ForeignKey(
        Organisation, models.SET_NULL, null=True, blank=True, related_name="submissions"
    )
    model_name = models.CharField(max_length=120)
    organisation = models.CharField(max_length=120, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    condition = models.CharField(max_length=12, choices=Condition.choices)
    state = models.CharField(
        max_length=10, choices=SubmissionState.choices, default=SubmissionState.RECEIVED
    )
    reason = models.CharField(max_length=300, blank=True)
    endpoint = models.CharField(
        max_length=300, blank=True, help_text="A server to ask, in the place of files."
    )
    folder = models.CharField(
        max_length=32, blank=True, help_text="Where the files lie until they are read."
    )
    files = models.JSONField(default=list)
    uploaded = models.CharField(max_length=64)
    answers = models.CharField(max_length=64, blank=True)
    report = models.JSONField(default=dict, blank=True)
    run = models.OneToOneField(
        Run, models.SET_NULL, null=True, blank=True, related_name="submission"
    )
    refunded = models.BooleanField(default=False)
    started_at = models.DateTimeField(null=True, blank=True, help_text="Its last reading.")
    claimed_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["release", "condition", "uploaded"],
                condition=~Q(state__in=CLOSED),
                name="submission_unique_files",
            ),
        ]
        indexes = [
            models.Index(fields=["sender", "created_at"], name="submission_quota"),
            models.Index(fields=["sent_for", "created_at"], name="submission_quota_shared"),
        ]

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.model_name}"

    @property
    def shown_state(self) -> tuple[str, str]:
        """Return state and label as people see it: a checked one is judging, then scored.

        Scored is said once there are figures: those of a million answers take a minute.
        """
        if self.state != SubmissionState.CHECKED or self.run is None:
            return self.state, SubmissionState(self.state).label
        if self.endpoint and self.run.state == RunState.FAILED:
            return "failed", "Its server did not answer"
        if self.run.state == RunState.DONE and not self._has_figures():
            return "scoring", "Computing its figures"
        if self.run.state in ENDED:
            return "scored", "Scored"
        return ("asking", "Asking its server") if self.endpoint else ("judging", "Judging")

    def _has_figures(self) -> bool:
        told: bool | None = getattr(self, "has_figures", None)  # a list asks for all at once
        return told if told is not None else bool(self.run and self.run.entries.exists())
