"""How an item came to be what it is: its versions and what changed between them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.domain.clock import clock
from annotation.domain.question_texts import type_label
from annotation.models import Item, ItemVersion

MOST = 50  # versions shown of one item
LABELS = {
    "stem": "stem",
    "options": "options",
    "key_index": "key",
    "reference_answer": "reference answer",
    "accepted_variants": "accepted variants",
    "question_type": "type",
    "start": "window start",
    "end": "window end",
    "roi": "ROI",
}


@dataclass(frozen=True)
class Change:
    """One field of one version, as text."""

    label: str
    before: str
    after: str

    @property
    def is_short(self) -> bool:
        return len(self.before) + len(self.after) < 40


@dataclass(frozen=True)
class VersionLine:
    number: int
    at: datetime
    author: str
    reason: str
    changes: tuple[Change, ...]


def history(item: Item) -> list[VersionLine]:
    """Return the versions of an item, the newest first; one query."""
    versions = item.versions.select_related("author").order_by("-number")[: MOST + 1]
    return lines_of(list(versions))[:MOST]


def lines_of(versions: list[ItemVersion]) -> list[VersionLine]:
    """Return a line for each version, read with its author; the newest comes first."""
    older = [*versions[1:], None]
    return [
        VersionLine(
            version.number,
            version.created_at,
            author_of(version),
            version.reason,
            tuple(changes(before, version)) if before else (),
        )
        for version, before in zip(versions, older, strict=True)
    ]


def author_of(version: ItemVersion) -> str:
    return version.author.get_username() if version.author else "import"


def changes(before: ItemVersion, after: ItemVersion) -> list[Change]:
    old, new = as_text(before), as_text(after)
    return [
        Change(label, old[field], new[field])
        for field, label in LABELS.items()
        if old[field] != new[field]
    ]


def as_text(version: ItemVersion) -> dict[str, str]:
    key = version.key_index
    return {
        "stem": version.stem,
        "options": " / ".join(version.options),
        "key_index": version.options[key] if key is not None else "",
        "reference_answer": version.reference_answer,
        "accepted_variants": " / ".join(version.accepted_variants),
        "question_type": type_label(version.question_type).title,
        "start": clock(version.start),
        "end": clock(version.end),
        "roi": percents(version),
    }


def percents(version: ItemVersion) -> str:
    sides = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    return " ".join(f"{side * 100:.1f}" for side in sides) + " %"


def key_since(lines: list[VersionLine]) -> int:
    """Return the number of the version since which the answer has been what it is."""
    answers = {"key", "reference answer", "accepted variants", "options"}
    for line in lines:
        if any(change.label in answers for change in line.changes):
            return line.number
    return lines[-1].number if lines else 1


def roi_pixels(version: ItemVersion, width: int | None, height: int | None) -> dict[str, Any]:
    """Return the ROI as `share` of the frame in percent, and in pixels where the size is known."""
    share = round(version.roi_w * version.roi_h * 100)
    if not width or not height:
        return {"share": share, "pixels": ""}
    pixels = f"{round(version.roi_w * width)} × {round(version.roi_h * height)} px"
    return {"share": share, "pixels": pixels}
