"""The kept items of a release, as figures need them: no texts. What was held out when the
release was frozen is a part of its own, never mixed with the rest.

A release may have a million of them, so they lie in columns, a hundred and some bytes an item,
and are objects only while they are looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, overload

import numpy as np

from annotation.models import Release, ReleaseItem
from evaluation.domain.metrics import AskedItem
from evaluation.domain.uncertainty import Ints

CHUNK = 5_000


@dataclass(frozen=True)
class KeptItem:
    """One kept item version of a release; `options` is 0 for a free response, `variants` are
    the answers that its judge is to accept beside the reference answer."""

    version_id: int
    item_id: int
    text_digest: str
    clip_digest: str
    options: int
    asked: AskedItem
    variants: tuple[str, ...] = ()


@dataclass
class KeptItems(Sequence[KeptItem]):
    """Kept items in the order of their release. `names` are the kinds, question types and
    categories, and `named` the place in it of each item's three; few items have variants."""

    ids: Ints  # a row an item: version, item, source, options
    seconds: np.ndarray
    digests: np.ndarray  # a row an item: text, clip; ASCII, 64 bytes each
    named: Ints
    names: list[str]
    variants: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> KeptItem: ...
    @overload
    def __getitem__(self, place: slice) -> list[KeptItem]: ...
    def __getitem__(self, place: int | slice) -> KeptItem | list[KeptItem]:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        place = range(len(self))[place]
        return next(self._from(place, place + 1))

    def __iter__(self) -> Iterator[KeptItem]:
        for start in range(0, len(self), CHUNK):
            yield from self._from(start, min(len(self), start + CHUNK))

    def _from(self, start: int, end: int) -> Iterator[KeptItem]:
        part = slice(start, end)
        rows = zip(
            self.ids[part].tolist(), self.seconds[part].tolist(), self.digests[part].tolist(),
            self.named[part].tolist(), range(start, end), strict=True,
        )  # fmt: skip
        for (version, item, source, options), seconds, (text, clip), named, place in rows:
            kind, question_type, category = (self.names[one] for one in named)
            asked = AskedItem(kind, question_type, seconds, category, source)
            variants = self.variants.get(place, ())
            yield KeptItem(version, item, text.decode(), clip.decode(), options, asked, variants)


def kept_items(release: Release, *, held_out: bool = False) -> KeptItems:
    """Return the kept items of `release` in its order: those of its public part, or those that
    it froze as held out. One query."""
    rows = (
        ReleaseItem.objects.filter(release=release, keep=True, held_out=held_out)
        .order_by("position")
        .values_list(
            "item_version_id",
            "item_version__item_id",
            "item_version__item__video__source_id",
            "item_version__shown_order",
            "item_version__start",
            "item_version__end",
            "item_version__text_digest",
            "item_version__clip_digest",
            "item_version__item__kind",
            "item_version__question_type",
            "item_version__item__video__category",
            "item_version__accepted_variants",
        )
    )
    return _in_columns(rows.iterator(chunk_size=CHUNK))


def _in_columns(rows: Iterator[tuple[Any, ...]]) -> KeptItems:
    parts: list[tuple[np.ndarray, ...]] = [_columns([], {})]
    codes: dict[str, int] = {}
    variants: dict[int, tuple[str, ...]] = {}
    count = 0
    while chunk := list(islice(rows, CHUNK)):
        parts.append(_columns(chunk, codes))
        variants |= {count + n: tuple(row[-1]) for n, row in enumerate(chunk) if row[-1]}
        count += len(chunk)
    ids, seconds, digests, named = (np.concatenate(column) for column in zip(*parts, strict=True))
    return KeptItems(ids, seconds, digests, named, list(codes), variants)


def _columns(rows: list[tuple[Any, ...]], codes: dict[str, int]) -> tuple[np.ndarray, ...]:
    """Return ids, seconds, digests and names of rows; names that are new are numbered on."""
    named = [[codes.setdefault(name, len(codes)) for name in row[8:11]] for row in rows]
    return (
        np.array([(*row[:3], len(row[3])) for row in rows], dtype=np.int64).reshape(-1, 4),
        np.array([row[5] - row[4] for row in rows], dtype=float),
        np.array([row[6:8] for row in rows], dtype="S64").reshape(-1, 2),
        np.array(named, dtype=np.int32).reshape(-1, 3),
    )


def chance(items: Sequence[KeptItem]) -> float | None:
    """Return the share of the MCQs that guessing gets right, 0 to 1; None without MCQs."""
    total, count = 0.0, 0
    for item in items:
        if item.options:
            total, count = total + 1 / item.options, count + 1
    return total / count if count else None
