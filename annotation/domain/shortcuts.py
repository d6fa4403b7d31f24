"""Shortcuts: plain rules that find an MCQ's answer key without the video.

Each rule looks at the options in published order and picks one. Ties go to the option that
comes first. A rule that is right far more often than chance shows a leak of the benchmark.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

FULL_STOP = "."


def first(options: Sequence[str]) -> int:
    """Pick the first option ("always A")."""
    _need_options(options)
    return 0


def shortest(options: Sequence[str]) -> int:
    """Pick the option with the fewest characters."""
    _need_options(options)
    return min(range(len(options)), key=lambda index: len(options[index].strip()))


def longest(options: Sequence[str]) -> int:
    """Pick the option with the most characters."""
    _need_options(options)
    return max(range(len(options)), key=lambda index: (len(options[index].strip()), -index))


def only_without_full_stop(options: Sequence[str]) -> int | None:
    """Pick the only option that does not end in a full stop; None where there is not one."""
    _need_options(options)
    bare = [i for i, text in enumerate(options) if not text.strip().endswith(FULL_STOP)]
    return bare[0] if len(bare) == 1 else None


def punctuation_then_length(options: Sequence[str]) -> int:
    """Pick the only option without a full stop, else the shortest."""
    found = only_without_full_stop(options)
    return shortest(options) if found is None else found


Rule = Callable[[Sequence[str]], int | None]

RULES: dict[str, Rule] = {
    "always-a": first,
    "shortest": shortest,
    "longest": longest,
    "only-without-full-stop": only_without_full_stop,
    "punctuation-length": punctuation_then_length,
}


@dataclass(frozen=True)
class Flag:
    """A surface mark of the answer key: `badge` in two or three words, `words` as a clause."""

    rule: str
    badge: str
    words: str


FLAGS: tuple[Flag, ...] = (
    Flag("only-without-full-stop", "No full stop", "only option without a full stop"),
    Flag("shortest", "Shortest", "shortest option"),
    Flag("longest", "Longest", "longest option"),
)


def flags(options: Sequence[str], key_index: int) -> tuple[Flag, ...]:
    """Return the marks by which the key stands out among its options, strongest first."""
    return tuple(flag for flag in FLAGS if RULES[flag.rule](options) == key_index)


@dataclass(frozen=True)
class RuleScore:
    """How often a rule is right: `correct` of the `n` MCQs given."""

    name: str
    correct: int
    n: int


def score_rules(items: Sequence[tuple[Sequence[str], int]]) -> list[RuleScore]:
    """Return the score of each rule over `items` (options, key index), best first."""
    scores = [
        RuleScore(name, sum(rule(options) == key for options, key in items), len(items))
        for name, rule in RULES.items()
    ]
    return sorted(scores, key=lambda score: -score.correct)


def chance(items: Sequence[tuple[Sequence[str], int]]) -> float | None:
    """Return the share that guessing gets right, 0 to 1; None without items."""
    if not items:
        return None
    return sum(1 / len(options) for options, _ in items) / len(items)


def _need_options(options: Sequence[str]) -> None:
    if not options:
        raise ValueError("a rule needs at least one option")
