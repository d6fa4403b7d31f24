"""Cross-validation by source: each fold's keys are looked for by what the others taught."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from annotation.domain.audit.choice import fit, log_chances
from annotation.domain.audit.features import Design, Matrix, Rows
from annotation.domain.audit.screening import Screen, far_from_chance, gains
from annotation.domain.clustered import Floats, Ints

PENALTY = 20.0
MOST_TRAINED = 20_000  # more MCQs change no weight by what could be seen
MOST_NAMED = 12


@dataclass
class Outcome:
    """Per item: how much of its key was `found` (1, 0, or a share where options tie) and the
    `confidence` in the pick, 0 to 1. `weights` are means over the folds, by feature."""

    found: Floats
    confidence: Floats
    weights: dict[int, float] = field(default_factory=dict)

    @property
    def accuracy(self) -> float:
        return float(self.found.mean())

    def strongest(self, design: Design) -> list[tuple[str, float]]:
        """Return the features that weigh most, by name, with their weights."""
        ranked = sorted(self.weights.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
        return [(design.names[column], weight) for column, weight in ranked[:MOST_NAMED]]


def cross_validate(screen: Screen, keys: Ints, random: np.random.Generator) -> Outcome:
    """Return what is found in each fold by weights learned outside it.

    `keys` are the rows of the items' keys. Screening, scaling and fitting see training items
    alone; where nothing passes the screen the options tie.
    """
    outcome = Outcome(np.zeros(len(keys)), np.zeros(len(keys)))
    fold_gains = gains(screen, keys)
    total, folds = fold_gains.sum(axis=0), len(fold_gains)
    for fold in range(folds):
        held = np.flatnonzero(screen.folds == fold)
        columns = far_from_chance(screen, total - fold_gains[fold], fold)
        if not len(columns):
            outcome.found[held] = outcome.confidence[held] = 1 / screen.design.rows.sizes[held]
            continue
        trained = np.flatnonzero(screen.folds != fold)
        if len(trained) > MOST_TRAINED:
            trained = np.sort(random.choice(trained, MOST_TRAINED, replace=False))
        scale = _scales(screen, columns, fold)
        x, rows, part_keys = _part(screen.design, columns, trained, keys)
        weights = fit(x / scale, rows, part_keys, penalty=PENALTY)
        for column, weight in zip(columns.tolist(), weights.tolist(), strict=True):
            outcome.weights[column] = outcome.weights.get(column, 0.0) + weight / folds
        x, rows, part_keys = _part(screen.design, columns, held, keys)
        outcome.found[held], outcome.confidence[held] = _score(x / scale @ weights, rows, part_keys)
    return outcome


def _scales(screen: Screen, columns: Ints, fold: int) -> Matrix:
    """Return the spread of each feature within the training items, so that the penalty treats
    a rare feature as it treats a common one."""
    outside = screen.total[columns] - screen.variances[fold, columns]
    items = np.count_nonzero(screen.folds != fold)
    return np.sqrt(np.maximum(outside / items, 1e-6)).astype(np.float32)


def _part(design: Design, columns: Ints, items: Ints, keys: Ints) -> tuple[Matrix, Rows, Ints]:
    """Return the chosen columns of the options of `items`, their rows, and their keys' rows."""
    taken, sizes = design.rows.of(items)
    starts = np.cumsum(sizes) - sizes
    measured = design.dense.shape[1]
    is_measure = columns < measured
    x = np.empty((len(taken), len(columns)), dtype=np.float32)
    x[:, is_measure] = design.dense[np.ix_(taken, columns[is_measure])]
    for place in np.flatnonzero(~is_measure):
        x[:, place] = design.mark(int(columns[place]) - measured)[taken]
    return x, Rows(starts, sizes), starts + keys[items] - design.rows.starts[items]


def _score(scores: NDArray[np.float64], rows: Rows, keys: Ints) -> tuple[Floats, Floats]:
    """Return, per item, how much of its key was found, and the chance given to the pick."""
    best = np.maximum.reduceat(scores, rows.starts)
    tied = scores >= np.repeat(best, rows.sizes) - 1e-9
    count = np.add.reduceat(tied, rows.starts, dtype=np.int64)
    confidence = np.exp(np.maximum.reduceat(log_chances(scores, rows), rows.starts))
    return np.where(tied[keys], 1 / count, 0.0), confidence
