"""Reads the option that a model's reply to an MCQ states, or says that it states none.

The reader is strict: only an explicit statement counts ("Answer: C", "the correct option is
(B)", JSON, XML, \\boxed, a reply that is a bare letter or begins "C) …"). The last explicit
statement wins. A letter beyond the options, an article ("Answer: a transverse view") and a
choice of two ("B or C") are no answer.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from evaluation.domain import letters

HEAD, TAIL = 4_000, 16_000  # characters kept of a longer reply


class ReadOutcome(StrEnum):
    """What a reply turned out to be."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    REFUSED = "refused"


@dataclass(frozen=True)
class Reading:
    """`index` is the place of the chosen option among those shown, from 0; `rule` says in words
    by what the reply was read."""

    index: int | None
    outcome: ReadOutcome
    rule: str = ""


_KEYWORD = re.compile(
    r"(?=[abcfimorsо])(?<!\w)(?:"  # the letters that the words begin with: three times as fast
    r"(?:correct|right|best|final|my)[ \t]+(?:answer|choice|option)s?"
    r"|answers?|(?:option|choice|selection)[ \t]*(?=:)"
    r"|antwort|r[eé]ponse|respuesta|risposta|resposta|ответ"
    r"|i(?:'d|'ll|[ \t]+would|[ \t]+will)?[ \t]+(?:choose|chose|select|pick|go[ \t]+with)"
    r")(?!\w)|答案|答え|正解|정답|选择|選擇",
    re.IGNORECASE,
)
_IT_IS = re.compile(r"(?=i)(?<!\w)it[ \t]+(?:is|must[ \t]+be|should[ \t]+be)(?!\w)", re.IGNORECASE)
_ASIDE = re.compile(r"[ \t]+(?:to|for)[ \t][^.:;!?\n]{0,80}?(?=[ \t]+(?:is|are|would)\b)", re.I)
_LINK = re.compile(
    r"\s*(?:(?:is|are|was|be|would|should|must|will|likely|most|probably|clearly|therefore|thus"
    r"|definitely|option|choice|letter|answer|the|here)(?!\w)|[:=>是为はは]|->?|[–—→])",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\s*(?:[(\[{\"'“‘<$]|\\(?:boxed|text|textbf|mathrm|mathbf)\b)*\s*")
_BOXED = re.compile(r"\\boxed\s*\{")
_JSON = re.compile(
    r"[\"'](?:final_?|correct_?|selected_?)?(?:answer|choice|option|letter)[\"']\s*:", re.IGNORECASE
)
_XML = re.compile(r"<(?:final_?)?(?:answer|choice|option)>", re.IGNORECASE)
_MARKED = ((_BOXED, "\\boxed"), (_JSON, "a field of JSON"), (_XML, "a tag of XML"))
_VERDICT = re.compile(
    r"(?<![\w'’-])\(?([A-Z])\)?[ \t]+(?:is|would[ \t]+be|seems)[ \t]+(?:the[ \t]+)?"
    r"(?:correct|right|best|most[ \t]+(?:likely|appropriate))(?!\w)"
)
_SECOND = re.compile(
    r"[)\]\"'”’}]*\s*(?:or|and|/|&|\+|,(?:[ \t]*(?:or|and)\b)?|oder|und|或|和)\s*"
    r"(?:option\s+)?[(\[\"']?([A-Za-z])(?![\w'’-])[)\]\"']?(?:[ \t]+(\w+))?",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^[ \t]*[(\[]?([A-Z])[)\].:](?=[ \t]|$)", re.MULTILINE)
_BARE = re.compile(r"^\W*(?:option\s+|choice\s+)?[(\[\"']?([A-Za-z])[)\].:\"']*\W*$", re.IGNORECASE)
_EMPHASIS = re.compile(
    r"\*+|`+|^[ \t]*[#>]+|(?<!\w)_+|_+(?!\w)|</?(?:b|strong|em|i)>", re.MULTILINE
)
_EMPHASIS_SIGN = re.compile(r"[*`#>_<]")  # without one there is nothing to take out
_WORD_AFTER = re.compile(r"[ \t]+([^\W\d_]+)")
_REFUSAL = re.compile(
    r"\b(?:can(?:no|['’])t|cannot|unable to|won['’]t|not able to)\s+(?:\w+\s+){0,2}?"
    r"(?:help|assist|provide|comply|answer this|analy[sz]e|interpret|view|fulfil|discuss)"
    r"|\bas an ai\b|\bi['’]m sorry\b|\bi am sorry\b|\bi must decline\b|无法(?:提供|帮助|回答)",
    re.IGNORECASE,
)
_GOES_ON = frozenset(
    [
        "because",
        "since",
        "as",
        "based",
        "due",
        "given",
        "for",
        "but",
        "although",
        "while",
        "which",
        "where",
        "so",
        "in",
        "with",
        "and",
        "or",
        "is",
        "was",
        "therefore",
        "thus",
        "from",
        "per",
        "this",
        "the",
        "it",
        "i",
    ]
)
_CLAUSE = frozenset(
    [
        "is",
        "was",
        "are",
        "does",
        "do",
        "shows",
        "show",
        "cannot",
        "can",
        "would",
        "has",
        "have",
        "could",
        "fits",
    ]
)
_IMAGING = frozenset(["mode", "line", "lines", "scan", "flow", "wave", "waves", "profile", "probe"])


def read_reply(text: str, options: int) -> Reading:
    """Return the option that `text` states.

    Args:
        text: the raw reply, of any length; only its first 4,000 and last 16,000 characters
            are read.
        options: how many options were shown, 2 to 26.

    Raises ValueError where `options` is out of that range.
    """
    if not 2 <= options <= letters.MOST:
        raise ValueError(f"{options} options cannot be lettered")
    plain = _plain(text)
    found, rule = _last_explicit(plain)
    if found is None:
        found, rule = _bare_or_leading(plain)
    if found is not None and found < options:
        return Reading(found, ReadOutcome.ANSWERED, rule)
    if is_refusal(plain):
        return Reading(None, ReadOutcome.REFUSED, "it declines to answer")
    if found is None:
        return Reading(None, ReadOutcome.ABSTAINED, "no option is stated")
    names = "no single option" if found == NONE else "a letter beyond the options"
    return Reading(None, ReadOutcome.ABSTAINED, f"{rule} names {names}")


def is_refusal(text: str) -> bool:
    """Say whether a reply declines to answer, by its opening."""
    return bool(_REFUSAL.search(text[:600]))


def _plain(text: str) -> str:
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n\n{text[-TAIL:]}"
    text = unicodedata.normalize("NFKC", text)
    return (_EMPHASIS.sub("", text) if _EMPHASIS_SIGN.search(text) else text).strip()


def _last_explicit(text: str) -> tuple[int | None, str]:
    """Return the letter's place in the last explicit statement, and what it is read by; beyond
    25 stands for none."""
    last: tuple[int, int, str] | None = None
    for position, letter, rule in _statements(text):
        if last is None or position >= last[0]:
            last = (position, letter, rule)
    return (None, "") if last is None else (last[1], last[2])


def _statements(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _KEYWORD.finditer(text):
        letter = _letter_after(text, _skip_links(text, match.end()))
        if letter is not None:
            yield match.start(), letter, "the last statement of the answer in words"
    for match in _IT_IS.finditer(text):
        letter = _letter_after(text, match.end(), lone=True)
        if letter is not None:
            yield match.start(), letter, "the last “it is …”"
    for pattern, rule in _MARKED:
        for match in pattern.finditer(text):
            letter = _letter_after(text, match.end())
            if letter is not None:
                yield match.start(), letter, rule
    for match in _VERDICT.finditer(text):
        yield match.start(), letters.place(match.group(1)), "the last “… is correct”"


def _skip_links(text: str, at: int) -> int:
    aside = _ASIDE.match(text, at)
    at = aside.end() if aside else at
    for _ in range(6):
        link = _LINK.match(text, at)
        if link is None:
            break
        at = link.end()
    return at


NONE = letters.MOST  # an explicit statement that names no single option


def _letter_after(text: str, at: int, *, lone: bool = False) -> int | None:
    """Read one letter at `at`; None where no letter is stated there.

    With `lone`, an ordinary word right after the letter means that it is no statement.
    """
    opened = _OPEN.match(text, at)
    at = opened.end() if opened else at
    if at >= len(text) or not ("A" <= text[at].upper() <= "Z") or not text[at].isascii():
        return None
    if not _stands_alone(text, at, lone=lone):
        return None
    return NONE if _names_two(text, at + 1, text[at]) else letters.place(text[at])


def _stands_alone(text: str, at: int, *, lone: bool) -> bool:
    """Say whether the letter at `at` is an option's name and not a word or a part of one."""
    after = text[at + 1 : at + 3]
    if after[:1] and ((after[0].isalnum() and after[0].isascii()) or after[0] in "_'’"):
        return False
    if after[:1] in ("-", "\u2010", "\u2011") and after[1:2].isalnum():
        return False
    word_match = _WORD_AFTER.match(text, at + 1)
    if word_match is None:
        return True
    word = word_match.group(1)
    if word.lower() in _IMAGING:
        return False
    if word.lower() in _GOES_ON:
        return True
    # "A transverse view", "I think": article and pronoun; "c arm": a lower-case word.
    return not lone and text[at] not in "AI" and text[at].isupper()


def _names_two(text: str, at: int, first: str) -> bool:
    second = _SECOND.match(text, at)
    if second is None or second.group(1).upper() == first.upper():
        return False
    word = (second.group(2) or "").lower()
    if word in _CLAUSE:
        return False
    return not (second.group(1) in "aAI" and word and word not in _GOES_ON)


def _bare_or_leading(text: str) -> tuple[int | None, str]:
    """Read a reply that is a letter, has a line that is just one, or begins with "C) …"."""
    lines = [line for line in text.splitlines() if line.strip()]
    for line in (text, *lines[-1:], *lines[:1]):
        bare = _BARE.match(line) if len(line) <= 40 else None
        if bare:
            return letters.place(bare.group(1)), "a bare letter"
    leading = {match.group(1) for match in _LEADING.finditer(text)}
    if len(leading) == 1 and lines and _LEADING.match(lines[0]):
        return letters.place(leading.pop()), "the letter that the reply begins with"
    return None, ""
