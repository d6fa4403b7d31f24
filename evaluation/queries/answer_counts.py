"""How many answers runs have, of how many they ask for: for a page of the list of runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Q

from evaluation.models import Prediction, Run
from evaluation.models.prediction import Outcome


@dataclass(frozen=True)
class AnswerCount:
    """`asked` is items × repeats of a run of the engine, otherwise the predictions it has."""

    answered: int
    asked: int


def answer_counts(runs: Iterable[Run]) -> dict[int, AnswerCount]:
    """Return the counts of each run, by its id. One query for all of them."""
    runs = list(runs)
    rows = (
        Prediction.objects.filter(run__in=[run.pk for run in runs])
        .order_by()
        .values_list("run_id")
        .annotate(
            answered=Count("pk", filter=Q(outcome=Outcome.ANSWERED)),
            stored=Count("pk"),
        )
    )
    found = {pk: (answered, stored) for pk, answered, stored in rows}
    counts = {}
    for run in runs:
        answered, stored = found.get(run.pk, (0, 0))
        counts[run.pk] = AnswerCount(answered, max(int(run.extra.get("answers", 0)), stored))
    return counts
