"""Proposals that take a surface shortcut out of an item without touching what it asks.

Each repair is a function of one item alone and answers the same twice: on an item that needs
nothing it proposes nothing. Nobody applies one unasked.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

SHORTEST_SECONDS = 2.0
CLOSING = ".!?…:;"
FULL_STOP = re.compile(r"\w[)\]\"'’”]*\.$")  # after a word: "..." and "." alone are none
EPSILON = 1e-6  # seconds


@dataclass(frozen=True)
class Repairable:
    """An item as a repair sees it: options in published order, `shown_order` as indices into
    them, times and `segment` (the length of the video) in seconds. `unshuffled` says that an
    audit found its options in the order in which they were written."""

    kind: str
    options: tuple[str, ...]
    shown_order: tuple[int, ...]
    key_index: int | None
    start: float
    end: float
    segment: float
    unshuffled: bool = False


@dataclass(frozen=True)
class Proposal:
    """`changes` are fields of an edit and their new values; `cosmetic` where votes stay."""

    changes: dict[str, Any]
    words: str
    cosmetic: bool = True


@dataclass(frozen=True)
class RepairKind:
    name: str
    title: str
    propose: Callable[[Repairable], Proposal | None]
    cosmetic: bool = True


def punctuation(item: Repairable) -> Proposal | None:
    """End all options alike: as most of them end, and without a full stop where they tie."""
    texts = [text.strip() for text in item.options]
    stopped = [bool(FULL_STOP.search(text)) for text in texts]
    if item.kind != "mcq" or all(stopped) or not any(stopped):
        return None
    if 2 * sum(stopped) > len(texts):
        ended = [text if text[-1:] in CLOSING else f"{text}." for text in texts]
        words = "Full stop added where it is missing"
    else:
        pairs = zip(texts, stopped, strict=True)
        ended = [text[:-1].rstrip() if stop else text for text, stop in pairs]
        words = "Full stop taken off where only some options have one"
    return _of_options(item, ended, words)


def capitals(item: Repairable) -> Proposal | None:
    """Begin all options with a capital where some do and some do not."""
    texts = [text.strip() for text in item.options]
    small = [text[:1].islower() for text in texts]
    if item.kind != "mcq" or all(small) or not any(small):
        return None
    raised = [text[:1].upper() + text[1:] for text in texts]
    return _of_options(item, raised, "Each option begins with a capital")


def order(item: Repairable) -> Proposal | None:
    """Put the options of an item that was never shuffled into the balanced order in which they
    are shown to models, where the key stands elsewhere now."""
    key = item.key_index
    if item.kind != "mcq" or not item.unshuffled or key is None:
        return None
    if sorted(item.shown_order) != list(range(len(item.options))):
        return None
    place = item.shown_order.index(key)
    if place == key:
        return None
    moved = [item.options[index] for index in item.shown_order]
    words = f"Options in drawn order: the key goes from place {key + 1} to place {place + 1}"
    return Proposal({"options": moved, "key_index": place}, words)


def late_window(item: Repairable) -> Proposal | None:
    """End a window with its segment where it runs past it: no frame is lost by it."""
    if item.end <= item.segment + EPSILON or item.segment <= item.start:
        return None
    over = item.end - item.segment
    return Proposal({"end": item.segment}, f"Window ends with its segment, {over:.2f} s earlier")


def short_window(item: Repairable) -> Proposal | None:
    """Widen a window under SHORTEST_SECONDS about its middle, within its segment."""
    end = min(item.end, item.segment)
    missing = SHORTEST_SECONDS - (end - item.start)
    if missing <= EPSILON or item.segment < SHORTEST_SECONDS:
        return None
    start = min(max(0.0, item.start - missing / 2), item.segment - SHORTEST_SECONDS)
    wide = {"start": round(start, 3), "end": round(start + SHORTEST_SECONDS, 3)}
    words = f"Window widened from {end - item.start:.2f} s to {SHORTEST_SECONDS:.0f} s"
    return Proposal(wide, words, cosmetic=False)


def _of_options(item: Repairable, texts: Sequence[str], words: str) -> Proposal | None:
    """Propose `texts`, unless two of them would be equal or nothing would change."""
    if tuple(texts) == item.options or len(set(texts)) < len(texts):
        return None
    return Proposal({"options": list(texts)}, words)


KINDS: dict[str, RepairKind] = {
    kind.name: kind
    for kind in (
        RepairKind("punctuation", "Uneven final full stops", punctuation),
        RepairKind("capitals", "Uneven first capitals", capitals),
        RepairKind("order", "Options never shuffled", order),
        RepairKind("late-window", "Window past its segment", late_window),
        RepairKind("short-window", "Window under 2 s", short_window, cosmetic=False),
    )
}


def proposals(item: Repairable) -> dict[str, Proposal]:
    """Return what each repair proposes for `item`, by the repair's name."""
    found = {name: kind.propose(item) for name, kind in KINDS.items()}
    return {name: proposal for name, proposal in found.items() if proposal}
