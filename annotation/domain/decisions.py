"""What the votes on an item come to: its state, and whether it is kept."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """`state` is a value of ItemState, `source` of KeepSource; `keep` is None while open."""

    state: str
    keep: bool | None
    source: str


OPEN = Decision("todo", None, "")
FINAL_SOURCE = "adjudicator"


def decide(verdicts: Iterable[str], *, votes_required: int, base: Decision = OPEN) -> Decision:
    """Return the decision that the standing verdicts come to, one verdict a reader.

    Keep and drop side by side are a disagreement, whatever the numbers: an adjudicator
    decides. `votes_required` equal verdicts settle. Below that the `base` stands: a decision
    by import, or none. An adjudicator's decision is not moved by votes.
    """
    if base.source == FINAL_SOURCE:
        return base
    found = list(verdicts)
    keeps, drops = found.count("keep"), found.count("drop")
    if keeps and drops:
        return Decision("disagreement", None, "")
    if keeps >= votes_required:
        return Decision("kept", True, "votes")
    if drops >= votes_required:
        return Decision("dropped", False, "votes")
    if base.keep is None and "unsure" in found:
        return Decision("unsure", None, "")
    return base
