"""The item versions that predictions are matched to: by video, or by the items' keys."""

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.domain.video_names import closest, match_names
from annotation.models import Release, ReleaseItem, Video
from evaluation.domain.prediction_files import video_part
from evaluation.domain.prediction_matching import AskedItem


def videos_of(files: Iterable[Path], videos: QuerySet[Video]) -> dict[Path, int | None]:
    """Say which of `videos` each file is about: by any spelling known, else by the likeness."""
    spelled: dict[str, int] = {}
    names: dict[str, int] = {}
    for pk, name, spellings in videos.values_list("pk", "name", "files"):
        names[name] = pk
        spelled |= dict.fromkeys((name, *map(str, spellings.values())), pk)
    parts = {path: video_part(path.name) for path in files}
    alike = match_names({part for part in parts.values() if part not in spelled}, names)
    found: dict[Path, int | None] = {}
    for path, part in parts.items():
        match = alike.get(part)
        found[path] = spelled.get(part) or (names[match.video] if match else None)
    return found


def told_videos(release: Release) -> QuerySet[Video]:
    """Return the videos of the benchmark whose names a sender may be told: all but those of
    which the release asks held-out items alone."""
    rows = ReleaseItem.objects.filter(release=release).order_by()
    hidden = rows.filter(held_out=True).values("item_version__item__video")
    shown = rows.filter(held_out=False).values("item_version__item__video")
    return release.benchmark.videos.exclude(Q(pk__in=hidden) & ~Q(pk__in=shown))


def no_video(name: str, videos: QuerySet[Video]) -> str:
    """Say that a file belongs to none of `videos`, and which name is closest."""
    names = videos.values_list("name", flat=True)
    near = closest(video_part(name), names)
    return "no video of the benchmark has this name" + (f"; the closest is {near}" if near else "")


def items_of_video(release: Release, video: int, *, told: bool = False) -> list[AskedItem]:
    """Return the items of `video` in the release's order; with `told` without those that it
    holds out. One query."""
    rows = release.release_items.filter(item_version__item__video=video)
    return _asked(rows.filter(held_out=False) if told else rows)


class KeyedItem(NamedTuple):
    """An item version of a release found by its key, as far as scoring a reply needs it."""

    key: str
    kind: str
    version_id: int
    shown_order: tuple[int, ...]
    key_index: int | None
    keep: bool


def items_with_keys(release: Release, keys: Iterable[str]) -> dict[str, KeyedItem]:
    """Return the items of the release that have one of `keys`, by key, without those that it
    holds out. One query, which begins at the index of keys, so that it costs the same in a
    release of any size."""
    rows = ReleaseItem.objects.filter(
        release=release,
        held_out=False,
        item_version__item__benchmark=release.benchmark_id,
        item_version__item__key__in=list(keys),
    ).values_list(
        "item_version__item__key",
        "item_version__item__kind",
        "item_version_id",
        Cast("item_version__shown_order", TextField()),
        "item_version__key_index",
        "keep",
    )
    return {
        key: KeyedItem(key, kind, version, _order(order), *rest)
        for key, kind, version, order, *rest in rows.order_by()
    }


@lru_cache(maxsize=1024)
def _order(stored: str) -> tuple[int, ...]:
    """Return a shown order as stored: there are few of them, 24 with four options."""
    return tuple(json.loads(stored))


def _asked(rows: QuerySet[ReleaseItem]) -> list[AskedItem]:
    return [
        AskedItem(
            version_id=version.pk,
            key=version.item.key,
            kind=version.item.kind,
            index=version.item.index,
            stem=version.stem,
            options=tuple(version.options),
            shown_order=tuple(version.shown_order),
            key_index=version.key_index,
            start=version.start,
            end=version.end,
            keep=row.keep,
        )
        for row in rows.select_related("item_version__item").order_by("position")
        for version in [row.item_version]
    ]
