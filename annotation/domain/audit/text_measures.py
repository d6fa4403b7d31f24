"""What can be measured on one option by itself: length, signs, letters, kinds of words.

Each measure takes the option as published and its words in lower case, and returns a number.
"""

import re
from collections.abc import Callable

from annotation.domain.audit.words import (
    ABSOLUTES,
    HEDGES,
    NEGATIONS,
    NUMBER,
    PURPOSE,
    STOP_WORDS,
    words_of,
)

Measure = Callable[[str, list[str]], float]

VOWELS = frozenset("aeiou")
DASHES = re.compile(r"[-\u2010-\u2015\u2212]")
QUOTES = re.compile("[\"'\u2018\u2019\u201c\u201d]")
CAPITAL = re.compile(r"[A-Z]")
ACRONYM = re.compile(r"\b[A-Z]{2,}\b")
TITLED = re.compile(r"\b[A-Z][a-z]")
SPACING = re.compile(r"^\s|\s$|\s\s|[^\S \n]")
CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,}", re.I)
SYLLABLE = re.compile(r"[aeiouy]+", re.I)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CLAUSE = re.compile(r"[,;:–—]|\b(?:and|but|or|while|which|rather than|before|after)\b", re.I)
UNIT = re.compile(r"\d\s*(?:mm|cm|m|s|hz|khz|mhz|db|%|°|degrees?)\b|[°%]", re.I)


def _share(count: float, whole: int) -> float:
    return count / whole if whole else 0.0


def _mean_word(words: list[str]) -> float:
    return _share(sum(map(len, words)), len(words))


def _vowels(words: list[str]) -> float:
    letters = "".join(words)
    return _share(sum(letter in VOWELS for letter in letters), len(letters))


def _counted(found: frozenset[str]) -> Measure:
    return lambda _, words: float(sum(word in found for word in words))


def _matches(pattern: re.Pattern[str]) -> Measure:
    return lambda text, _: float(len(pattern.findall(text)))


def _alphabet(text: str) -> float:
    """Return the place of the text in the alphabet, 0 (before a) to 1, by its first letters."""
    letters = [min(max(ord(sign) - 96, 0), 27) for sign in text.strip().lower()[:4]]
    return sum(place / 28 ** (power + 1) for power, place in enumerate(letters))


TEXT_MEASURES: dict[str, Measure] = {
    "characters": lambda text, _: float(len(text.strip())),
    "words": lambda _, words: float(len(words)),
    "odd characters": lambda text, _: float(len(text.strip()) % 2),
    "odd words": lambda _, words: float(len(words) % 2),
    "mean word": lambda _, words: _mean_word(words),
    "first word's length": lambda _, words: float(len(words[0])) if words else 0.0,
    "last word's length": lambda _, words: float(len(words[-1])) if words else 0.0,
    "syllables": lambda text, words: _share(len(SYLLABLE.findall(text)), len(words)),
    "consonant runs": _matches(CONSONANTS),
    "different letters": lambda text, _: float(len(set(text.lower()))),
    "longest word": lambda _, words: float(max(map(len, words), default=0)),
    "different words": lambda _, words: _share(len(set(words)), len(words)),
    "full stop": lambda text, _: float(text.rstrip().endswith(".")),
    "other end sign": lambda text, _: float(text.rstrip()[-1:] in set("!?;:,…")),
    "commas": lambda text, _: float(text.count(",")),
    "semicolons": lambda text, _: float(text.count(";") + text.count(":")),
    "brackets": lambda text, _: float(text.count("(") + text.count("[")),
    "slashes": lambda text, _: float(text.count("/")),
    "dashes": _matches(DASHES),
    "quotes": _matches(QUOTES),
    "unusual spaces": _matches(SPACING),
    "unusual signs": lambda text, _: float(sum(ord(sign) > 126 for sign in text)),
    "inner stops": lambda text, _: float(text.strip()[:-1].count(".")),
    "numerals": _matches(NUMBER),
    "units": _matches(UNIT),
    "capitals": _matches(CAPITAL),
    "acronyms": _matches(ACRONYM),
    "titled words": _matches(TITLED),
    "starts small": lambda text, _: float(text.lstrip()[:1].islower()),
    "hedges": _counted(HEDGES),
    "absolutes": _counted(ABSOLUTES),
    "negations": _counted(NEGATIONS),
    "purposes": _matches(PURPOSE),
    "clauses": _matches(CLAUSE),
    "stop words": lambda _, words: _share(sum(w in STOP_WORDS for w in words), len(words)),
    "vowels": lambda _, words: _vowels(words),
    "ing forms": lambda _, words: float(sum(word.endswith("ing") for word in words)),
    "ly forms": lambda _, words: float(sum(word.endswith("ly") for word in words)),
    "plurals": lambda _, words: float(sum(word.endswith("s") for word in words)),
    "starts with ing": lambda _, words: float(bool(words) and words[0].endswith("ing")),
    "starts with to": lambda _, words: float(words[:1] == ["to"]),
    "alphabet": lambda text, _: _alphabet(text),
}
TEXT_NAMES = (*TEXT_MEASURES, *(f"letter {letter}" for letter in LETTERS))


def measure_text(text: str) -> list[float]:
    """Return the measures of one option, in the order of TEXT_NAMES."""
    words = words_of(text)
    lowered, size = text.lower(), len(text) or 1
    found = [measure(text, words) for measure in TEXT_MEASURES.values()]
    found += [lowered.count(letter) / size for letter in LETTERS]
    return found
