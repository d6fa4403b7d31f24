"""How questions and their types are shown in lists and headings."""

import re
from dataclasses import dataclass

# The published questions open with a stock phrase that says nothing in a list.
STOCK_OPENING = re.compile(
    r"^(?:\[(?:MCQ|FREE)\]\s*)?(?:based on (?:the|this) (?:video )?(?:clip|segment|video)\s*,\s*)?",
    re.IGNORECASE,
)
TYPE_NAME = re.compile(r"^Type(\d)_(\w+)$")
LONG_NAMES = {
    "ActionGoalReasoning": ("Action-Goal", "action and goal"),
    "ArtifactResolutionOptimization": ("Artifact", "artifact resolution and optimisation"),
    "ProcedureContextPlanning": ("Context", "procedure context and planning"),
}
KNOWN_TYPES = tuple(f"Type{place}_{word}" for place, word in enumerate(LONG_NAMES, start=1))


@dataclass(frozen=True)
class TypeLabel:
    """`code` as T1, `name` for a heading, `title` for a tooltip."""

    code: str
    name: str
    title: str


def type_label(question_type: str) -> TypeLabel:
    """Return how a question type of the files is shown; an unknown one is shown as it is."""
    match = TYPE_NAME.match(question_type)
    if not match:
        return TypeLabel(question_type[:12] or "–", "", question_type or "No type")
    digit, word = match.groups()
    name, long_name = LONG_NAMES.get(word, (word, word))
    return TypeLabel(f"T{digit}", name, f"Type {digit}: {long_name}")


def without_opening(stem: str) -> str:
    """Return the stem without its stock opening, with a capital at its start."""
    rest = STOCK_OPENING.sub("", stem, count=1).strip()
    return rest[:1].upper() + rest[1:]


def letter(place: int) -> str:
    """Return the letter of the option shown at `place`, from 0: A to Z, then AA."""
    first, second = divmod(place, 26)
    return (chr(64 + first) if first else "") + chr(65 + second)
