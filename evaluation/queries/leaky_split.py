"""Each published entry's MCQ score on items that the shortcut audit solves, and on the rest."""

from dataclasses import dataclass

import numpy as np

from annotation.models import Release
from annotation.queries.audits import leaky_items
from evaluation.domain.uncertainty import Estimate, Floats, Ints, clustered_mean
from evaluation.models import LeaderboardEntry
from evaluation.queries.board import Head, published_heads
from evaluation.queries.kept_items import KeptItem, kept_items


@dataclass(frozen=True)
class Part:
    """The share right of some MCQs, with its interval clustered by source."""

    estimate: Estimate

    def __str__(self) -> str:
        return f"{100 * self.estimate.mean:.1f} %"

    @property
    def interval(self) -> str:
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return "one source"
        return f"{100 * max(low, 0):.1f} to {100 * min(high, 1):.1f}"


@dataclass(frozen=True)
class Split:
    """One entry on leaky and on clean MCQs; None where there are none.

    An item without a score wins nothing, as in the headline; people are told of on the items
    that they answered.
    """

    head: Head
    leaky: Part | None
    clean: Part | None


def leaky_split(release: Release) -> list[Split] | None:
    """Return the published entries of `release`, best on clean items first; None before an audit.

    Four queries, whatever the number of items and entries.
    """
    leaky = leaky_items(release)
    if leaky is None:
        return None
    mcqs = [item for item in kept_items(release) if item.asked.kind == "mcq"]
    heads = {head.pk: head for head in published_heads(release)}
    stored = LeaderboardEntry.objects.filter(pk__in=heads).values_list("pk", "per_item")
    splits = [
        _split(heads[pk], *_scores(heads[pk], per_item, mcqs), leaky)
        for pk, per_item in stored
        if mcqs
    ]
    return sorted(splits, key=lambda split: -(split.clean.estimate.mean if split.clean else 0.0))


def _scores(
    head: Head, per_item: dict[str, list[float | None]], mcqs: list[KeptItem]
) -> tuple[Floats, list[KeptItem]]:
    versions, scores = per_item.get("versions", []), per_item.get("scores", [])
    found = dict(zip(versions, scores, strict=True))
    if head.human:
        mcqs = [item for item in mcqs if found.get(item.version_id) is not None]
    return np.array([found.get(item.version_id) or 0.0 for item in mcqs]), mcqs


def _split(head: Head, scores: Floats, mcqs: list[KeptItem], leaky: set[int]) -> Split:
    is_leaky = np.array([item.item_id in leaky for item in mcqs], dtype=bool)
    sources = np.array([item.asked.source for item in mcqs])
    return Split(head, _mean(scores, sources, is_leaky), _mean(scores, sources, ~is_leaky))


def _mean(scores: Floats, sources: Ints, chosen: np.ndarray) -> Part | None:
    if not chosen.any():
        return None
    _, clusters = np.unique(sources[chosen], return_inverse=True)
    return Part(clustered_mean(scores[chosen], clusters))
