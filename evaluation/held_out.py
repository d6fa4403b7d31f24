"""Figures of the part of a release that was held out: one coarse share a kind, no item singly."""

from typing import Any

import numpy as np
from django.db.models import Q

from annotation.models import Release
from evaluation.domain.held_out import told_share
from evaluation.domain.metrics import POINTS, collect_scores
from evaluation.models import LeaderboardEntry, Run, Submission
from evaluation.queries.kept_items import kept_items
from evaluation.queries.run_scores import run_scores


def held_out_figures(run: Run, release: Release) -> dict[str, Any] | None:
    """Return the share of each kind, 0 to 1, with its n; None where nothing was held out.

    `share` is empty where the part is too small to tell, or the run was not asked about it. A
    missing item wins nothing, as everywhere.
    """
    items = kept_items(release, held_out=True)
    if not items:
        return None
    found = run_scores(run, items)
    scores = collect_scores(found.places, found.values, items=len(items), repeats=run.repeats)
    told: dict[str, Any] = {}
    for kind in POINTS:
        places = np.flatnonzero([item.asked.kind == kind for item in items])
        if not len(places):
            continue
        share = None
        if scores.scored[places].any():
            mean = float(scores.headline[places].mean())
            share = told_share(mean, len(places), _best(run, release, kind))
        told[kind] = {"n": len(places), "share": share}
    return told


def _best(run: Run, release: Release, kind: str) -> float | None:
    """Return the best share told before to the sender or their organisation, same condition."""
    submission = Submission.objects.filter(run=run).first()
    if submission is None or submission.sender_id is None:
        return None
    theirs = Q(run__submission__sender=submission.sender_id)
    if submission.sent_for_id is not None:
        theirs |= Q(run__submission__sent_for=submission.sent_for_id)
    entries = LeaderboardEntry.objects.filter(
        theirs,
        release=release,
        run__pk__lt=run.pk,
        run__condition=run.condition,
        run__circular=run.circular,
    ).values_list(f"figures__held_out__{kind}__share", flat=True)
    return max((share for share in entries if share is not None), default=None)
