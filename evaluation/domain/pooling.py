"""What several readers answered to one item, as one answer.

The rule of the pooled row. MCQ: the option that most readers chose; a tie is decided by a draw
that is seeded by the item's text, so it is the same for everybody and favours no reader. That
nobody could tell wins only where more readers said so than chose any one option. Free response:
the mean of the readers' judged answers, one that could not tell as 0.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

SEED = 20260407


@dataclass(frozen=True)
class Pooled:
    """`chosen` is None where most readers could not tell. `tied` says that a draw decided."""

    chosen: int | None
    tied: bool


def pool_choices(choices: Sequence[int | None], item: str) -> Pooled:
    """Return the pooled choice of one MCQ.

    Args:
        choices: each reader's option, None for one who could not tell; at least one.
        item: what tells the item from others, for the seed of the draw.
    """
    counts = Counter(choice for choice in choices if choice is not None)
    abstained = sum(choice is None for choice in choices)
    most = max(counts.values(), default=0)
    if abstained > most:
        return Pooled(None, tied=False)
    best = sorted(option for option, count in counts.items() if count == most)
    draw = random.Random(f"{SEED}/{item}")  # noqa: S311 - a seeded draw
    return Pooled(draw.choice(best), tied=len(best) > 1)


def public_code(pseudonym: str) -> str:
    """Return the eight signs under which a reader is shown to the public.

    They cannot be followed back to the pseudonym of the trail.
    """
    return hashlib.sha256(f"reader/{pseudonym}".encode()).hexdigest()[:8]
