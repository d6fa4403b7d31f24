"""Which words of a text went, and which came."""

import re
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

# A number is one word, with its sign, point and separators: 0.4375 is not "0", ".", "4375".
WORD = re.compile(r"\s+|(?<![\w.])[+-]?\d+(?:[.,:]\d+)*%?(?!\w)|\w+|[^\w\s]")
MOST_WORDS = 2_000  # longer texts are shown as wholly replaced: their cost grows with the square


class Fate(StrEnum):
    STAYED = "stayed"
    WENT = "went"
    CAME = "came"


class Piece(NamedTuple):
    fate: Fate
    text: str


def word_diff(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in reading order.

    Those that stayed or went make up `before`, those that stayed or came make up `after`.
    """
    old, new = WORD.findall(before), WORD.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return _pieces((Fate.WENT, before), (Fate.CAME, after))
    found = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        went, came = "".join(old[a:b]), "".join(new[c:d])
        if tag == "equal":
            found.append((Fate.STAYED, went))
        else:
            found += [(Fate.WENT, went), (Fate.CAME, came)]
    return _pieces(*found)


def _pieces(*found: tuple[Fate, str]) -> list[Piece]:
    return [Piece(fate, text) for fate, text in found if text]
