"""Short names of question types: `Type1_ActionGoalReasoning` is T1, "action goal reasoning"."""

import re

_TYPE = re.compile(r"type[ _-]?(\d+)[ _:-]*(.*)", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def short_type(name: str) -> str:
    """Return T and the number of the type, or the name itself where it has no number."""
    found = _TYPE.match(name)
    return f"T{found[1]}" if found else name or "none"


def type_words(name: str) -> str:
    """Return the words of the type in lower case, for legends."""
    found = _TYPE.match(name)
    words = _WORD.findall(found[2] if found else name)
    return " ".join(words).lower() or name
