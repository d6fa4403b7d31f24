"""Finds the item that a prediction answers, by the texts of questions and options."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotation.domain.questions import Question
from evaluation.domain import letters
from evaluation.domain.mcq import ReadOutcome, read_reply
from evaluation.domain.prediction_files import PredictionRow

STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-"})


@dataclass(frozen=True)
class AskedItem:
    """An item version of a release, as far as matching and scoring need it."""

    version_id: int
    key: str
    kind: str
    index: int
    stem: str
    options: tuple[str, ...]
    shown_order: tuple[int, ...]
    key_index: int | None
    start: float
    end: float
    keep: bool


@dataclass(frozen=True)
class Matched:
    """`shown[i]` is the index in the item's options of the option that the file's question
    shows at place i; `by` says which text matched."""

    item: AskedItem
    shown: tuple[int, ...]
    by: str


class NoMatch(ValueError):
    """No item, or more than one, has the row's texts; the message says which."""


@dataclass(frozen=True)
class Choice:
    """What an MCQ's reply chose: an index into the item's options, or none and why."""

    chosen: int | None
    outcome: ReadOutcome


def loose(text: str) -> str:
    """Return `text` with typographic signs and spaces made plain, for comparing alone."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).translate(STRAIGHT)).strip()


def match_row(row: PredictionRow, items: Iterable[AskedItem]) -> Matched:
    """Return the item that `row` answers, among the `items` of its video.

    The item at the row's place is tried first, then the others; each by `question`, then by
    `original_question`, then by stem and options in whatever order. A place alone is never
    enough. Raises NoMatch.
    """
    items = [item for item in items if (item.kind == "mcq") == bool(row.shown.options)]
    for by, wanted in (("question", row.shown), ("original_question", row.original)):
        found = [item for item in items if wanted and _same(item, wanted)]
        if found:
            return _only(row, found, by)
    found = [
        item
        for item in items
        if _same_stem(item, row.shown) and _order(item, row.shown) is not None
    ]
    if found:
        return _only(row, found, "options in another order")
    if any(item.index == row.index for item in items):
        raise NoMatch("is not the text of the item at this place, nor of any other of its video")
    raise NoMatch("is not the text of any item of its video in this release")


def _only(row: PredictionRow, found: list[AskedItem], by: str) -> Matched:
    at_place = [item for item in found if item.index == row.index]
    if len(found) > 1 and len(at_place) != 1:
        raise NoMatch(f"is the text of {len(found)} items, none of them at this place")
    item = at_place[0] if at_place else found[0]
    order = _order(item, row.shown)
    if order is None:
        raise NoMatch("shows other options than the item has")
    return Matched(item, order, by)


def _same_stem(item: AskedItem, question: Question) -> bool:
    return loose(item.stem) == loose(question.stem)


def _same(item: AskedItem, question: Question) -> bool:
    return _same_stem(item, question) and (
        [loose(option) for option in item.options] == [loose(option) for option in question.options]
    )


def _order(item: AskedItem, shown: Question) -> tuple[int, ...] | None:
    """Return the place in the item's options of each shown one, by text; each is used once."""
    if len(item.options) != len(shown.options):
        return None
    free = dict(enumerate(item.options))
    order = []
    for option in shown.options:
        place = next((place for place, text in free.items() if text == option), None)
        if place is None:
            plain = loose(option)
            place = next((place for place, text in free.items() if loose(text) == plain), None)
        if place is None:
            return None
        del free[place]
        order.append(place)
    return tuple(order)


def read_choice(row: PredictionRow, matched: Matched) -> Choice:
    """Return what an MCQ's reply chose: the stated letter, mapped back to the item's option.

    A letter beyond the options, or none, is no answer.
    """
    return choose(row.prediction if row.prediction.strip() else row.raw, matched.shown)


def choose(reply: str, shown: Sequence[int]) -> Choice:
    """Return the option that `reply` states, where `shown[i]` is the index of the option at
    place i: a bare letter counts as it stands, of anything else its explicit statement."""
    stated = reply.strip()
    if len(stated) == 1 and stated.isascii() and stated.isalpha():
        place = letters.place(stated)
        if place < len(shown):
            return Choice(shown[place], ReadOutcome.ANSWERED)
        return Choice(None, ReadOutcome.ABSTAINED)
    reading = read_reply(reply, len(shown))
    if reading.index is None:
        return Choice(None, reading.outcome)
    return Choice(shown[reading.index], ReadOutcome.ANSWERED)


def claims_doubted(row: PredictionRow, matched: Matched) -> list[tuple[str, str]]:
    """Say where the file's own words on the item differ from the release; ours count."""
    item, claims, found = matched.item, row.claims, []
    claimed = claims.get("answer")
    if item.key_index is not None and isinstance(claimed, str) and len(claimed) == 1:
        place = matched.shown.index(item.key_index)
        if claimed.upper() != letters.letter(place):
            found.append(("answer", "is another option than the item's key; ours counts"))
    if isinstance(claims.get("keep"), bool) and claims["keep"] != item.keep:
        found.append(("keep", f"is {str(claims['keep']).lower()}, unlike the release's"))
    for name, ours in (("time_start", item.start), ("time_end", item.end)):
        if isinstance(claims.get(name), int | float) and abs(claims[name] - ours) > 0.005:
            found.append((name, f"is {claims[name]:g}, not {ours:g}: another clip was seen"))
    return found + _letter_doubted(row, matched)


def _letter_doubted(row: PredictionRow, matched: Matched) -> list[tuple[str, str]]:
    """Say where the letter in the file is not the one that the reply itself states."""
    stated = row.prediction.strip()
    if not matched.item.options or len(stated) != 1 or row.raw == row.prediction:
        return []
    reading = read_reply(row.raw, len(matched.shown))
    if reading.index is None or letters.letter(reading.index) == stated.upper():
        return []
    own = letters.letter(reading.index)
    return [("model_prediction", f"is {stated}, though the reply states {own}; the file's counts")]
