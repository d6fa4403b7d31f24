"""Measures what models made of each kept item of a release, from stored entries and choices."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count

from annotation.actions.trail import SYSTEM
from annotation.models import Release
from evaluation.actions.item_statistics import fail_statistics, keep_statistics
from evaluation.domain.item_statistics import (
    Floats,
    difficulty,
    discrimination,
    pair_agreement,
    rival,
    solved_p,
)
from evaluation.models import ItemStatistic, LeaderboardEntry, Prediction, StatisticsReport
from evaluation.models.item_statistic import StatisticsState
from evaluation.models.run import Condition, RunState
from evaluation.queries.kept_items import KeptItem, kept_items

SEEN = (Condition.VIDEO, Condition.FRAMES)


@dataclass(frozen=True)
class Measured:
    """The newest entry of one model under a condition: its name, run, repeats and scores."""

    model: str
    run_id: int
    repeats: int
    scores: Floats


def measure(release_id: int) -> None:
    """Measure the release and keep the result; nothing is done where nobody asked."""
    report = StatisticsReport.objects.select_related("release__benchmark").filter(
        release=release_id, state=StatisticsState.WAITING
    )
    found = report.first()
    if found is None:
        return
    try:
        items = kept_items(found.release)
        seen = newest_entries(found.release, SEEN, len(items))
        blind = newest_entries(found.release, (Condition.BLIND,), len(items))
        rows = list(statistics(found.release, items, seen, blind))
    except Exception as error:
        fail_statistics(report=found, reason=f"{type(error).__name__}: {error}", by=SYSTEM)
        raise
    keep_statistics(
        report=found,
        rows=rows,
        seen=[one.model for one in seen],
        blind=[one.model for one in blind],
        by=SYSTEM,
    )


def measure_waiting() -> None:
    """Measure the releases whose message to a worker was lost."""
    waiting = StatisticsReport.objects.filter(state=StatisticsState.WAITING)
    for release_id in waiting.values_list("release_id", flat=True):
        measure(release_id)


def newest_entries(release: Release, conditions: Sequence[str], items: int) -> list[Measured]:
    """Return one entry for each model: of its finished runs under `conditions` the last.

    References are no models; the text-only entry of a model counts once, with its repeats.
    """
    rows = (
        LeaderboardEntry.objects.filter(
            release=release,
            run__condition__in=conditions,
            run__circular=False,  # another rule of scoring
            run__state=RunState.DONE,
            run__contestant__is_reference=False,
        )
        .order_by("run_id", "version")
        .values_list("pk", "run_id", "run__contestant__name", "run__repeats")
    )
    newest = {name: (pk, run_id, repeats) for pk, run_id, name, repeats in rows}
    found = []
    for name, (pk, run_id, repeats) in sorted(newest.items()):
        stored = LeaderboardEntry.objects.values_list("per_item", flat=True).get(pk=pk)
        scores = np.array(
            [np.nan if score is None else score for score in stored["scores"]], dtype=float
        )
        if len(scores) == items:
            found.append(Measured(name, run_id, repeats, scores))
    return found


def statistics(
    release: Release, items: Sequence[KeptItem], seen: list[Measured], blind: list[Measured]
) -> Iterator[ItemStatistic]:
    """Yield the statistics of each item, in the order of `items`."""
    scores = _matrix(seen, len(items))
    mean, count = difficulty(scores)
    power = discrimination(scores)
    without, _ = difficulty(_matrix(blind, len(items)))
    replies = _replies(blind, len(items))
    chosen = option_counts([one.run_id for one in seen])
    keys = _keys(release)
    for place, item in enumerate(items):
        row = ItemStatistic(
            release=release,
            item_id=item.item_id,
            item_version_id=item.version_id,
            models_scored=int(count[place]),
            difficulty=_known(mean[place]),
            discrimination=_known(power[place]),
            blind_replies=int(replies[place]),
            blind_share=_known(without[place]),
        )
        if item.options:
            _add_choices(row, chosen.get(item.version_id, {}), item.options, keys[item.version_id])
        yield row


def option_counts(runs: Sequence[int]) -> dict[int, dict[int, int]]:
    """Return how many of `runs` chose which option: version id → option → count. One query."""
    rows = (
        Prediction.objects.filter(run__in=runs, repeat=0, chosen__isnull=False)
        .order_by()
        .values_list("item_version_id", "chosen")
        .annotate(times=Count("pk"))
    )
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for version_id, option, times in rows.iterator(chunk_size=5000):
        found[version_id][option] = times
    return found


def _add_choices(row: ItemStatistic, chosen: dict[int, int], options: int, key: int) -> None:
    counts = [chosen.get(option, 0) for option in range(options)]
    row.chance = 1 / options
    row.agreement = pair_agreement(counts)
    if row.blind_share is not None and row.blind_replies:
        row.blind_p = solved_p(row.blind_share * row.blind_replies, row.blind_replies, row.chance)
    other = rival(counts, key=key)
    if other:
        row.rival, row.rival_models, row.rival_p = other.option, other.models, other.p
        row.rival_share = other.models / sum(counts)


def _keys(release: Release) -> dict[int, int]:
    rows = release.release_items.filter(keep=True, item_version__key_index__isnull=False)
    found = rows.values_list("item_version_id", "item_version__key_index")
    return {version_id: key for version_id, key in found if key is not None}


def _matrix(entries: Sequence[Measured], items: int) -> Floats:
    return np.vstack([one.scores for one in entries]) if entries else np.empty((0, items))


def _replies(entries: Sequence[Measured], items: int) -> np.ndarray:
    total = np.zeros(items, dtype=np.int64)
    for one in entries:
        total += np.where(np.isnan(one.scores), 0, one.repeats)
    return total


def _known(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
