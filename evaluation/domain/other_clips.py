"""Which other item's clip an item is shown in the control condition "shuffled"."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

TRIES = 64


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item whose clip may be shown; `source` is what its pixels come from."""

    version_id: int
    item_id: int
    source: int
    seconds: float


def other_clip(own: Candidate, among: Sequence[Candidate], *, seed: int) -> Candidate | None:
    """Draw the candidate whose clip is shown with `own`, never one of the same source.

    The same arguments give the same clip. None where all come from one source.
    """
    for attempt in range(TRIES):
        drawn = among[_drawn(f"{seed}:{own.item_id}:{attempt}", len(among))]
        if drawn.source != own.source:
            return drawn
    others = [one for one in among if one.source != own.source]
    return others[_drawn(f"{seed}:{own.item_id}", len(others))] if others else None


def _drawn(text: str, count: int) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % count
