"""How sure a model says it is, and how well that fits what it gets right."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10
TAIL = 2_000  # characters of a reply in which the confidence is looked for
SENTENCE = (
    'On the last line write "Confidence: " and how sure you are that your answer is right, from'
    " 0 % to 100 %."
)
_STATED = re.compile(
    r"(?<!\w)confidence[*_`]*[ \t]*(?:(?:is|=|:)[ \t]*)?[*_`]*[ \t]*"
    r"(?P<number>\d{1,3}(?:[.,]\d{1,6})?)(?P<percent>[ \t]*%)?(?![\w.,]*\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Calibration:
    """`ece` and `brier` over `n` answers with a stated confidence, both 0 (best) to 1; `mean`
    is the mean confidence, `right` the share that was right, both 0 to 1."""

    n: int
    ece: float
    brier: float
    mean: float
    right: float


def read_confidence(reply: str) -> float | None:
    """Return the confidence that a reply states last, 0 to 1; None where it states none.

    "85 %" and "85" are 0.85, "0.85" is itself; "1" without a percent sign is no statement that
    can be told apart, and what lies beyond 100 % is none.
    """
    stated = list(_STATED.finditer(reply[-TAIL:]))
    if not stated:
        return None
    last = stated[-1]
    value = float(last["number"].replace(",", "."))
    if last["percent"] or value > 1:
        value /= 100
    elif value == 1 and "." not in last["number"]:
        return None
    return value if value <= 1 else None


def calibration(confidence: Sequence[float], right: Sequence[bool]) -> Calibration | None:
    """Return how well stated confidences fit; None without any.

    ECE = Σ |B|/n · |share right in B − mean confidence in B| over BINS bins of equal width,
    closed above, as in Guo et al. (2017); Brier = mean of (confidence − right)².
    """
    if not len(confidence):
        return None
    said, was = np.asarray(confidence, dtype=float), np.asarray(right, dtype=float)
    place = np.clip(np.ceil(said * BINS).astype(int) - 1, 0, BINS - 1)
    gaps = np.bincount(place, weights=was - said, minlength=BINS)
    return Calibration(
        n=len(said),
        ece=float(np.abs(gaps).sum() / len(said)),
        brier=float(np.mean((said - was) ** 2)),
        mean=float(said.mean()),
        right=float(was.mean()),
    )
