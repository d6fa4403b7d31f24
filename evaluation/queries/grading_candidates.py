"""Which judged free responses of a release clinicians could grade."""

from dataclasses import dataclass

from django.db.models import Count, QuerySet

from annotation.models import Release
from evaluation.domain.grading_sample import Candidate
from evaluation.models import Judgement, Run
from evaluation.models.prediction import Outcome, Verdicts
from evaluation.models.run import Origin, RunState

MOST = 500_000  # judged answers looked at for one draw
MOST_RUNS = 200


@dataclass(frozen=True)
class OfferedRun:
    """A run whose answers can be drawn: how many of them its own judge has marked."""

    run: Run
    answers: int

    @property
    def name(self) -> str:
        return model_name(self.run)


def model_name(run: Run) -> str:
    """Return how figures name the model of a run: two conditions are two models."""
    seen = "" if run.condition == "video" else f", {run.get_condition_display().lower()}"
    return f"{run.contestant.name}{seen}"


def candidate_runs(release_id: int) -> QuerySet[Run]:
    """Return the finished runs of models on a release, by name."""
    return (
        Run.objects.filter(release=release_id, state=RunState.DONE, contestant__is_human=False)
        .exclude(origin__in=(Origin.REJUDGE, Origin.READERS, Origin.ATTACK))
        .select_related("contestant")
        .order_by("contestant__name", "pk")[:MOST_RUNS]
    )


def offered_runs(release: Release) -> list[OfferedRun]:
    """Return the finished runs on `release` with judged free responses. Two queries."""
    found = {run.pk: run for run in candidate_runs(release.pk)}
    counted = (
        _verdicts(release, list(found))
        .order_by()
        .values_list("prediction__run")
        .annotate(answers=Count("prediction", distinct=True))
    )
    answers = dict(counted)
    return [OfferedRun(run, answers[pk]) for pk, run in found.items() if answers.get(pk)]


def candidates(release: Release, runs: list[Run]) -> list[Candidate]:
    """Return the judged answers of `runs`, each with its first verdict by its own judge."""
    names = {run.pk: model_name(run) for run in runs}
    rows = (
        _verdicts(release, list(names))
        .order_by("repeat", "pk")
        .values_list("prediction_id", "prediction__run_id", "score")[:MOST]
    )
    found: dict[int, Candidate] = {}
    for prediction, run, score in rows:
        if score is not None:
            found.setdefault(prediction, Candidate(prediction, score, names[run]))
    return list(found.values())


def _verdicts(release: Release, runs: list[int]) -> Verdicts:
    return Judgement.objects.own().filter(
        failed=False,
        score__isnull=False,
        prediction__run__in=runs,
        prediction__repeat=0,
        prediction__outcome=Outcome.ANSWERED,
        prediction__item_version__key_index__isnull=True,
        prediction__item_version__release_items__release=release,
        prediction__item_version__release_items__keep=True,
    )
