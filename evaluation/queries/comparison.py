"""Two published entries of a release, side by side. Comparisons are kept by their hashes."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from annotation.models import Release
from evaluation.domain.comparing import (
    KINDS,
    NotComparable,
    Pairing,
    SliceDifference,
    slice_differences,
)
from evaluation.domain.metrics import AskedItem, Scores, build_frames, frame_clusters
from evaluation.domain.uncertainty import Floats, codes_of
from evaluation.models import LeaderboardEntry
from evaluation.queries.board import Head
from evaluation.queries.kept_items import kept_items

KEPT = 8
FEWEST = 5  # items that people have to have answered


@dataclass(frozen=True)
class Comparison:
    """What two entries are compared by. `pairing` holds single items: for maintainers alone.

    `judges` names who judged the free responses of A and of B, with the rubric's version.
    Where a side is people, it is on the `answered` items alone: those that they answered.
    """

    differences: Mapping[str, list[SliceDifference]]  # kind → slices
    judges: tuple[str, str]
    pairing: Pairing
    answered: int | None = None


def compare_entries(release: Release, a: Head, b: Head) -> Comparison:
    """Compare two published entries of `release`. Two queries, none where it was done before.

    Raises NotComparable where they do not stand on the same items.
    """
    key = (release.pk, a.hash, b.hash)
    found = _kept.get(key)
    if found is None:
        found = _kept[key] = _compare(release, a, b)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


_kept: OrderedDict[tuple[int, str, str], Comparison] = OrderedDict()


def _compare(release: Release, a: Head, b: Head) -> Comparison:
    stored = {
        pk: (clusters, per_item, figures)
        for pk, clusters, per_item, figures in LeaderboardEntry.objects.filter(
            pk__in=[a.pk, b.pk]
        ).values_list("pk", "clusters", "per_item", "figures")
    }
    if a.pk not in stored or b.pk not in stored:
        raise NotComparable("One of these entries is not there any more.")
    sums_a, items_a, figures_a = stored[a.pk]
    sums_b, items_b, figures_b = stored[b.pk]
    if items_a.get("versions") != items_b.get("versions"):
        raise NotComparable("These entries do not stand on the same items.")
    asked = {item.version_id: item.asked for item in kept_items(release)}
    pairing = _pairing(asked, items_a, items_b)
    answered = None
    if a.human or b.human:
        pairing = answered_by(pairing, people_a=a.human, people_b=b.human)
        items = [asked[int(version)] for version in pairing.versions]
        sums_a, sums_b = sums_over(items, pairing.a), sums_over(items, pairing.b)
        answered = len(items)
    differences = {
        kind: slice_differences(sums_a[kind], sums_b[kind])
        for kind in KINDS
        if kind in figures_a["kinds"] and kind in figures_b["kinds"] and kind in sums_a
    }
    judges = (_judge(figures_a), _judge(figures_b))
    return Comparison(differences, judges, pairing, answered)


def answered_by(pairing: Pairing, *, people_a: bool, people_b: bool) -> Pairing:
    """Return the items of a pairing that the people among its sides answered and were scored
    on: what a reader never saw says nothing about the reader.

    Raises NotComparable below FEWEST of them, which would tell who is right on single items.
    """
    chosen = np.ones(len(pairing.versions), dtype=bool)
    if people_a:
        chosen &= ~np.isnan(pairing.a)
    if people_b:
        chosen &= ~np.isnan(pairing.b)
    if chosen.sum() < FEWEST:
        raise NotComparable(f"Fewer than {FEWEST} items are answered by these readers.")
    return replace(
        pairing,
        versions=pairing.versions[chosen],
        kinds=pairing.kinds[chosen],
        types=pairing.types[chosen],
        a=pairing.a[chosen],
        b=pairing.b[chosen],
    )


def sums_over(items: Sequence[AskedItem], scores: Floats) -> dict[str, Any]:
    """Return the sums by source of scores of `items`, by kind, as an entry stores them; an item
    without a score counts 0."""
    values = np.nan_to_num(scores)
    found = Scores(values, values, ~np.isnan(scores))
    return {kind: frame_clusters(frame, found) for kind, frame in build_frames(items).items()}


def _judge(figures: Mapping[str, Any]) -> str:
    judge = figures.get("judge")
    return f"{judge['label']}, rubric {judge['rubric']}" if judge else ""


def _pairing(
    asked: Mapping[int, AskedItem], a: Mapping[str, list], b: Mapping[str, list]
) -> Pairing:
    items = [asked[version] for version in a["versions"]]
    types, names = codes_of([item.question_type for item in items])
    return Pairing(
        versions=np.array(a["versions"], dtype=np.int64),
        kinds=np.array([KINDS.index(item.kind) for item in items], dtype=np.int64),
        types=types,
        type_names=tuple(str(name) for name in names),
        a=_scores(a["scores"]),
        b=_scores(b["scores"]),
    )


def _scores(values: list[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=float)
