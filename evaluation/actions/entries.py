"""Stores, publishes and withdraws leaderboard entries. Nothing published changes silently:
other figures are another version, and its publication says what changed."""

from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from annotation.domain.versions import digest
from annotation.models import Release, User
from annotation.permissions import Verb, require
from evaluation.models import LeaderboardEntry, Run
from evaluation.models.run import RunState

SETTLED = (RunState.DONE, RunState.CANCELLED, RunState.FAILED)


class EntryRefused(ValueError):
    """An entry cannot be published or withdrawn; the message says why, in one sentence."""


@transaction.atomic
def save_entry(
    *,
    run: Run,
    release: Release,
    figures: dict[str, Any],
    clusters: dict[str, Any],
    per_item: dict[str, Any],
    provisional: bool,
    by: User | str = SYSTEM,
) -> LeaderboardEntry:
    """Store figures as the next version of the entry of `run` on `release`, private.

    Returns the stored entry as it is where its newest version holds the same figures.
    """
    Run.objects.select_for_update().get(pk=run.pk)  # two workers must not number one version
    content = {"figures": figures, "clusters": clusters, "per_item": per_item}
    found = digest([release.hash, content])
    newest = LeaderboardEntry.objects.filter(run=run, release=release).order_by("-version").first()
    if newest and newest.hash == found:
        return newest
    entry = LeaderboardEntry.objects.create(
        run=run,
        release=release,
        version=newest.version + 1 if newest else 1,
        hash=found,
        provisional=provisional,
        **content,
    )
    _record(entry, by, "compute_entry")
    return entry


@transaction.atomic
def publish_entry(*, entry: LeaderboardEntry, by: User | str, note: str = "") -> LeaderboardEntry:
    """Show `entry` on the public leaderboard, in the place of an earlier version of it.

    `note` says why figures changed; without it the change itself is noted. Publishing twice
    changes nothing.

    Raises EntryRefused where the run is still working or a newer version of the entry
    exists, and PermissionDenied where an account `by` may not publish.
    """
    if isinstance(by, User):
        require(by, Verb.PUBLISH)
    entry = LeaderboardEntry.objects.select_for_update().select_related("run").get(pk=entry.pk)
    if entry.published_at:
        return entry
    versions = LeaderboardEntry.objects.filter(run=entry.run, release=entry.release)
    if entry.version != versions.aggregate(newest=Max("version"))["newest"]:
        raise EntryRefused("A newer version of this entry exists; publish that one.")
    if entry.run.state not in SETTLED:
        raise EntryRefused("The run is still working; publish it when it is done.")
    before = versions.filter(published_at__isnull=False).order_by("-version").first()
    entry.note = (note or (_change(before, entry) if before else ""))[:300]
    entry.published_at = timezone.now()
    entry.published_by = by if isinstance(by, User) else None
    entry.save(update_fields=["note", "published_at", "published_by"])
    _record(entry, by, "publish_entry", reason=entry.note)
    return entry


@transaction.atomic
def withdraw_entry(*, entry: LeaderboardEntry, by: User | str, note: str) -> LeaderboardEntry:
    """Take the entry of a run on a release off the leaderboard, all its versions.

    Raises EntryRefused without a `note` that says why or where it is not published, and
    PermissionDenied where an account `by` may not publish.
    """
    if isinstance(by, User):
        require(by, Verb.PUBLISH)
    if not note.strip():
        raise EntryRefused("Say why the entry is withdrawn.")
    versions = LeaderboardEntry.objects.filter(run_id=entry.run_id, release_id=entry.release_id)
    if not versions.filter(published_at__isnull=False).update(
        published_at=None, published_by=None, note=note[:300]
    ):
        raise EntryRefused("This entry is not published.")
    entry.refresh_from_db()
    _record(entry, by, "withdraw_entry", reason=note)
    return entry


def _change(before: LeaderboardEntry, after: LeaderboardEntry) -> str:
    parts = []
    for kind, name, of in (("mcq", "MCQ", "of"), ("free", "free response", "points over")):
        old, new = before.figures.get(kind), after.figures.get(kind)
        if old and new and old["points"] != new["points"]:
            parts.append(f"{name} {old['points']} → {new['points']} {of} {new['n']} items")
    if before.figures.get("scored") != after.figures.get("scored"):
        parts.append(f"scored {before.figures.get('scored')} → {after.figures.get('scored')}")
    return "; ".join(parts) or "slices or labels changed, headline figures did not"


def _record(entry: LeaderboardEntry, by: User | str, verb: str, reason: str = "") -> None:
    record(
        by=by,
        verb=verb,
        target_kind="entry",
        target_id=entry.pk,
        benchmark_id=entry.run.benchmark_id,
        after={
            "run": entry.run_id,
            "release": entry.release_id,
            "version": entry.version,
            "hash": entry.hash,
        },
        reason=reason,
    )
