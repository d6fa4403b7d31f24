"""In which order a reader meets the items of a round, and which of them come back.

All of it follows from the round's seed, so that it can be had again.
"""

import math
import random
from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

BLOCK = 64  # positions that each reader meets in an order of their own
GOLDEN = (math.sqrt(5) - 1) / 2
SEEDS = 2**31
LEAST_GAP, MOST_GAP = 3, 30

Thing = TypeVar("Thing")


def shuffled(things: Sequence[Thing], *, seed: int) -> list[Thing]:
    """Return the things in an order drawn by `seed`."""
    drawn = list(things)
    random.Random(seed).shuffle(drawn)  # noqa: S311  a seeded draw, not a secret
    return drawn


def start_of(ordinal: int, *, size: int, seed: int) -> int:
    """Return the position at which the reader number `ordinal` (from 0) of a round begins.

    Multiples of the golden ratio: however many readers come, they start far apart.
    """
    return int((seed / SEEDS + ordinal * GOLDEN) % 1.0 * size)


def draw(*parts: int) -> int:
    """Return a number below SEEDS that follows from `parts` and looks like chance."""
    words = ",".join(map(str, parts)).encode()
    return int.from_bytes(blake2b(words, digest_size=4).digest()) % SEEDS


def rank(position: int, *, seed: int, reader: int) -> int:
    """Return where a reader meets a position among the others of its block."""
    return draw(seed, reader, position)


def comes_back(position: int, *, seed: int, reader: int, share: float) -> bool:
    """Say whether the item at `position` comes back to a reader: a `share` of all do."""
    return draw(seed, reader, position, 1) < share * SEEDS


def gap(size: int) -> int:
    """Return how many other votes a reader of a round of `size` items casts before one comes
    back: a fifth of the round, but from LEAST_GAP to MOST_GAP."""
    return min(MOST_GAP, max(LEAST_GAP, size // 5))
