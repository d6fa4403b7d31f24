"""The questions of a release as a file: kept items as a model is asked them, without keys."""

import hashlib
import json
from collections.abc import Iterator

from django.core.cache import cache
from django.db.models import Count, Sum

from annotation.models import Release
from evaluation.queries.public import closed_items, open_items
from evaluation.serializers import ItemSerializer

BATCH = 500
MOST_HASHED = 100_000  # items; a longer file has no hash in its metadata
FORMAT = 1  # a change of the lines makes another one
KEPT_FOR = 30 * 24 * 3600  # seconds; a release never changes, but what is held out of it may


def lines(release: Release) -> Iterator[str]:
    """Yield one line of JSON for each item of the public part, in order. Read in batches."""
    rows = open_items(release).order_by("position", "id")
    found = rows.select_related("item_version__item__video").iterator(chunk_size=BATCH)
    for row in found:
        item = ItemSerializer(row).data
        item["options"] = [f"{letter}. {text}" for letter, text in item["options"].items()]
        yield json.dumps(item, ensure_ascii=False) + "\n"


def sha256(release: Release) -> tuple[str, int] | None:
    """Return (sha256 in hex, bytes) of the file; None where it is too long to be hashed here."""
    if release.kept_mcq + release.kept_free > MOST_HASHED:
        return None
    out = closed_items(release).aggregate(n=Count("pk"), which=Sum("item_version__item"))
    key = f"questions/{FORMAT}/{release.pk}/{release.hash}/{out['n']}-{out['which']}"
    found: tuple[str, int] | None = cache.get(key)
    if found is None:
        digest, size = hashlib.sha256(), 0
        for line in lines(release):
            digest.update(line.encode())
            size += len(line.encode())
        found = digest.hexdigest(), size
        cache.set(key, found, KEPT_FOR)
    return found
