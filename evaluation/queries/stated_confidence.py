"""How sure a run said it was of its MCQs, where it was asked."""

from typing import Any

from annotation.models import Release
from evaluation.domain.confidence import calibration, read_confidence
from evaluation.models import Prediction, Run
from evaluation.models.prediction import Outcome


def confidence_figures(run: Run, release: Release) -> dict[str, Any] | None:
    """Return n, ECE, Brier score, mean confidence and share right over the answered MCQs of the
    public part that state one; None where the run was not asked, or none does. One query."""
    if not run.parameters.get("ask_confidence"):
        return None
    rows = Prediction.objects.filter(
        run=run,
        outcome=Outcome.ANSWERED,
        score__isnull=False,
        item_version__release_items__release=release,
        item_version__release_items__keep=True,
        item_version__release_items__held_out=False,
    ).values_list("raw_reply", "score")
    stated = [
        (said, (score or 0) > 0.5)
        for raw, score in rows.iterator(chunk_size=1_000)
        if (said := read_confidence(raw)) is not None
    ]
    found = calibration([said for said, _ in stated], [right for _, right in stated])
    if found is None:
        return None
    return {
        "n": found.n,
        "ece": round(found.ece, 6),
        "brier": round(found.brier, 6),
        "mean": round(found.mean, 6),
        "right": round(found.right, 6),
    }
