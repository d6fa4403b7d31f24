"""Faults of wording: what the clip cannot show, options that read the same, near-duplicates."""

import re
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from annotation.domain.audit.flags import (
    BANNED_PHRASE,
    NEAR_DUPLICATE,
    SAME_OPTIONS,
    ItemFlag,
)
from annotation.domain.audit.items import AuditItem
from annotation.domain.audit.words import jaccard, words_of
from annotation.domain.question_texts import without_opening

# A clip has no sound, and text on the screen is not to be read off: the answer stands in it.
BANNED = re.compile(
    r"\b(?:narrat\w+|voice-?over|speakers?|presenters?|instructors?|lecturers?|transcripts?"
    r"|subtitles?|captions?|audio|spoken|verbal(?:ly)?|says|mentions|mentioned"
    r"|as (?:stated|described|explained|announced)|on-?screen (?:text|labels?|annotations?)"
    r"|text overlays?|title (?:card|slide)s?|written on the (?:screen|image))\b",
    re.I,
)
ALIKE = 0.8
HASHES = 64
BANDS = 16
PRIME = np.uint64((1 << 31) - 1)


def text_flags(items: Sequence[AuditItem]) -> Iterator[ItemFlag]:
    """Yield the flags of wording, item by item, then those of near-duplicates."""
    for item in items:
        for part, text in _parts(item):
            if found := BANNED.search(text):
                yield ItemFlag(
                    item.pk,
                    BANNED_PHRASE,
                    f"“{found.group()}” in the {part}: a silent, cropped clip cannot show it.",
                )
                break
        plain = [" ".join(words_of(option)) for option in item.options]
        if len(set(plain)) < len(plain):
            yield ItemFlag(item.pk, SAME_OPTIONS, "Two options read the same.")
    yield from duplicate_flags(items)


def _parts(item: AuditItem) -> Iterator[tuple[str, str]]:
    yield "stem", item.stem
    yield from (("options", option) for option in item.options)
    yield "reference answer", item.reference_answer


def duplicate_flags(items: Sequence[AuditItem]) -> Iterator[ItemFlag]:
    """Yield the items that nearly repeat an earlier item of their kind.

    Two items are near-duplicates where their pairs of neighbouring words are alike by at least
    ALIKE (Jaccard). Candidates come from MinHash bands (Broder 1997), each item being compared
    with the first of its band alone, so that the cost grows with the number of items only.
    """
    shingles = [_shingles(item) for item in items]
    buckets: dict[tuple[str, int, bytes], int] = {}
    for index, (item, found) in enumerate(zip(items, shingles, strict=True)):
        twin = None
        for band, signature in enumerate(_bands(found)):
            first = buckets.setdefault((item.kind, band, signature), index)
            if twin is None and first != index and jaccard(found, shingles[first]) >= ALIKE:
                twin = first
        if twin is not None:
            stem = without_opening(items[twin].stem)[:90]
            reason = f"Nearly repeats item {items[twin].pk}: “{stem}”."
            yield ItemFlag(item.pk, NEAR_DUPLICATE, reason)


def _shingles(item: AuditItem) -> frozenset[str]:
    words = words_of(without_opening(item.stem))
    for text in (*sorted(item.options), item.reference_answer):
        words += words_of(text)
    return frozenset(f"{one} {two}" for one, two in pairwise(words)) or frozenset(words)


def _bands(shingles: frozenset[str]) -> Iterator[bytes]:
    if not shingles:
        return
    codes = (
        np.array(
            [zlib.crc32(text.encode("utf-8", "surrogatepass")) for text in shingles],
            dtype=np.uint64,
        )
        % PRIME
    )
    lowest = ((codes[:, None] * MULTIPLIERS + ADDENDS) % PRIME).min(axis=0)
    yield from (part.tobytes() for part in lowest.reshape(BANDS, -1))


_DRAW = np.random.default_rng(20260407)
MULTIPLIERS = _DRAW.integers(1, int(PRIME), HASHES, dtype=np.uint64)
ADDENDS = _DRAW.integers(0, int(PRIME), HASHES, dtype=np.uint64)
