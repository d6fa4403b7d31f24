"""What a model's row would be by each judge and by panels of them, over the same answers."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from annotation.domain.clustered import Ints, clustered_mean, codes_of
from evaluation.domain.judge_panel import LEAST_JUDGES, Rule, panel_verdicts

POINTS = 2


@dataclass(frozen=True)
class RowMean:
    """A mean of 0 to 2 points with its interval; `judge` is a judge's name, or a rule's."""

    judge: str
    is_panel: bool
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ModelRow:
    """One model by each judge over the `n` answers that all of them have marked."""

    model: str
    n: int
    means: tuple[RowMean, ...]


def model_row(
    model: str,
    verdicts: Mapping[str, Mapping[Hashable, int]],
    sources: Mapping[Hashable, Hashable],
) -> ModelRow | None:
    """Return the row of one model; None with fewer than two judges that marked at least half of
    its marked answers, or without an answer that all of them marked."""
    marked = set().union(*verdicts.values()) if verdicts else set()
    judges = [name for name, found in sorted(verdicts.items()) if 2 * len(found) >= len(marked)]
    if len(judges) < LEAST_JUDGES:
        return None
    given = {rule: panel_verdicts([verdicts[one] for one in judges], rule) for rule in Rule}
    common = sorted(given[Rule.MEAN], key=str)
    if not common:
        return None
    codes, _ = codes_of([sources[answer] for answer in common])
    means = [
        _mean(name, [float(verdicts[name][answer]) for answer in common], codes, panel=False)
        for name in judges
    ]
    means += [
        _mean(rule.value, [given[rule][answer] for answer in common], codes, panel=True)
        for rule in Rule
    ]
    return ModelRow(model, len(common), tuple(means))


def _mean(name: str, points: list[float], codes: Ints, *, panel: bool) -> RowMean:
    found = clustered_mean([one / POINTS for one in points], codes)
    low = None if found.low is None else POINTS * max(0.0, found.low)
    high = None if found.high is None else POINTS * min(1.0, found.high)
    return RowMean(name, panel, POINTS * found.mean, low, high)
