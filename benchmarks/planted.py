"""Makes benchmarks for the measurements of the audit: without a leak, or with one planted.

A made benchmark has items of many sources; each source has its own words and habits, as real
ones have. Each option is drawn alike and the key is drawn among them, so that nothing tells
it apart. A planted leak points at one option of every item, and that option is the key in a
set share of items: followed alone, the leak is right in that share.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.domain.audit.items import AuditItem

ACTS = (
    ("Sliding", "Slides", "Slide"),
    ("Tilting", "Tilts", "Tilt"),
    ("Rotating", "Rotates", "Rotate"),
    ("Rocking", "Rocks", "Rock"),
    ("Pressing", "Presses", "Press"),
    ("Sweeping", "Sweeps", "Sweep"),
    ("Angling", "Angles", "Angle"),
    ("Fanning", "Fans", "Fan"),
)
WAYS = ("slowly", "softly", "firmly", "steadily", "briefly", "evenly", "smoothly", "carefully")
PLACES = (
    "towards the liver edge",
    "along the long axis",
    "over the bladder dome",
    "below the costal margin",
    "across the aorta",
    "beside the kidney hilum",
    "onto the portal vein",
    "around the gallbladder neck",
    "through the acoustic window",
    "past the bowel gas",
)
ENDS = (
    "and keep the vessel in view",
    "and follow the wall, then stop",
    "with the depth unchanged",
    "with a lower gain",
    "before the next plane",
    "after the patient breathes in",
    "and settle on the landmark",
    "and compare both sides",
)
ASKS = ("movement", "step", "adjustment", "check", "plane", "setting")
TYPES = ("Type1_ActionGoalReasoning", "Type2_ArtifactResolution", "Type3_ProcedureContext")


@dataclass
class Draft:
    """An item in the making: `target` is the option that the leak points at."""

    number: int
    stem: str
    options: list[str]
    target: int


Plant = Callable[[random.Random, Draft], None]


@dataclass(frozen=True)
class Leak:
    """A leak by name; `known` says whether the audit has a rule of its kind."""

    name: str
    known: bool
    plant: Plant


def option(draw: random.Random, stop: float) -> str:
    """Return one option of 5 to 15 words."""
    words = [draw.choice(ACTS)[draw.randrange(3)], draw.choice(WAYS), draw.choice(PLACES)]
    words += draw.sample(ENDS, draw.randrange(3))
    return " ".join(words) + ("." if draw.random() < stop else "")


def made(
    items: int, *, sources: int = 35, seed: int, leak: Leak | None = None, share: float = 0.45
) -> list[AuditItem]:
    """Return a benchmark of `items` kept MCQs with four options each.

    Args:
        items: how many MCQs.
        sources: how many sources they are spread over.
        seed: makes the draws repeatable.
        leak: what to plant, or None.
        share: the share of items whose key the leak points at.
    """
    draw = random.Random(seed)
    pointed = [number < round(items * share) for number in range(items)]
    draw.shuffle(pointed)
    habits = [draw.choice((0.0, 0.5, 1.0)) for _ in range(sources)]
    found = []
    for number in range(items):
        source = number * sources // items
        options: list[str] = []
        while len(options) < 4:
            text = option(draw, habits[source])
            if text not in options:
                options.append(text)
        stem = f"Which {draw.choice(ASKS)} is made {draw.choice(PLACES)}, and why?"
        draft = Draft(number, stem, options, draw.randrange(4))
        key = draft.target
        if leak:
            leak.plant(draw, draft)
            others = [place for place in range(4) if place != draft.target]
            key = draft.target if pointed[number] else draw.choice(others)
        found.append(audit_item(number, source, draft, key))
    return found


def audit_item(number: int, source: int, draft: Draft, key: int) -> AuditItem:
    """Return the finished item; its window and box are sound."""
    return AuditItem(
        pk=number + 1,
        kind="mcq",
        keep=True,
        source=f"source {source}",
        video=f"video {source}",
        question_type=TYPES[number % len(TYPES)],
        stem=draft.stem,
        start=5.0,
        end=12.0 + number % 9,
        length=60.0,
        roi=(0.1, 0.1, 0.8, 0.8),
        options=tuple(draft.options),
        key_index=key,
        shown_place=key,
        mark="A. ",
    )


def each(change: Callable[[str], str], other: Callable[[str], str] | None = None) -> Plant:
    """Return a plant that changes the target, and all others by `other`."""

    def plant(_: random.Random, draft: Draft) -> None:
        for place, text in enumerate(draft.options):
            if place == draft.target:
                draft.options[place] = change(text)
            elif other:
                draft.options[place] = other(text)

    return plant


def points_at(best: Callable[[Sequence[str], int], int]) -> Plant:
    """Return a plant that leaves all texts alone and points where `best` says."""

    def plant(_: random.Random, draft: Draft) -> None:
        draft.target = best(draft.options, draft.number)

    return plant


def largest(measure: Callable[[str], float]) -> Plant:
    """Return a plant that points at the option with the most of `measure`."""
    return points_at(
        lambda texts, _: max(range(len(texts)), key=lambda place: measure(texts[place]))
    )


def inserted(word: str) -> Callable[[str], str]:
    """Return a change that puts `word` after the first word."""
    return lambda text: text.replace(" ", f" {word} ", 1)


def bare(text: str) -> str:
    return text.rstrip(".")


def stopped(text: str) -> str:
    return bare(text) + "."


def vowel_share(text: str) -> float:
    letters = [sign for sign in text.lower() if sign.isalpha()]
    return sum(sign in "aeiou" for sign in letters) / len(letters)


def _from_stem(_: random.Random, draft: Draft) -> None:
    words = draft.stem.split(" is made ")[1].split(",")[0]
    draft.options[draft.target] = bare(draft.options[draft.target]) + f" {words}"


def _odd_one(draw: random.Random, draft: Draft) -> None:
    shared = draw.choice(PLACES)
    for place, text in enumerate(draft.options):
        if place != draft.target:
            draft.options[place] = bare(text) + f" {shared}"


def _synonym(draw: random.Random, draft: Draft) -> None:
    for place, text in enumerate(draft.options):
        word = "gently" if place == draft.target else draw.choice(("calmly", "lightly", "mildly"))
        draft.options[place] = inserted(word)(text)


def _verb_form(form: int) -> Plant:
    def plant(draw: random.Random, draft: Draft) -> None:
        for place, text in enumerate(draft.options):
            chosen = (
                form
                if place == draft.target
                else draw.choice([other for other in range(3) if other != form])
            )
            rest = text.split(" ", 1)[1]
            draft.options[place] = f"{draw.choice(ACTS)[chosen]} {rest}"

    return plant


LEAKS: tuple[Leak, ...] = (
    Leak("first place", True, points_at(lambda *_: 0)),
    Leak("shortest", True, largest(lambda text: -len(text))),
    Leak("longest", True, largest(len)),
    Leak("without full stop", True, each(bare, stopped)),
    Leak("words of the stem", True, _from_stem),
    Leak("hedge", True, each(inserted("usually"))),
    Leak("absolute", True, each(inserted("always"))),
    Leak("odd one out", True, _odd_one),
    Leak("numerals", True, each(lambda text: bare(text) + " by 30")),
    Leak("says why", True, each(lambda text: bare(text) + " to improve the view")),
    Leak("double space", False, each(inserted(" "))),
    Leak(
        "curly apostrophe", False, each(inserted("the probe’s face"), inserted("the probe's face"))
    ),
    Leak("favourite word", False, _synonym),
    Leak("spelling", False, each(inserted("to optimise"), inserted("to optimize"))),
    Leak("alphabet", False, largest(lambda text: -ord(text[0]) - ord(text[1]) / 1000)),
    Leak("vowels", False, largest(vowel_share)),
    Leak(
        "semicolon",
        False,
        each(lambda text: text.replace(" and ", "; ", 1) + ";", lambda text: text),
    ),
    Leak("cycle of places", False, points_at(lambda _, number: number % 4)),
    Leak("long words", False, largest(lambda text: len(text.replace(" ", "")) / len(text.split()))),
    Leak("verb form", False, _verb_form(0)),
)
