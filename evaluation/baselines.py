"""Baselines: chance and the shortcuts as ordinary models that need no network.

They see the text alone and answer MCQs only; on the leaderboard they are references.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from annotation.domain import shortcuts
from annotation.models import ItemVersion, Release
from annotation.models.item import Kind
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, LeaderboardEntry, Prediction, Provider, Run
from evaluation.models.contestant import Dialect
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition, Origin, RunState

SEED = 20260407
BATCH = 500
PROVIDER = "Baselines"


@dataclass(frozen=True)
class Baseline:
    """A reference model; `name` is its slug and the id that `choose` takes."""

    name: str
    title: str
    note: str


BASELINES: tuple[Baseline, ...] = (
    Baseline("chance", "Chance", "guesses, seeded"),
    Baseline("always-a", "Always A", "sees no video"),
    Baseline("shortest", "Shortest option", "sees no video"),
    Baseline("longest", "Longest option", "sees no video"),
    Baseline("punctuation-length", "Punctuation, then length", "no full stop, else shortest"),
)
NAMES = frozenset(baseline.name for baseline in BASELINES)


def choose(name: str, version: ItemVersion, seed: int = SEED) -> int | None:
    """Return the index in `version.options` that the baseline picks; None without options.

    The rules look at the published order. "chance" draws anew for each item version, the
    same for the same seed. Raises KeyError for a name that is no baseline.
    """
    if name not in NAMES:
        raise KeyError(f"no baseline is called {name!r}; there are {sorted(NAMES)}")
    if not version.options:
        return None
    if name == "chance":
        draw = random.Random(f"{seed}/{version.text_digest}")  # noqa: S311 - a seeded draw
        return draw.randrange(len(version.options))
    return shortcuts.RULES[name](version.options)


def settle_references(release: Release) -> list[LeaderboardEntry]:
    """Make and publish the entry of each baseline on `release`; [] where it keeps no MCQ.

    Idempotent: what stands already stays as it is, what a stopped call left out is made.
    """
    if not release.kept_mcq:
        return []
    entries = []
    for baseline in BASELINES:
        run = _settle_run(release, baseline, ensure_contestant(baseline))
        entries.append(publish_entry(entry=compute_entry(run), by=SYSTEM))
    return entries


def ensure_contestant(baseline: Baseline) -> Contestant:
    """Return the reference model of `baseline`, made where it does not exist yet."""
    provider, _ = Provider.objects.get_or_create(
        name=PROVIDER, defaults={"dialect": Dialect.BASELINE}
    )
    contestant, _ = Contestant.objects.get_or_create(
        slug=baseline.name,
        defaults={
            "name": baseline.title,
            "provider": provider,
            "model_id": baseline.name,
            "note": baseline.note,
            "is_reference": True,
            "price_in": 0,
            "price_out": 0,
        },
    )
    return contestant


@transaction.atomic
def _settle_run(release: Release, baseline: Baseline, contestant: Contestant) -> Run:
    Release.objects.select_for_update().get(pk=release.pk)  # one settler of a release at a time
    known = Run.objects.filter(
        release=release, contestant=contestant, extra__settled_by="release"
    ).first()
    if known:
        return known
    now = timezone.now()
    run = Run.objects.create(
        benchmark_id=release.benchmark_id,
        release=release,
        contestant=contestant,
        condition=Condition.BLIND,
        origin=Origin.ENGINE,
        state=RunState.DONE,
        model_id_asked=contestant.model_id,
        parameters={"seed": SEED},
        started_at=now,
        finished_at=now,
        extra={"settled_by": "release"},
    )
    for versions in _batches(_mcq_versions(release), BATCH):
        Prediction.objects.bulk_create(
            [_prediction(run, baseline, version) for version in versions]
        )
    record(
        by=SYSTEM,
        verb="settle_reference",
        target_kind="run",
        target_id=run.pk,
        benchmark_id=release.benchmark_id,
        after={"release": release.tag, "baseline": baseline.name},
    )
    return run


def _mcq_versions(release: Release) -> Iterable[ItemVersion]:
    """The MCQ versions of `release`, kept or not, slim, in its order."""
    return (
        ItemVersion.objects.filter(release_items__release=release, item__kind=Kind.MCQ)
        .order_by("release_items__position")
        .only("id", "options", "key_index", "text_digest")
        .iterator(chunk_size=2000)
    )


def _batches(versions: Iterable[ItemVersion], size: int) -> Iterable[list[ItemVersion]]:
    rest = iter(versions)
    while batch := list(islice(rest, size)):
        yield batch


def _prediction(run: Run, baseline: Baseline, version: ItemVersion) -> Prediction:
    chosen = choose(baseline.name, version)
    return Prediction(
        run=run,
        item_version=version,
        outcome=Outcome.ANSWERED,
        raw_reply="" if chosen is None else version.options[chosen],
        chosen=chosen,
        score=float(chosen == version.key_index),
        model_version=baseline.name,
    )
