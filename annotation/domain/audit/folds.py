"""Folds that keep a source together, so that nothing learned can be a memory of its videos."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from annotation.domain.clustered import Ints

MOST_SOURCES_ALONE = 50
FOLDS = 10


def folds_of(sources: Sequence[str]) -> Ints:
    """Return the fold of each item, from 0: one a source up to 50 sources, else ten folds of
    whole sources, filled from the largest source on so that they come out about equal."""
    sizes = Counter(sources)
    if len(sizes) <= MOST_SOURCES_ALONE:
        fold = {source: number for number, source in enumerate(sizes)}
        return np.array([fold[source] for source in sources], dtype=np.int64)
    filled = [0] * FOLDS
    fold = {}
    for source, size in sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0])):
        fold[source] = filled.index(min(filled))
        filled[fold[source]] += size
    return np.array([fold[source] for source in sources], dtype=np.int64)
