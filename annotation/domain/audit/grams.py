"""Signs, words and parts of words that occur in an option: the marks that no rule names.

Whatever sets the keys apart in writing (a spelling, a favourite word, a sign, an opening)
shows in one of them. A gram is a kind and a text, such as "word gently" or "ends with g".
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from annotation.domain.audit.items import Mcq
from annotation.domain.audit.words import words_of

# A pair of signs of which one is neither letter nor digit, or a doubled letter; other pairs
# within words are covered by the parts of words.
MARKED_PAIR = re.compile(r"(?=([\W_].|.[\W_]|(.)\2))", re.S)
MOST_GRAMS = 20_000
FEWEST_ITEMS = 6
SMALLEST_SHARE = 1 / 500


def grams_of(option: str) -> frozenset[str]:
    """Return the grams of one option."""
    words = words_of(option)
    found = {f"sign {sign}" for sign in option}
    found.update(f"word {word}" for word in words)
    found.update(f"words {one} {two}" for one, two in pairwise(words))
    found.update(f"start of a word {word[:3]}" for word in words if len(word) > 3)
    found.update(f"end of a word {word[-3:]}" for word in words if len(word) > 3)
    found.update(f"signs {pair[0]}" for pair in MARKED_PAIR.findall(option))
    if words:
        found.add(f"first word {words[0]}")
        found.add(f"last word {words[-1]}")
    if option:
        found.add(f"first sign {option[0]}")
        found.add(f"last sign {option[-1]}")
    return frozenset(found)


def vocabulary(mcqs: Sequence[Mcq]) -> dict[str, int]:
    """Return the grams that tell options apart in enough items, each with its column; none
    where the benchmark is too small."""
    varying: Counter[str] = Counter()
    for mcq in mcqs:
        within = Counter(gram for option in mcq.options for gram in grams_of(option))
        varying.update(gram for gram, count in within.items() if count < len(mcq.options))
    fewest = max(FEWEST_ITEMS, int(len(mcqs) * SMALLEST_SHARE))
    kept = [gram for gram, count in varying.most_common(MOST_GRAMS) if count >= fewest]
    return {gram: column for column, gram in enumerate(sorted(kept))}


def columns(option: str, known: dict[str, int]) -> Iterator[int]:
    """Yield the columns of the known grams of an option."""
    for gram in grams_of(option):
        if (column := known.get(gram)) is not None:
            yield column
