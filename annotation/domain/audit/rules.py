"""The library of single rules: each looks at an MCQ's texts and picks an option, or none.

The rules of `annotation.domain.shortcuts` stand here too. A rule of a measure picks the option
that alone has the most (or the least) of it, and is silent where there is no such option.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.domain import shortcuts
from annotation.domain.audit.features import MEASURES, Matrix, extremes, rows_of
from annotation.domain.audit.items import Mcq
from annotation.domain.clustered import Ints

SILENT = -1
MOST_PLACES = 6
LETTERS = "abcdef"


@dataclass(frozen=True)
class Rule:
    """`family` groups rules that see the same thing; `words` says of a key why the rule picks
    it. A rule is either `of_options`, or the most (or least, `most` false) of `measure`."""

    name: str
    family: str
    words: str
    measure: str = ""
    most: bool = True
    of_options: shortcuts.Rule | None = None


def _at(place: int) -> shortcuts.Rule:
    return lambda options: place if place < len(options) else None


def _odd_length(options: Sequence[str]) -> int | None:
    lengths = np.array([len(text.strip()) for text in options], dtype=float)
    away = np.abs(lengths - np.median(lengths))
    best = np.flatnonzero(away >= away.max() - 1e-9)
    return int(best[0]) if len(best) == 1 else None


def _only_with_full_stop(options: Sequence[str]) -> int | None:
    found = [i for i, text in enumerate(options) if text.strip().endswith(shortcuts.FULL_STOP)]
    return found[0] if len(found) == 1 else None


def _measured(name: str, family: str, words: str, measure: str, *, most: bool = True) -> Rule:
    return Rule(name, family, words, measure, most)


def _known(name: str, family: str, words: str) -> Rule:
    return Rule(name, family, words, of_options=shortcuts.RULES[name])


RULES: tuple[Rule, ...] = (
    _known("always-a", "place", "is the first option"),
    *(
        Rule(f"always-{LETTERS[place]}", "place", f"is option {place + 1}", of_options=_at(place))
        for place in range(1, MOST_PLACES)
    ),
    _known("shortest", "length", "is the shortest option"),
    _known("longest", "length", "is the longest option"),
    Rule("odd-length", "length", "is the odd one out in length", of_options=_odd_length),
    _measured("fewest-words", "length", "has the fewest words", "words", most=False),
    _measured("most-words", "length", "has the most words", "words"),
    _known("only-without-full-stop", "punctuation", "is the only option without a full stop"),
    Rule(
        "only-with-full-stop",
        "punctuation",
        "is the only option with a full stop",
        of_options=_only_with_full_stop,
    ),
    _known(
        "punctuation-length",
        "combination",
        "is the only one without a full stop, else the shortest",
    ),
    _measured("most-commas", "punctuation", "has the most commas", "commas"),
    _measured("fewest-commas", "punctuation", "has the fewest commas", "commas", most=False),
    _measured("most-brackets", "punctuation", "has the most brackets", "brackets"),
    _measured("fewest-brackets", "punctuation", "has the fewest brackets", "brackets", most=False),
    _measured("most-capitals", "capitals", "has the most capitals", "capitals"),
    _measured("fewest-capitals", "capitals", "has the fewest capitals", "capitals", most=False),
    _measured("only-small-start", "capitals", "alone starts with a small letter", "starts small"),
    _measured("most-hedges", "hedges", "hedges most (usually, may, likely …)", "hedges"),
    _measured("fewest-hedges", "hedges", "hedges least", "hedges", most=False),
    _measured("most-absolutes", "absolutes", "is the most absolute (always, only …)", "absolutes"),
    _measured("fewest-absolutes", "absolutes", "is the least absolute", "absolutes", most=False),
    _measured("most-like-stem", "stem", "shares the most words with the stem", "stem words"),
    _measured(
        "least-like-stem", "stem", "shares the fewest words with the stem", "stem words", most=False
    ),
    _measured("odd-one-out", "likeness", "is least like the other options", "likeness", most=False),
    _measured("most-alike", "likeness", "is most like the other options", "likeness"),
    _measured("most-specific", "specificity", "has the rarest words", "rarity"),
    _measured("least-specific", "specificity", "has the commonest words", "rarity", most=False),
    _measured("most-numerals", "numerals", "has the most numbers", "numerals"),
    _measured("fewest-numerals", "numerals", "has the fewest numbers", "numerals", most=False),
    _measured("agrees-with-stem", "grammar", "alone fits the stem's grammar", "agreement"),
    _measured("says-why", "why", "alone says why, as the stem asks", "answers why"),
    _measured("most-repeated", "repeats", "stands in the most other items", "repeated text"),
    _measured(
        "least-repeated", "repeats", "stands in the fewest other items", "repeated text", most=False
    ),
)
UNUSUAL_MARK = Rule(
    "first-under-unusual-mark", "place", "is the first option of an unshuffled file"
)


def picks(mcqs: Sequence[Mcq], values: Matrix) -> dict[Rule, Ints]:
    """Return, per rule, the option that it picks of each MCQ, or SILENT.

    `values` are the `features.measures` of the MCQs. Rules of places that no MCQ has are left
    out.
    """
    rows = rows_of(mcqs)
    places = int(rows.sizes.max())
    alone = extremes(values, rows)
    found: dict[Rule, Ints] = {}
    for rule in RULES:
        if rule.of_options:
            if rule.family != "place" or LETTERS.index(rule.name[-1]) < places:
                found[rule] = _each(rule.of_options, mcqs)
            continue
        column = MEASURES.index(rule.measure) + (0 if rule.most else len(MEASURES))
        picked = np.full(len(mcqs), SILENT, dtype=np.int64)
        chosen = np.flatnonzero(alone[:, column])
        items = rows.items[chosen]
        picked[items] = chosen - rows.starts[items]
        found[rule] = picked
    found[UNUSUAL_MARK] = _under_unusual_mark(mcqs)
    return found


def _each(rule: Callable[[Sequence[str]], int | None], mcqs: Sequence[Mcq]) -> Ints:
    chosen = (rule(mcq.options) for mcq in mcqs)
    return np.array([SILENT if pick is None else pick for pick in chosen], dtype=np.int64)


def usual_mark(marks: Sequence[str]) -> str:
    """Return the mark that most MCQs carry before option A; "" where none is known."""
    return Counter(marks).most_common(1)[0][0] if marks else ""


def _under_unusual_mark(mcqs: Sequence[Mcq]) -> Ints:
    usual = usual_mark([mcq.mark for mcq in mcqs])
    return np.array([SILENT if mcq.mark == usual else 0 for mcq in mcqs], dtype=np.int64)
