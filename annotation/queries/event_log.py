"""A video's event log as one reader may see it now."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.models import Event, Item, User
from annotation.queries.answering import Answering, sealed_items

MOST = 2_000  # events of one video on a timeline
MOST_SEALED = 2_000
MARGIN = 5.0  # seconds around a sealed item's window in which the narration may tell its key
Sealed = tuple[float, float, str]


@dataclass(frozen=True)
class EventLog:
    """`events` in seconds from the start of the video; `closed` counts those held back."""

    events: list[dict[str, Any]]
    closed: int


def event_log(user: User, item: Item, stands: Answering) -> EventLog:
    """Return the log of the video of `item`, without what tells the key of an item that `user`
    has to answer first: entries about its time, and the statement it was written from.

    One query, two where the reader answers any items first.
    """
    fields = ("start", "end", "action", "interpretation")
    rows: list[dict[str, Any]] = list(Event.objects.filter(video=item.video).values(*fields)[:MOST])
    if not stands.anywhere:
        return EventLog(rows, 0)
    waiting = sealed_items(user, item.video)
    shut = list(waiting.values_list("start", "end", "current__ground_truth")[:MOST_SEALED])
    shown = [row for row in rows if not tells(row, shut)]
    return EventLog(shown, len(rows) - len(shown))


def tells(event: dict[str, Any], sealed: Iterable[Sealed]) -> bool:
    """Say whether an entry may give away the key of one of the sealed items (start, end, ground
    truth)."""
    said = [plain(event["action"]), plain(event["interpretation"])]
    return any(
        (event["start"] < end + MARGIN and event["end"] > start - MARGIN)
        or any(overlap(text, plain(truth)) for text in said)
        for start, end, truth in sealed
    )


def overlap(text: str, truth: str) -> bool:
    """Say whether one statement holds the other; a word alone holds nothing."""
    shorter = min(len(text), len(truth))
    return shorter > 12 and (text in truth or truth in text)


def plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .")
