"""What a panel of judges makes of the published rows of a release."""

from django.db import models

from annotation.models import Release


class PanelReport(models.Model):
    """The published rows of a release as a panel of judges marks them, by each rule.

    `members` lists [label, rubric version]; it is empty where no two judges have marked enough.
    `rows` is rule → run id → {"figures", "clusters"}, as in a leaderboard entry. `stamp` names
    the entries and the rejudgings that they were computed from.
    """

    release = models.OneToOneField(Release, models.CASCADE, related_name="panel_report")
    members = models.JSONField(default=list)
    rows = models.JSONField(default=dict)
    stamp = models.CharField(max_length=64)
    computed_at = models.DateTimeField(auto_now=True)
