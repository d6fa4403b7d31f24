"""The history page of an item: its versions, two of them side by side, who is behind each field."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.domain.text_diff import Piece, word_diff
from annotation.models import Item, ItemVersion, Revision, User
from annotation.models.item import ItemState
from annotation.queries.history import LABELS, as_text, author_of, lines_of
from annotation.queries.queue import entries
from annotation.queries.votes import votes_seen_by

MOST = 200  # versions listed of one item
MOST_DECISIONS = 50


@dataclass(frozen=True)
class FieldDiff:
    """One field of two versions; `pieces` are the words of both where they differ."""

    label: str
    text: str
    pieces: tuple[Piece, ...]

    @property
    def differs(self) -> bool:
        return bool(self.pieces)


@dataclass(frozen=True)
class Blame:
    """Since which version a field says what it says now; `open_end` where it may be longer."""

    label: str
    text: str
    number: int
    author: str
    at: datetime
    open_end: bool


@dataclass(frozen=True)
class Settled:
    """A moment at which the decision on an item changed."""

    at: datetime
    state: str
    by: str


def item_history(user: User, item: Item, *, old: int | None, new: int | None) -> dict[str, Any]:
    """Return the context of the page; the number of queries does not grow.

    Numbers that no version has, or None, are replaced by the version before the current one
    and by the current one. Decisions are shown to readers who have voted, and to nobody else.
    """
    versions = list(item.versions.select_related("author").order_by("-number")[: MOST + 1])
    current = versions[0]
    right = numbered(item, versions, new) or current
    left = numbered(item, versions, old) or next(
        (one for one in versions if one.number < right.number), right
    )
    voted = votes_seen_by(user, item).own is not None
    return {
        "item": item,
        "label": entries([item], {})[0],
        "current": current,
        "lines": lines_of(versions)[:MOST],
        "all_versions": current.number,
        "old": left,
        "new": right,
        "fields": compared(left, right),
        "blame": blame(versions),
        "voted": voted,
        "decisions": decisions(item) if voted else [],
    }


def numbered(item: Item, versions: list[ItemVersion], number: int | None) -> ItemVersion | None:
    """Return a version by its number, from those at hand where it is among them."""
    if number is None:
        return None
    at_hand = next((one for one in versions if one.number == number), None)
    return at_hand or item.versions.select_related("author").filter(number=number).first()


def compared(old: ItemVersion, new: ItemVersion) -> list[FieldDiff]:
    """Return every field of two versions, as text; the texts are to be escaped where shown."""
    left, right = lined(old), lined(new)
    return [
        FieldDiff(
            label,
            right[field],
            () if left[field] == right[field] else tuple(word_diff(left[field], right[field])),
        )
        for field, label in LABELS.items()
        if left[field] or right[field]
    ]


def lined(version: ItemVersion) -> dict[str, str]:
    """Return the fields as text, each option on its own line."""
    return as_text(version) | {
        "options": "\n".join(version.options),
        "accepted_variants": "\n".join(version.accepted_variants),
    }


def blame(versions: list[ItemVersion]) -> list[Blame]:
    """Return for each field of the newest version where its content comes from."""
    texts = [lined(version) for version in versions]
    found = []
    for field, label in LABELS.items():
        place = 0
        while place + 1 < len(texts) and texts[place + 1][field] == texts[0][field]:
            place += 1
        origin = versions[place]
        if texts[0][field]:
            may_be_older = place == len(versions) - 1 and origin.number > 1
            found.append(
                Blame(
                    label,
                    texts[0][field],
                    origin.number,
                    author_of(origin),
                    origin.created_at,
                    may_be_older,
                )
            )
    return found


def decisions(item: Item) -> list[Settled]:
    """Return how the decision moved, the newest first. Readers are not named."""
    trail = Revision.objects.filter(target_kind="item", target_id=item.pk, after__has_key="state")
    rows = trail.order_by("-id").values_list("at", "verb", "before", "after")
    kinds = {"cast_vote": "votes", "undo_vote": "votes", "import_item": "import"}
    return [
        Settled(at, ItemState(after["state"]).label, kinds.get(verb, "an adjudicator"))
        for at, verb, before, after in rows[:MOST_DECISIONS]
        if after["state"] != before.get("state") and after["state"] in ItemState.values
    ]
