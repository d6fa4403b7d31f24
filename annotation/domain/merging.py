"""Brings two edits of one version together, field by field; nothing of either side is lost.

What means something only as a whole is one part: a key is a place among options, a window has
two ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PARTS: dict[str, tuple[str, ...]] = {
    "stem": ("stem",),
    "options": ("options", "key_index"),
    "reference_answer": ("reference_answer",),
    "accepted_variants": ("accepted_variants",),
    "question_type": ("question_type",),
    "window": ("start", "end"),
    "roi": ("roi",),
}
Content = Mapping[str, Any]


@dataclass(frozen=True)
class Merge:
    """`content` holds what both sides changed; a part in `conflicts` was changed by both to
    different things, stands there as `theirs` has it, and is for a person to choose."""

    content: dict[str, Any]
    conflicts: tuple[str, ...]

    @property
    def is_clean(self) -> bool:
        return not self.conflicts


def merge(base: Content, mine: Content, theirs: Content) -> Merge:
    """Merge two contents that were both made from `base`.

    Each maps every field of PARTS to its value. Without conflicts the order of the sides does
    not matter.
    """
    content: dict[str, Any] = {}
    conflicts = []
    for part, fields in PARTS.items():
        was, ours, other = ([side[name] for name in fields] for side in (base, mine, theirs))
        if ours not in (was, other) and other != was:
            conflicts.append(part)
        chosen = ours if other == was else other
        content |= dict(zip(fields, chosen, strict=True))
    return Merge(content, tuple(conflicts))


def changed_parts(before: Content, after: Content) -> list[str]:
    """Return the parts in which two contents differ."""
    return [
        part
        for part, fields in PARTS.items()
        if any(before[name] != after[name] for name in fields)
    ]
