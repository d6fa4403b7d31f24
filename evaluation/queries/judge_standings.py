"""How the judges of a benchmark stand by clinicians' grades, for rows and pages that name them."""

from collections.abc import Mapping
from typing import Any

from evaluation.domain.judge_calibration import LEAST_ANSWERS, LEAST_KAPPA, Calibration
from evaluation.models import JudgeStanding

Calibrations = Mapping[tuple[str, str], Calibration]


def calibrations(benchmark_id: int) -> Calibrations:
    """Return the judges that clinicians' grades were compared with, by label and rubric. One
    query."""
    rule = "benchmark__judge_rule__"
    rows = JudgeStanding.objects.filter(benchmark=benchmark_id).values_list(
        *("judge_label", "rubric_version", "kappa", "low", "high", "n"),
        *(f"{rule}least_kappa", f"{rule}least_answers"),
    )
    return {
        (label, rubric): Calibration(
            *(label, rubric, kappa, low, high, n),
            LEAST_KAPPA if least is None else least,
            LEAST_ANSWERS if answers is None else answers,
        )
        for label, rubric, kappa, low, high, n, least, answers in rows
    }


def calibration_of(judge: Mapping[str, Any] | None, known: Calibrations) -> Calibration | None:
    """Return how the judge of an entry's figures stands; None where nothing was judged."""
    if not judge:
        return None
    key = (str(judge["label"]), str(judge["rubric"]))
    return known.get(key, Calibration(*key))
