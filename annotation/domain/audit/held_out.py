"""What the learned combination finds with features that no mechanical repair touches.

A repair that only hides what the audit looks at would bring the audit's figure down and leave
the leak. So a second figure is taken from features that repairs know nothing of: it must not
rest on punctuation at the ends, on capitals, on spaces, or on an option's place.
"""

from collections.abc import Sequence

import numpy as np

from annotation.domain.audit.features import MEASURES, Design, Matrix, design
from annotation.domain.audit.items import Mcq
from annotation.domain.audit.learned import NOTHING, Learned, NothingToLearn, learn_from

TOUCHED = frozenset(
    {
        "full stop", "other end sign", "inner stops", "capitals", "acronyms", "titled words",
        "starts small", "unusual spaces", "odd characters", "different letters",
        "far from the stem's length",
    }
)  # fmt: skip
SHARES = "letter "  # of all signs: a full stop more makes each of them a little smaller
# Ranks among them: of options that are equally long the earlier one ranks lower.
TOUCHED_STARTS = ("place ", "step ", "rank ", "sign ", "signs ", "first sign ", "last sign ")


def is_touched(name: str) -> bool:
    """Say whether a mechanical repair can change the feature `name` of an option.

    What is taken from the number of all signs counts as touched, since a full stop is one. The
    number of characters is counted without it here (see `learn_held_out`).
    """
    measure = name.removeprefix("most ").removeprefix("least ")
    return measure in TOUCHED or measure.startswith(SHARES) or name.startswith(TOUCHED_STARTS)


def without_touched(whole: Design) -> Design:
    """Return `whole` without the features that repairs can change."""
    names = np.array([not is_touched(name) for name in whole.names])
    dense = whole.dense.shape[1]
    kept_dense, kept_marks = names[:dense], names[dense:]
    return Design(
        rows=whole.rows,
        dense=np.ascontiguousarray(whole.dense[:, kept_dense]),
        by_row=whole.by_row[:, kept_marks],
        by_mark=whole.by_mark[:, kept_marks],
        names=[name for name, kept in zip(whole.names, names, strict=True) if kept],
        hand_made=int(names[: whole.hand_made].sum()),
    )


def learn_held_out(mcqs: Sequence[Mcq], values: Matrix) -> Learned:
    """Return what is found by features that repairs do not touch; no refits, so p is 1.

    Raises NothingToLearn as `learn` does.
    """
    if not mcqs:
        raise NothingToLearn(NOTHING)
    return learn_from(mcqs, held_out_design(mcqs, values), refits=0)


def held_out_design(mcqs: Sequence[Mcq], values: Matrix) -> Design:
    """Return the features that repairs do not touch; lengths are those without a final full
    stop, so that a leak of length is still seen. `values` are the `features.measures`."""
    bare = values.copy()
    bare[:, MEASURES.index("characters")] -= values[:, MEASURES.index("full stop")]
    return without_touched(design(mcqs, bare))
