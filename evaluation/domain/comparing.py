"""Compares two entries of one release: paired differences by slice, and who is right where.

Differences come from the sums by source that each entry stores (see `board_tests`), so they
cost the same at any number of items. Scores are from 0 to 1, NaN where there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evaluation.domain.uncertainty import Difference, Floats, Ints, difference_from_sums

GROUPS = ("type", "duration", "category")
KINDS = ("mcq", "free")
QUADRANTS = ("only-a", "only-b", "both", "neither")


class NotComparable(ValueError):
    """Two entries do not stand on the same items; the message says so."""


@dataclass(frozen=True)
class SliceDifference:
    """A minus B on the items of one slice; `group` is "all" or one of GROUPS."""

    group: str
    label: str
    difference: Difference


def slice_differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[SliceDifference]:
    """Return A - B over all items of one kind, then by type, duration and category.

    Takes the stored sums of one kind. Slices that only one entry knows are left out.
    Raises NotComparable where sources or numbers of items differ.
    """
    if a["sources"] != b["sources"] or a["sizes"] != b["sizes"]:
        raise NotComparable("These entries do not stand on the same items.")
    found = [SliceDifference("all", "", _difference(a, b))]
    for group in GROUPS:
        ours, theirs = a.get(f"by_{group}", {}), b.get(f"by_{group}", {})
        found += [
            SliceDifference(group, label, _difference(part, theirs[label]))
            for label, part in ours.items()
            if label in theirs and part["sizes"] == theirs[label]["sizes"]
        ]
    return found


def _difference(a: Mapping[str, Any], b: Mapping[str, Any]) -> Difference:
    sums = np.array(a["sums"], dtype=float) - np.array(b["sums"], dtype=float)
    return difference_from_sums(sums, np.array(a["sizes"], dtype=np.int64))


@dataclass(frozen=True)
class Pairing:
    """The scores of two entries, item by item, in the release's order.

    `kinds` and `types` are indexes into KINDS and `type_names`. Never served to the public.
    """

    versions: Ints
    kinds: Ints
    types: Ints
    type_names: tuple[str, ...]
    a: Floats
    b: Floats

    def counts(self, kind: str) -> dict[str, int]:
        """Return how many items of `kind` lie in each quadrant."""
        return {quadrant: len(self.places(kind, quadrant)) for quadrant in QUADRANTS}

    def places(self, kind: str, quadrant: str = "", question_type: str = "") -> Ints:
        """Return the places of the items of a kind, a quadrant and a type ("": any).

        Right is the most that an item can give; a partial score or none is not right.
        """
        chosen = self.kinds == KINDS.index(kind)
        if question_type:
            known = question_type in self.type_names
            place = self.type_names.index(question_type) if known else -1
            chosen = chosen & (self.types == place)
        if quadrant:
            right_a, right_b = self.a >= 1, self.b >= 1
            wanted = {
                "only-a": right_a & ~right_b,
                "only-b": right_b & ~right_a,
                "both": right_a & right_b,
                "neither": ~right_a & ~right_b,
            }
            chosen = chosen & wanted[quadrant]
        return np.flatnonzero(chosen)
