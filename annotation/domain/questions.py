"""Published question texts: one string in the files; stem and options here. Loss-free."""

import re
from dataclasses import dataclass

PREFIXES = {"mcq": "[MCQ] ", "free": "[FREE] "}
PREFIX = re.compile(r"\[(?:MCQ|FREE)\][ \t]*")
MARK = re.compile(r"\(?([A-Z])[.):][ \t]*")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FEWEST_OPTIONS = 2


class BadQuestion(ValueError):
    """A text that is no question of its kind; the message says why."""


@dataclass(frozen=True)
class Style:
    """How a question was written: its prefix, and the mark of option A ("A. ", "A) ", …).

    `marks` lists all of them where they are not one mark with the letter changed.
    """

    prefix: str
    mark: str = ""
    marks: tuple[str, ...] = ()

    def mark_of(self, place: int) -> str:
        """Return the mark of the option at `place`, from 0; also for places beyond the file's."""
        if place < len(self.marks):
            return self.marks[place]
        return self.mark.replace("A", LETTERS[place], 1)


@dataclass(frozen=True)
class Question:
    """A question without its prefix and marks. `letters` are those of the options, in order."""

    stem: str
    options: tuple[str, ...]
    style: Style

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.options)]


def default_style(kind: str) -> Style:
    """Return the style in which new items of `kind` ("mcq" or "free") are written."""
    return Style(PREFIXES[kind], "A. " if kind == "mcq" else "")


def parse_question(text: str, kind: str) -> Question:
    """Split a published question text of `kind` ("mcq" or "free").

    An MCQ's options are the last run of lines marked A, B, C … in order; lines without a
    mark continue what stands before them. `compose_question` gives the very same text back.

    Raises BadQuestion where the prefix is of the other kind, the stem is empty, or an MCQ
    has fewer than two options or an empty one.
    """
    found = PREFIX.match(text)
    prefix = found.group() if found else ""
    if prefix and not prefix.startswith(PREFIXES[kind].strip()):
        raise BadQuestion(f"starts with {prefix.strip()} in a file of kind {kind}")
    body = text[len(prefix) :]
    question = Question(body, (), Style(prefix)) if kind == "free" else _parse_mcq(body, prefix)
    if not question.stem.strip():
        raise BadQuestion("has no stem")
    return question


def _parse_mcq(body: str, prefix: str) -> Question:
    lines = body.split("\n")
    starts = _option_lines(lines)
    if len(starts) < FEWEST_OPTIONS:
        raise BadQuestion("has no options marked A, B, …")
    marks, options = [], []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        option = "\n".join(lines[start:end])
        mark = MARK.match(option)
        marks.append(mark.group() if mark else "")
        options.append(option[len(marks[-1]) :])
    if not all(option.strip() for option in options):
        raise BadQuestion("has an empty option")
    style = Style(prefix, marks[0])
    if any(style.mark_of(place) != mark for place, mark in enumerate(marks)):
        style = Style(prefix, marks[0], tuple(marks))
    return Question("\n".join(lines[: starts[0]]), tuple(options), style)


def _option_lines(lines: list[str]) -> list[int]:
    """Return the numbers of the lines that start an option: the last A that a B follows, and
    from there on each next letter."""
    letters = [found.group(1) if (found := MARK.match(line)) else "" for line in lines]
    last_b = max((number for number, letter in enumerate(letters) if letter == "B"), default=0)
    first = max((number for number in range(last_b) if letters[number] == "A"), default=None)
    if first is None:
        return []
    run = [first]
    for number in range(first + 1, len(lines)):
        if len(run) < len(LETTERS) and letters[number] == LETTERS[len(run)]:
            run.append(number)
    return run


def compose_question(stem: str, options: tuple[str, ...], style: Style) -> str:
    """Return the published text of a question, the reverse of `parse_question`."""
    lines = [f"{style.prefix}{stem}"]
    lines += [f"{style.mark_of(place)}{option}" for place, option in enumerate(options)]
    return "\n".join(lines)
