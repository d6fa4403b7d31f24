"""Keeps the store of clips and stills within its life time and size, and free of what is in
quarantine. Sources are never touched."""

import time
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from annotation import media_store
from annotation.models import Video

IN_USE = 3600.0  # seconds since its last use in which a thing is never removed for its size


@dataclass(frozen=True)
class Purged:
    """How many files and bytes were removed, and how many bytes are left."""

    files: int
    bytes: int
    left: int


def purge(*, everything: bool = False, dry_run: bool = False) -> Purged:
    """Remove clips and stills not used for MEDIA_DAYS days, then the least used ones until
    MEDIA_GIGABYTES holds; `everything` removes all of them. They are made again when needed.

    What comes from videos in quarantine goes first: another machine may have been told of it.
    """
    if not dry_run:
        remove_quarantined()
    now = time.time()
    found = sorted(_cached_files(), key=lambda entry: entry[0])
    left = sum(size for _, size, _ in found)
    limit = 0 if everything else settings.MEDIA_GIGABYTES * 1_000_000_000
    oldest = now - settings.MEDIA_DAYS * 86400
    files = removed = 0
    for used, size, path in found:
        over = left > limit and used < now - IN_USE
        if not (everything or used < oldest or over):
            continue
        if not dry_run:
            path.unlink(missing_ok=True)
        files, removed, left = files + 1, removed + size, left - size
    return Purged(files, removed, left)


def remove_quarantined() -> int:
    """Remove what this machine keeps of sources with a video in quarantine; return how many
    files."""
    videos = Video.objects.filter(quarantined_at__isnull=False)
    sources = videos.values_list("source__kind", "source__key").distinct().order_by()
    return sum(media_store.remove_all_of((kind, key)) for kind, key in sources)


def _cached_files() -> list[tuple[float, int, Path]]:
    """Return (time of last use, bytes, path) of what may be removed."""
    found = []
    for kind in media_store.CACHED:
        for path in (media_store.root() / kind).rglob("*"):
            try:
                stat = path.stat()
            except FileNotFoundError:
                continue
            if path.is_file():
                taken = min(stat.st_size, stat.st_blocks * 512)  # parts are files with holes
                found.append((stat.st_mtime, taken, path))
    return found
