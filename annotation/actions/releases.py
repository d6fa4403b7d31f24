"""Freezes releases."""

import re
from collections.abc import Iterable
from itertools import islice

from django.db import transaction
from django.db.models import QuerySet

from annotation.actions.trail import record
from annotation.domain.versions import digest
from annotation.models import Benchmark, Item, Release, ReleaseItem, User
from annotation.models.item import Kind
from annotation.permissions import Verb, require
from annotation.signals import release_made

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")
BATCH = 500


class ReleaseRefused(ValueError):
    """A release cannot be made; the message says why, in one sentence."""


@transaction.atomic
def make_release(*, benchmark: Benchmark, tag: str, notes: str = "", by: User | str) -> Release:
    """Freeze the current item versions and keep decisions of `benchmark` under `tag`.

    Every item that has a version is part of the release; those that are not settled as kept
    are in it with `keep` false. `release_made` is sent once the transaction has committed.

    Raises ReleaseRefused where the tag is malformed or taken, or no item is kept, and
    PermissionDenied where an account `by` may not make releases.
    """
    if isinstance(by, User):
        require(by, Verb.ADJUDICATE)
    if not TAG.fullmatch(tag):
        raise ReleaseRefused(
            f"{tag!r} is no release tag: 1 to 32 letters, digits, dots, hyphens and underscores, "
            "the first a letter or digit."
        )
    # Two people who freeze at once must not both see that the tag is free.
    benchmark = Benchmark.objects.select_for_update().get(pk=benchmark.pk)
    if benchmark.releases.filter(tag=tag).exists():
        raise ReleaseRefused(f"{benchmark.slug} has a release {tag} already; releases are frozen.")
    if not _frozen_items(benchmark).filter(keep=True).exists():
        raise ReleaseRefused(f"No item of {benchmark.slug} is kept, so there is nothing to freeze.")
    release = _write(benchmark, tag, notes, by)
    record(
        by=by,
        verb="make_release",
        target_kind="release",
        target_id=release.pk,
        benchmark_id=benchmark.pk,
        after={
            "tag": tag,
            "hash": release.hash,
            "mcq": release.kept_mcq,
            "free": release.kept_free,
        },
        reason=notes,
    )
    transaction.on_commit(lambda: release_made.send(sender=Release, release=release))
    return release


def release_hash(rows: Iterable[tuple[str, str, bool]]) -> str:
    """Return the sha256 (hex) over (item key, version digest, keep), in the order of the keys.

    A version digest covers text, key, window, segment and ROI (`annotation.domain.versions`).
    """
    return digest(sorted(rows))


def _frozen_items(benchmark: Benchmark) -> QuerySet[Item]:
    return benchmark.items.filter(current__isnull=False)


def _write(benchmark: Benchmark, tag: str, notes: str, by: User | str) -> Release:
    items = _frozen_items(benchmark)
    hashed = release_hash(
        (key, version_digest, keep is True)
        for key, version_digest, keep in items.values_list(
            "key", "current__digest", "keep"
        ).iterator()
    )
    release = Release.objects.create(
        benchmark=benchmark,
        tag=tag,
        hash=hashed,
        notes=notes,
        kept_mcq=items.filter(keep=True, kind=Kind.MCQ).count(),
        kept_free=items.filter(keep=True, kind=Kind.FREE).count(),
        created_by=by if isinstance(by, User) else None,
    )
    rows = items.order_by("position", "pk").values_list("current_id", "keep", "held_out")
    frozen = (
        ReleaseItem(
            release=release,
            item_version_id=version,
            keep=keep is True,
            held_out=held_out,
            position=place,
        )
        for place, (version, keep, held_out) in enumerate(rows.iterator(chunk_size=4 * BATCH))
    )
    while batch := list(islice(frozen, BATCH)):
        ReleaseItem.objects.bulk_create(batch)
    return release
