"""What is known of a release, gathered for its datasheet: no item is told of singly."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db.models import Count, Q

from annotation.models import (
    AuditState,
    Benchmark,
    Release,
    ReleaseItem,
    Review,
    Revision,
    ShortcutAudit,
    Source,
)
from annotation.models.benchmark import SourceState
from annotation.queries.agreement import Agreement, agreement
from evaluation.domain.judge_calibration import Calibration
from evaluation.domain.metrics import DURATION_EDGES, DURATIONS
from evaluation.models import LeaderboardEntry
from evaluation.queries.judge_standings import calibrations
from evaluation.queries.kept_items import KeptItem, chance, kept_items

DEAD = (SourceState.REMOVED, SourceState.EMBEDDING_OFF, SourceState.BLOCKED)
SHORT_SECONDS = 2.0
MOST_LABELS = 40  # types or categories told one by one


@dataclass(frozen=True)
class Counted:
    """How many kept MCQs and free-response items bear a label."""

    label: str
    mcq: int
    free: int


@dataclass(frozen=True)
class Composition:
    """The kept items; seconds are of clips, `options` counts MCQs by number of options."""

    mcq: int
    free: int
    dropped: int
    videos: int
    sources: int
    dead_sources: int
    types: list[Counted]
    categories: list[Counted]
    durations: list[Counted]
    options: list[tuple[int, int]]
    seconds: tuple[float, float, float] | None
    short: int
    chance: float | None


@dataclass(frozen=True)
class Process:
    """What people did to the release's items until it was made."""

    voted: int
    votes: int
    readers: int
    twice: int
    edits: int
    edited: int
    boxes: int


@dataclass(frozen=True)
class Facts:
    """All that a datasheet tells. `agreement` is of the votes as they stand at `at`, `judges` how
    far those of published rows agree with clinicians."""

    benchmark: Benchmark
    release: Release
    composition: Composition
    process: Process
    agreement: Agreement
    audit: ShortcutAudit | None
    models: list[str]
    judges: list[Calibration]
    at: datetime


def facts_of(release: Release, *, at: datetime) -> Facts:
    """Return the facts of `release`; a bounded number of queries."""
    items = kept_items(release)
    entries = _published(release)
    return Facts(
        benchmark=release.benchmark,
        release=release,
        composition=_composition(release, items),
        process=_process(release),
        agreement=agreement(release.benchmark),
        audit=ShortcutAudit.objects.filter(release=release, state=AuditState.DONE).first(),
        models=sorted({name for name, _ in entries}),
        judges=_judges(release, [judge for _, judge in entries if judge]),
        at=at,
    )


def _judges(release: Release, judges: list[dict[str, Any]]) -> list[Calibration]:
    """Return how each judge of published rows stands by clinicians' grades, by name."""
    known = calibrations(release.benchmark_id)
    names = sorted({(str(judge["label"]), str(judge["rubric"])) for judge in judges})
    return [known.get(name, Calibration(*name)) for name in names]


def _composition(release: Release, items: Sequence[KeptItem]) -> Composition:
    seconds = np.array([item.asked.seconds for item in items])
    bins = np.searchsorted(DURATION_EDGES, seconds, side="right")
    rows = ReleaseItem.objects.filter(release=release, keep=True, held_out=False)
    places = rows.aggregate(
        videos=Count("item_version__item__video", distinct=True),
        sources=Count("item_version__item__video__source", distinct=True),
    )
    dead = Source.objects.filter(
        videos__items__versions__release_items__in=rows, state__in=DEAD
    ).distinct()
    options = Counter(item.options for item in items if item.options)
    return Composition(
        mcq=sum(item.asked.kind == "mcq" for item in items),
        free=sum(item.asked.kind == "free" for item in items),
        dropped=ReleaseItem.objects.filter(release=release, keep=False).count(),
        videos=places["videos"],
        sources=places["sources"],
        dead_sources=dead.count(),
        types=_counted(items, [item.asked.question_type for item in items]),
        categories=_counted(items, [item.asked.category for item in items]),
        durations=_counted(items, [DURATIONS[place] for place in bins], DURATIONS),
        options=sorted(options.items()),
        seconds=(float(seconds.min()), float(np.median(seconds)), float(seconds.max()))
        if len(items)
        else None,
        short=int((seconds < SHORT_SECONDS).sum()),
        chance=chance(items),
    )


def _counted(
    items: Iterable[KeptItem], labels: list[str], order: tuple[str, ...] = ()
) -> list[Counted]:
    counts = Counter((label, item.asked.kind) for item, label in zip(items, labels, strict=True))
    found = [
        Counted(label, counts[label, "mcq"], counts[label, "free"])
        for label in order or sorted(set(labels))
    ]
    return [row for row in found if row.mcq or row.free][:MOST_LABELS]


def _process(release: Release) -> Process:
    """Count standing votes on the frozen versions, and the revisions behind them."""
    kept = Q(item_version__release_items__release=release, item_version__release_items__keep=True)
    votes = Review.objects.filter(
        kept, undone_at__isnull=True, created_at__lte=release.created_at
    ).exclude(verdict="skip")
    by_item = votes.order_by().values("item_id").annotate(readers=Count("reviewer", distinct=True))
    found = by_item.aggregate(
        items=Count("item_id"), twice=Count("item_id", filter=Q(readers__gte=2))
    )
    edits = Revision.objects.filter(
        benchmark_id=release.benchmark_id, verb="edit_item", at__lte=release.created_at
    )
    boxes = Revision.objects.filter(
        benchmark_id=release.benchmark_id, verb="change_roi", at__lte=release.created_at
    )
    return Process(
        voted=found["items"],
        twice=found["twice"],
        votes=votes.count(),
        readers=votes.order_by().values("reviewer").distinct().count(),
        edits=edits.count(),
        edited=edits.order_by().values("target_id").distinct().count(),
        boxes=boxes.count(),
    )


def _published(release: Release) -> list[tuple[str, dict[str, Any] | None]]:
    rows = LeaderboardEntry.objects.filter(
        release=release, published_at__isnull=False, run__contestant__is_reference=False
    )
    return list(rows.values_list("run__contestant__name", "figures__judge"))
