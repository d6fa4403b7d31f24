"""Scores a new release: its references, and stored runs again. No model is called."""

import logging
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

from annotation.models import Release
from evaluation.baselines import settle_references
from evaluation.leaderboard import compute_entry
from evaluation.models import LeaderboardEntry, Run
from evaluation.models.run import RunState

logger = logging.getLogger(__name__)
SCORE_TASK = "evaluation.score_release"  # by name: tasks stand above this layer
AT_ONCE = 10_000  # items, about half of them MCQs; a larger release is left to a worker


def on_release_made(*, release: Release, **_: Any) -> None:
    """Score `release` now, or let a worker do it where it is large and there is a broker."""
    if release.release_items.count() > AT_ONCE:
        try:
            current_app.send_task(SCORE_TASK, args=[release.pk])
        except OperationalError:
            logger.warning("no broker to hand release %s to: it is scored here", release.pk)
        else:
            return
    score_release(release)


def score_release(release: Release) -> None:
    """Settle the references of `release` and score stored runs on it again. Idempotent."""
    settle_references(release)
    rescore_stored_runs(release)


def rescore_stored_runs(release: Release) -> list[LeaderboardEntry]:
    """Compute the private entry on `release` of each finished run on an earlier release of
    its benchmark that has a published entry. Items changed since are stale and listed."""
    runs = (
        Run.objects.filter(
            benchmark_id=release.benchmark_id,
            state=RunState.DONE,
            contestant__is_reference=False,
            entries__published_at__isnull=False,
        )
        .exclude(release=release)
        .select_related("contestant")
        .order_by("pk")
        .distinct()
    )
    return [compute_entry(run, release) for run in runs]
