"""What is told of the held-out part: a share in coarse steps, moved by a clear gain alone.

After the Ladder of Blum and Hardt (2015): a sender's figure moves only when a submission beats the
best one so far by a whole step, so that answers cannot be found out one by one by sending
variants. Below LEAST items a step would be less than an item, and nothing is told.
"""

STEP = 0.05
LEAST = 40


def told_share(share: float, items: int, best: float | None = None) -> float | None:
    """Return the share that is told of a held-out part, in steps; None where too few items.

    Args:
        share: what was scored, 0 to 1.
        items: how many items the part has.
        best: the best share told to this sender before, if any.
    """
    if items < LEAST:
        return None
    if best is not None and share < best + STEP - 1e-9:
        return best
    return round(round(share / STEP) * STEP, 4)
