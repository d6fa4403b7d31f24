"""Words of a text, and the small word lists that the audit's measures look for."""

import re

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
STEM_LETTERS = 6

STOP_TEXT = """a an and are as at be been being between but by can did do does for from had has
have if in into is it its more most of on onto or over per rather so than that the their them then
there these they this those through to under until up was were what when where whether which while
who why will with within without"""
HEDGE_TEXT = """about although appears approximately can could generally helps largely likely mainly
may might often partly perhaps possibly potentially primarily probably relatively seems should
slightly sometimes somewhat suggests tends typically usually"""
ABSOLUTE_TEXT = """absolutely all always any certainly completely each entire entirely every
everything exclusively exactly fully immediately must never none nothing only purely solely
totally"""
NEGATION_TEXT = "avoid avoiding cannot neither no none nor not never without"

STOP_WORDS = frozenset(STOP_TEXT.split())
HEDGES = frozenset(HEDGE_TEXT.split())
ABSOLUTES = frozenset(ABSOLUTE_TEXT.split())
NEGATIONS = frozenset(NEGATION_TEXT.split())
PURPOSE = re.compile(
    r"\b(?:to|so that|because|in order|thereby|since|for the purpose|allowing|ensuring)\b", re.I
)
ASKS_WHY = re.compile(r"\b(?:why|purpose|goal|reason|rationale|intended|aim)\b", re.I)


def words_of(text: str) -> list[str]:
    """Return the words of `text` in lower case."""
    return WORD.findall(text.lower())


def content_of(words: list[str]) -> frozenset[str]:
    """Return those of `words` that carry meaning, cut to six letters so that most forms of one
    word (slides, sliding) come together or close."""
    return frozenset(word[:STEM_LETTERS] for word in words if word not in STOP_WORDS)


def content_words(text: str) -> frozenset[str]:
    """Return the words of `text` that carry meaning (see `content_of`)."""
    return content_of(words_of(text))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words, 0 to 1; 0 for two empty sets."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0
