"""Draws the part of a benchmark that is held out: whole sources, so that no clip of the public
part shows what a held-out item asks about."""

import random
from collections.abc import Mapping


def draw_sources(items: Mapping[int, int], share: float, seed: int) -> set[int]:
    """Return the ids of sources that together hold about `share` of all items.

    Args:
        items: the number of items by id of the source.
        share: what part of the items to draw, above 0 and below 1.
        seed: the same seed draws the same sources.

    A source that would lead further from the share than it brings near is passed over, so that
    one large source is not drawn for a small share. Raises ValueError for another share.
    """
    if not 0 < share < 1:
        raise ValueError("a share lies above 0 and below 1")
    wanted = share * sum(items.values())
    order = sorted(items)
    random.Random(seed).shuffle(order)  # noqa: S311  a seeded draw, not a secret
    drawn: set[int] = set()
    held = 0
    for source in order:
        if abs(held + items[source] - wanted) < abs(held - wanted):
            drawn.add(source)
            held += items[source]
    return drawn
