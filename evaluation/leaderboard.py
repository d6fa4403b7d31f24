"""Computes leaderboard entries: the frozen, hashed figures of a run on a release."""

from typing import Any

from annotation.models import Release
from evaluation.actions.entries import save_entry
from evaluation.domain.metrics import (
    KindFrame,
    Scores,
    build_frames,
    collect_scores,
    frame_clusters,
    kind_figures,
    scored_part,
    slice_figures,
)
from evaluation.held_out import held_out_figures
from evaluation.models import LeaderboardEntry, Run
from evaluation.queries.kept_items import KeptItems, chance, kept_items
from evaluation.queries.run_scores import RunScores, run_scores
from evaluation.queries.stated_confidence import confidence_figures

FIGURES_VERSION = 1


def compute_entry(run: Run, release: Release | None = None) -> LeaderboardEntry:
    """Compute the private entry of `run` on `release` (default: the run's own) and store it.

    Figures that are equal to the stored ones leave the entry as it is; figures that differ
    make a new version, private until it is published. Raises ValueError where the release
    belongs to another benchmark.
    """
    release = release or run.release
    if release.benchmark_id != run.benchmark_id:
        raise ValueError("a run can only be scored on a release of its own benchmark")
    return save_entry(run=run, release=release, **_content(run, release))


def _content(run: Run, release: Release) -> dict[str, Any]:
    """Return what an entry holds; what it was made from is let go before it is stored."""
    items = kept_items(release)
    frames = build_frames(item.asked for item in items)
    found = run_scores(run, items)
    scores = collect_scores(found.places, found.values, items=len(items), repeats=run.repeats)
    figures = build_figures(run, items, frames, scores, found)
    if run.contestant.is_human:
        figures |= {"answered": answered_figures(frames, scores), "free_outcomes": {}}
    confidence = confidence_figures(run, release)
    if confidence:
        figures["confidence"] = confidence
    held_out = held_out_figures(run, release)
    if held_out:
        figures["held_out"] = held_out
    return {
        "figures": figures,
        "clusters": {kind: frame_clusters(frame, scores) for kind, frame in frames.items()},
        "per_item": _per_item(items, scores, found),
        "provisional": _is_provisional(run, figures),
    }


def build_figures(
    run: Run,
    items: KeptItems,
    frames: dict[str, KindFrame],
    scores: Scores,
    found: RunScores,
) -> dict[str, object]:
    """Return the figures of an entry: counts as integers, means and intervals as shares of
    the most that can be had (0 to 1), `points` of free responses on the scale 0 to 2 each."""
    figures: dict[str, object] = {
        "schema": FIGURES_VERSION,
        "condition": run.condition,
        "repeats": run.repeats,
        **({"circular": True} if run.circular else {}),
        "items": len(items),
        "scored": int(scores.scored.sum()),
        "kinds": sorted(found.kinds),
        "chance": chance(items),
        "failures": dict(sorted(found.failures.items())),
        "labels": dict(sorted(found.labels.items())),
        "stale": len(found.stale),
        "spread_within_items": scores.spread,
        "judge": found.judge,
        "free_outcomes": {
            points: dict(sorted(found.outcomes[points].items()))
            for points in ("2", "1", "0")
            if points in found.outcomes
        },
    }
    for kind, frame in frames.items():
        figures[kind] = kind_figures(frame, scores)
    return figures


def answered_figures(frames: dict[str, KindFrame], scores: Scores) -> dict[str, object]:
    """Return the figures over the items that were answered and scored, by kind: a reader who
    answered 40 of 514 is told by these, beside the coverage."""
    found: dict[str, object] = {}
    for kind, frame in frames.items():
        part = scored_part(frame.all, scores)
        if part is None:
            continue
        by_type = {
            name: slice_figures(kind, one, scores)
            for name, whole in frame.by["type"].items()
            if (one := scored_part(whole, scores)) is not None
        }
        found[kind] = slice_figures(kind, part, scores) | {"by_type": by_type}
    return found


def _per_item(items: KeptItems, scores: Scores, found: RunScores) -> dict[str, object]:
    return {
        "versions": items.ids[:, 0].tolist(),
        "scores": [
            round(float(value), 6) if scored else None
            for value, scored in zip(scores.headline, scores.scored, strict=True)
        ],
        "stale": found.stale,
    }


def _is_provisional(run: Run, figures: dict[str, object]) -> bool:
    """Say whether an item lacks a score; a reference that is computed answers MCQs only."""
    if run.contestant.is_reference and not run.contestant.is_human:
        mcq = figures.get("mcq")
        return isinstance(mcq, dict) and mcq["scored"] < mcq["n"]
    return bool(figures["scored"] != figures["items"])
