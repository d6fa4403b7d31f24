"""Computes the published rows of a release as a panel of judges marks them, and keeps what rests
on rejudgings up to date."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.domain.versions import digest
from annotation.models import Release
from evaluation.actions.panels import keep_panel
from evaluation.domain.judge_panel import Judge, Rule, is_through, panel_verdict, pick_members
from evaluation.domain.metrics import build_frames, collect_scores, frame_clusters, whole
from evaluation.judge_audit import audit_judges
from evaluation.leaderboard import build_figures
from evaluation.models import GradingSample, LeaderboardEntry, PanelReport, Run
from evaluation.models.grading import SampleState
from evaluation.queries.board import published_heads
from evaluation.queries.kept_items import kept_items
from evaluation.queries.panels import Mark, audit_stamp, marks_on, rejudging_stamp, rejudgings
from evaluation.queries.run_scores import Verdict, run_scores

log = logging.getLogger(__name__)
Marks = Mapping[Judge, Mapping[int, Mark]]
BY_JUDGE = ("free", "free_outcomes", "scored", "failures", "labels", "stale", "spread_within_items")


def refresh_panel(release: Release) -> PanelReport | None:
    """Compute the panel of `release` anew where entries or rejudgings have changed since."""
    heads = [head for head in published_heads(release) if not head.reference]
    runs = [head.run_id for head in heads]
    stamp = digest([sorted(head.pk for head in heads), rejudging_stamp(runs)])
    stored = PanelReport.objects.filter(release=release).first()
    if stored and stored.stamp == stamp:
        return stored
    marks = {run: found for run in runs if (found := marks_on(run))}
    asked = {run: {judge: set(on) for judge, on in found.items()} for run, found in marks.items()}
    members = pick_members(asked)
    rows: dict[str, dict[str, Any]] = {rule.value: {} for rule in Rule}
    if members:
        for run, found in marks.items():
            if all(is_through(asked[run], judge) for judge in members):
                _add_rows(rows, Run.objects.get(pk=run), release, members, found)
    return keep_panel(release=release, members=members, rows=rows, stamp=stamp)


def refresh_rejudged() -> None:
    """Compute anew what rests on runs that were judged again since: panels of releases and
    audits of closed samples. The sweep calls it, so that a worker that dies after the last
    verdict, or a server after the closing of a sample, leaves no figure behind for long."""
    published = LeaderboardEntry.objects.filter(
        published_at__isnull=False, run__in=rejudgings().values("rejudges")
    )
    for release in Release.objects.filter(pk__in=published.values("release")):
        try:
            refresh_panel(release)
        except Exception:
            log.exception("the panel of release %s could not be computed", release.pk)
    for sample in GradingSample.objects.filter(state=SampleState.CLOSED):
        if sample.figures and sample.stamp == audit_stamp(sample.release_id):
            continue
        try:
            audit_judges(sample)
        except Exception:
            log.exception("sample %s could not be audited", sample.pk)


def _add_rows(
    rows: dict[str, dict[str, Any]],
    run: Run,
    release: Release,
    members: Sequence[Judge],
    marks: Marks,
) -> None:
    """Add the row of `run` by each rule; the entry's own figures of MCQs are not looked at."""
    items = kept_items(release)
    frames = build_frames(item.asked for item in items)
    for rule in Rule:
        found = run_scores(run, items, verdicts=panel_marks(marks, members, rule))
        scores = collect_scores(found.places, found.values, items=len(items), repeats=run.repeats)
        figures = build_figures(run, items, frames, scores, found)
        if "free" in found.kinds:
            rows[rule][str(run.pk)] = {
                "figures": {name: figures[name] for name in BY_JUDGE},
                "clusters": frame_clusters(frames["free"], scores),
            }


def panel_marks(marks: Marks, members: Sequence[Judge], rule: Rule) -> dict[int, list[Verdict]]:
    """Return the panel's verdict on each answer; without a score where a member has none.

    The error type is that of the first member by name that gave the panel's score: the mean has
    none of its own.
    """
    found = {}
    for answer in set().union(*(marks[member] for member in members)):
        given = [marks[member].get(answer, Mark(None, "")) for member in members]
        points = [mark.score for mark in given if mark.score is not None]
        if len(points) < len(members):
            found[answer] = [Verdict(None, "")]
            continue
        score = whole(panel_verdict(points, rule))
        error = next((mark.error_type for mark in given if mark.score == score), "")
        found[answer] = [Verdict(score, error)]
    return found
