"""Leaks of free-response items: answers that their stem, or their type alone, gives away."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotation.domain.audit.flags import ANSWER_IN_STEM, STEM_IS_TRUTH, TYPE_ANSWER, ItemFlag
from annotation.domain.audit.items import FREE, AuditItem
from annotation.domain.audit.words import content_words

HALF = 0.5
TRUTH_SHARE = 0.6
TYPICAL_WORDS = 20
SHORTEST_TEXT = 3  # content words; below, a share says nothing


@dataclass(frozen=True)
class FreeLeaks:
    """Means over the kept free-response items, 0 to 1: the share of the reference answer's
    content words that stand in the stem, that of the ground truth's, and the share that the
    TYPICAL_WORDS commonest answer words of the item's type (of other types) at other sources
    cover. None where there are no items."""

    n: int
    answer_in_stem: float | None
    truth_in_stem: float | None
    typical_of_type: float | None
    typical_of_others: float | None


@dataclass(frozen=True)
class _Shares:
    item: AuditItem
    answer: float
    truth: float
    own_type: float
    other_types: float
    answer_words: int
    truth_words: int


def free_leaks(items: Sequence[AuditItem]) -> tuple[FreeLeaks, list[ItemFlag]]:
    """Return the means over kept free-response items, and the flags of all that leak."""
    free = [item for item in items if item.kind == FREE and item.reference_answer]
    shares = _shares(free)
    kept = [found for found in shares if found.item.keep]
    means = FreeLeaks(
        len(kept),
        _mean([found.answer for found in kept]),
        _mean([found.truth for found in kept]),
        _mean([found.own_type for found in kept]),
        _mean([found.other_types for found in kept]),
    )
    return means, [flag for found in shares for flag in _flags(found)]


def _flags(found: _Shares) -> Iterator[ItemFlag]:
    enough = found.answer_words >= SHORTEST_TEXT
    if enough and found.answer >= HALF:
        yield ItemFlag(
            found.item.pk,
            ANSWER_IN_STEM,
            f"{100 * found.answer:.0f} % of the reference answer's words stand in the stem.",
        )
    if found.truth_words >= SHORTEST_TEXT and found.truth >= TRUTH_SHARE:
        yield ItemFlag(
            found.item.pk,
            STEM_IS_TRUTH,
            f"{100 * found.truth:.0f} % of the ground truth's words stand in the stem.",
        )
    if enough and found.own_type >= HALF and found.own_type > found.other_types:
        yield ItemFlag(
            found.item.pk,
            TYPE_ANSWER,
            f"{100 * found.own_type:.0f} % of the answer's words are the usual ones of its type.",
        )


def _shares(free: Sequence[AuditItem]) -> list[_Shares]:
    answers = [content_words(item.reference_answer) for item in free]
    typical = _Typical(free, answers)
    found = []
    for item, answer in zip(free, answers, strict=True):
        stem, truth = content_words(item.stem), content_words(item.ground_truth)
        own, others = typical.shares(item, answer)
        found.append(
            _Shares(
                item,
                _covered(answer, stem),
                _covered(truth, stem),
                own,
                others,
                len(answer),
                len(truth),
            )
        )
    return found


class _Typical:
    """The commonest answer words of each type, a source at a time left out."""

    def __init__(self, free: Sequence[AuditItem], answers: Sequence[frozenset[str]]) -> None:
        self.by_type: dict[str, Counter[str]] = defaultdict(Counter)
        self.by_source: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for item, answer in zip(free, answers, strict=True):
            self.by_type[item.question_type].update(answer)
            self.by_source[item.question_type, item.source].update(answer)
        self.known: dict[tuple[str, str], frozenset[str]] = {}

    def words(self, question_type: str, source: str) -> frozenset[str]:
        """Return the commonest answer words of a type at other sources than `source`."""
        if (question_type, source) not in self.known:
            own = self.by_source.get((question_type, source), Counter())
            # Only what is among the commonest before can be so after leaving a source out,
            # give or take as many words as that source has.
            most = self.by_type[question_type].most_common(TYPICAL_WORDS + len(own))
            ranked = sorted(most, key=lambda pair: (own[pair[0]] - pair[1], pair[0]))
            common = [word for word, count in ranked if count > own[word]]
            self.known[question_type, source] = frozenset(common[:TYPICAL_WORDS])
        return self.known[question_type, source]

    def shares(self, item: AuditItem, answer: frozenset[str]) -> tuple[float, float]:
        """Return how much of an answer the words of its own type cover, and the mean over the
        other types."""
        own = _covered(answer, self.words(item.question_type, item.source))
        others = [
            _covered(answer, self.words(other, item.source))
            for other in list(self.by_type)
            if other != item.question_type
        ]
        return own, sum(others) / len(others) if others else 0.0


def _covered(words: frozenset[str], by: frozenset[str]) -> float:
    return len(words & by) / len(words) if words else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
