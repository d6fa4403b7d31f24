"""What can be measured on an option beside its stem, the other options and the other items."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from annotation.domain.audit.items import Mcq
from annotation.domain.audit.words import ASKS_WHY, PURPOSE, content_of, jaccard, words_of

ENDS_IN_ARTICLE = re.compile(r"\b(an?)\s*[:_.…]*\s*$", re.I)
SINGULAR = re.compile(r"\b(?:which|what) (?:\w+ )?(?:is|was)\b", re.I)
PLURAL = re.compile(r"\b(?:which|what) (?:\w+ )?(?:are|were)\b", re.I)
PLAIN = re.compile(r"[\W_]+")

CONTEXT_MEASURES = (
    "stem words",
    "stem share",
    "stem opening",
    "far from the stem's length",
    "agreement",
    "answers why",
    "likeness",
    "closest likeness",
    "letters in common",
    "own words",
    "common first word",
    "common last word",
    "repeated text",
    "rarity",
    "rarest word",
    "words of own",
    "other stems",
    "other options",
)


@dataclass(frozen=True)
class Text:
    """An option read once: its words in lower case, content words, character triples."""

    plain: str
    words: list[str]
    content: frozenset[str]
    triples: frozenset[str]


def read(option: str) -> Text:
    """Return what the measures need of an option."""
    words = words_of(option)
    text = plain(option)
    triples = frozenset(text[i : i + 3] for i in range(len(text) - 2))
    return Text(text, words, content_of(words), triples)


def plain(option: str) -> str:
    """Return an option in lower case, its signs left out."""
    return PLAIN.sub(" ", option.lower()).strip()


class Corpus:
    """How often option texts and words occur over all MCQs: counted once, asked per option."""

    def __init__(self, mcqs: Sequence[Mcq]) -> None:
        self.items = len(mcqs)
        self.texts: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.stems: dict[str, Counter[str]] = {}
        self.options: dict[str, Counter[str]] = {}
        for mcq in mcqs:
            words = [words_of(option) for option in mcq.options]
            content = content_of([word for found in words for word in found])
            self.texts.update({plain(option) for option in mcq.options})
            self.words.update({word for found in words for word in found})
            self.stems.setdefault(mcq.video, Counter()).update(content_of(words_of(mcq.stem)))
            self.options.setdefault(mcq.video, Counter()).update(content)

    def rarity(self, word: str) -> float:
        """Return how rare a word is among the other items: the negative log of its share."""
        return -math.log(max(self.words[word] - 1, 0.5) / max(self.items, 1))


def agreement(stem: str, words: list[str]) -> float:
    """Return 1 where the option's first word fits the stem's grammar, -1 where it does not,
    0 where the stem asks for neither an article nor a number."""
    if not words:
        return 0.0
    if article := ENDS_IN_ARTICLE.search(stem):
        vowel = words[0][0] in "aeiou"
        return 1.0 if vowel == (article.group(1).lower() == "an") else -1.0
    plural = words[0].endswith("s") and not words[0].endswith("ss")
    if SINGULAR.search(stem):
        return -1.0 if plural else 1.0
    if PLURAL.search(stem):
        return 1.0 if plural else -1.0
    return 0.0


def measure_item(mcq: Mcq, corpus: Corpus) -> list[list[float]]:
    """Return one row per option, the columns as in CONTEXT_MEASURES."""
    texts = [read(option) for option in mcq.options]
    stem_words = words_of(mcq.stem)
    stem = content_of(stem_words)
    asks_why = bool(ASKS_WHY.search(mcq.stem))
    within = Counter(word for text in texts for word in text.content)
    firsts = Counter(text.words[0] for text in texts if text.words)
    lasts = Counter(text.words[-1] for text in texts if text.words)
    rows = []
    for place, (option, text) in enumerate(zip(mcq.options, texts, strict=True)):
        others = [other for index, other in enumerate(texts) if index != place]
        rows.append(
            [
                *_beside_stem(option, text, mcq.stem, stem, asks_why),
                *_beside_options(text, others, within, firsts, lasts),
                *_beside_items(text, stem, mcq, corpus, within),
            ]
        )
    return rows


def _beside_stem(
    option: str, text: Text, stem_text: str, stem: frozenset[str], asks_why: bool
) -> list[float]:
    shared = len(text.content & stem)
    return [
        float(shared),
        shared / len(text.content) if text.content else 0.0,
        float(bool(text.words) and text.words[0][:6] in stem),
        float(abs(len(option) - len(stem_text))),
        agreement(stem_text, text.words),
        float(asks_why and bool(PURPOSE.search(option))),
    ]


def _beside_options(
    text: Text,
    others: list[Text],
    within: Counter[str],
    firsts: Counter[str],
    lasts: Counter[str],
) -> list[float]:
    likeness = [jaccard(text.content, other.content) for other in others]
    letters = [jaccard(text.triples, other.triples) for other in others]
    own = sum(within[word] == 1 for word in text.content)
    return [
        sum(likeness) / len(likeness),
        max(likeness),
        sum(letters) / len(letters),
        own / len(text.content) if text.content else 0.0,
        float(firsts[text.words[0]] - 1) if text.words else 0.0,
        float(lasts[text.words[-1]] - 1) if text.words else 0.0,
    ]


def _beside_items(
    text: Text, stem: frozenset[str], mcq: Mcq, corpus: Corpus, within: Counter[str]
) -> list[float]:
    rarities = [corpus.rarity(word) for word in text.words]
    stems, options = corpus.stems[mcq.video], corpus.options[mcq.video]
    size = len(text.content) or 1
    return [
        float(corpus.texts[text.plain] - 1),
        sum(rarities) / len(rarities) if rarities else 0.0,
        max(rarities, default=0.0),
        float(sum(corpus.words[word] == 1 for word in text.words)),
        sum(stems[word] > (word in stem) for word in text.content) / size,
        sum(options[word] > (within[word] > 0) for word in text.content) / size,
    ]
