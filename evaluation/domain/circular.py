"""Full circular evaluation of an MCQ: it is asked once for every rotation of its options, and is
right only where each of them is answered right. Who guesses, or likes a letter, is found out."""

from collections.abc import Sequence


def turned(order: Sequence[int], turn: int) -> list[int]:
    """Return the shown order `order` rotated by `turn` places; 0 leaves it as it is."""
    at = turn % len(order) if order else 0
    return [*order[at:], *order[:at]]


def circular_score(scores: Sequence[float | None], turns: int) -> float | None:
    """Return 1 where all `turns` rotations are right and 0 where one of them is not.

    `scores` holds 1, 0 or None (no score, as after a failed call) of those that were asked. While
    none is wrong and some have no score, the item has none either: a failure is no wrong answer.
    """
    if any(score is not None and score < 1 for score in scores):
        return 0.0
    right = sum(score is not None for score in scores)
    return 1.0 if turns and right >= turns else None
