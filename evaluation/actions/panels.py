"""Keeps what a panel of judges makes of a release's rows."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from annotation.actions.trail import SYSTEM, record
from annotation.models import Release
from evaluation.domain.judge_panel import Judge
from evaluation.models import PanelReport


@transaction.atomic
def keep_panel(
    *, release: Release, members: Sequence[Judge], rows: dict[str, Any], stamp: str
) -> PanelReport:
    """Store the panel of `release` in the place of the one before."""
    report, _ = PanelReport.objects.update_or_create(
        release=release,
        defaults={"members": [list(one) for one in members], "rows": rows, "stamp": stamp},
    )
    record(
        by=SYSTEM,
        verb="compute_panel",
        target_kind="release",
        target_id=release.pk,
        benchmark_id=release.benchmark_id,
        after={"members": [label for label, _ in members]},
    )
    return report
