"""How a benchmark is spread: places of the key, types, kinds and lengths of clips."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.audit.items import AuditItem, Mcq

LENGTHS = ((5.0, "0–5 s"), (10.0, "5–10 s"), (20.0, "10–20 s"), (float("inf"), "over 20 s"))


@dataclass(frozen=True)
class Spread:
    """Counts by label, in order, and the p of their being even (None where that is not asked)."""

    name: str
    counts: tuple[tuple[str, int], ...]
    p: float | None = None


def balance(items: Sequence[AuditItem], mcqs: Sequence[Mcq]) -> list[Spread]:
    """Return how the kept items are spread."""
    kept = [item for item in items if item.keep]
    shown = [item.shown_place for item in kept if item.shown_place is not None]
    sizes = {len(mcq.options) for mcq in mcqs}
    places = max(sizes, default=0)
    even = len(sizes) == 1
    return [
        _places("key place as published", [mcq.key for mcq in mcqs], places, even=even),
        _places("key place as shown", shown, places, even=even),
        _labels("question type", [item.question_type or "none" for item in kept]),
        _labels("kind", [item.kind for item in kept]),
        _lengths(kept),
    ]


def _places(name: str, found: Sequence[int], places: int, *, even: bool) -> Spread:
    counts = Counter(found)
    table = tuple((str(place + 1), counts[place]) for place in range(places))
    return Spread(name, table, evenness([count for _, count in table]) if even else None)


def evenness(counts: Sequence[int]) -> float | None:
    """Return the p of a chi-square test that all places are equally likely; None without two
    places or any count."""
    from scipy.special import chdtrc

    total = sum(counts)
    if len(counts) < 2 or not total:
        return None
    expected = total / len(counts)
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    return float(chdtrc(len(counts) - 1, statistic))


def _labels(name: str, found: Sequence[str]) -> Spread:
    return Spread(name, tuple(sorted(Counter(found).items())))


def _lengths(kept: Sequence[AuditItem]) -> Spread:
    counts = Counter(
        next(label for most, label in LENGTHS if item.end - item.start <= most) for item in kept
    )
    return Spread("length of the clip", tuple((label, counts[label]) for _, label in LENGTHS))
