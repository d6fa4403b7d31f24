"""The question with which an adjudicator gave an item back to its readers."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Item, ItemVersion, Revision

OPENING = "Returned: "  # how the reason of a returned item's version begins


@dataclass(frozen=True)
class Returned:
    question: str
    at: datetime


def open_question(item: Item, version: ItemVersion) -> Returned | None:
    """Return the question that waits for answers on `version`, the current one of `item`.

    It is open until the item is settled, edited, or decided. An item that was never opened
    again is not looked up.
    """
    if version.votes_since == 1 or item.keep is not None:
        return None
    asked = Revision.objects.filter(
        target_kind="item",
        target_id=item.pk,
        verb="return_item",
        after__version=version.votes_since,
    ).first()
    return Returned(asked.reason, asked.at) if asked else None
