"""Makes rows of the evaluation room for tests: models, runs, predictions, judgements."""

import itertools
from collections.abc import Iterable
from typing import Any

from annotation.models import ItemVersion, Release
from evaluation.models import Contestant, Judgement, Prediction, Provider, Run

counter = itertools.count(1)


def contestant(name: str = "", **fields: Any) -> Contestant:
    provider, _ = Provider.objects.get_or_create(name="Imports", defaults={"dialect": "import"})
    number = next(counter)
    defaults = {"name": name or f"Model {number}", "slug": f"model-{number}"}
    return Contestant.objects.create(provider=provider, **defaults | fields)


def run(release: Release, **fields: Any) -> Run:
    """A finished video run of a new model, with its predictions yet to be made."""
    model = fields.pop("contestant", None) or contestant(fields.pop("name", ""))
    defaults = {"condition": "video", "origin": "import", "state": "done"}
    return Run.objects.create(
        benchmark=release.benchmark, release=release, contestant=model, **defaults | fields
    )


def prediction(made: Run, version: ItemVersion, score: float | None, **fields: Any) -> Prediction:
    """An answered prediction; for a free response `score` is what the judge gave, 0 to 2."""
    if version.key_index is not None:
        chosen = version.key_index if score else (version.key_index + 1) % len(version.options)
        defaults: dict[str, Any] = {"outcome": "answered", "score": score, "chosen": chosen}
        return Prediction.objects.create(run=made, item_version=version, **defaults | fields)
    found = Prediction.objects.create(
        run=made, item_version=version, **{"outcome": "answered"} | fields
    )
    if score is not None:
        judgement(found, int(score))
    return found


def judgement(found: Prediction, score: int | None, **fields: Any) -> Judgement:
    defaults: dict[str, Any] = {
        "judge_label": "judge",
        "rubric_version": "r1",
        "score": score,
        "error_type": {2: "none", 1: "wrong_conclusion", 0: "both_fail", None: ""}[score],
        "explanation": "As the reference says.",
    }
    return Judgement.objects.create(prediction=found, **defaults | fields)


def scored_run(release: Release, scores: Iterable[float | None], **fields: Any) -> Run:
    """A run with one score for each kept item of `release`, in order; None: no prediction."""
    made = run(release, **fields)
    kept = release.release_items.filter(keep=True).select_related("item_version")
    for row, score in zip(kept.order_by("position"), scores, strict=True):
        if score is not None:
            prediction(made, row.item_version, score)
    return made
