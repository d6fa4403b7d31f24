"""Makes rows of the evaluation room for tests: models, runs, predictions, judgements."""

import itertools
import uuid
from collections.abc import Iterable
from typing import Any

from annotation.models import ItemVersion, Release, User
from evaluation.actions.grades import give_grade
from evaluation.actions.grading_samples import make_sample, open_sample
from evaluation.models import (
    Contestant,
    Grade,
    GradingSample,
    Judgement,
    Prediction,
    Provider,
    Run,
)
from tests import factories

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


def judged_release(
    *, videos: int = 6, models: tuple[str, ...] = ("Seer 1", "Oracle 2"), judge: str = "Seer 9"
) -> Release:
    """A release with runs of `models` whose free responses `judge` has marked 0, 1, 2 in turn;
    each answer has words of its own, which name neither model nor judge."""
    bench = factories.small_benchmark(videos=videos)
    release = factories.release(bench)
    kept = release.release_items.filter(keep=True, item_version__key_index=None)
    for number, name in enumerate(models):
        made = run(release, name=name, judge_label=judge, rubric_version="r1")
        for place, row in enumerate(kept.select_related("item_version").order_by("position")):
            words = "The probe presses so that the gas moves aside." + " It is seen." * place
            found = prediction(made, row.item_version, None, answer_text=f"{words} [{number}]")
            judgement(
                found, (place + number) % 3, judge_label=judge, explanation="The judge's reason."
            )
    return release


def grading_sample(
    release: Release, graders: Iterable[User], *, by: User, state: str = "open", **fields: Any
) -> GradingSample:
    """A sample of all judged answers of `release`, opened."""
    graders = list(graders)
    wanted: dict[str, Any] = {
        "name": "First sample",
        "size": 12,
        "seed": 7,
        "grades_wanted": len(graders),
    }
    runs = Run.objects.filter(release=release, rejudges=None, contestant__is_human=False)
    sample = make_sample(
        release=release, runs=list(runs), graders=graders, by=by, **wanted | fields
    )
    return open_sample(sample=sample, by=by) if state == "open" else sample


def grade(sample: GradingSample, grader: User, scores: Iterable[int]) -> list[Grade]:
    """Let `grader` give `scores` to the answers of `sample`, in the order of their positions."""
    error = {2: "none", 1: "wrong_conclusion", 0: "both_fail"}
    return [
        give_grade(
            grade_id=uuid.uuid4(),
            answer_id=answer.pk,
            score=score,
            error_type=error[score],
            active_seconds=20.0,
            by=grader,
        )
        for answer, score in zip(sample.answers.order_by("position"), scores, strict=False)
    ]
