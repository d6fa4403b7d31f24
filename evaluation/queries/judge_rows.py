"""The marks of every judge on the runs of a release, for rows by judge and by panel."""

from collections import defaultdict
from collections.abc import Hashable

from evaluation.domain.judge_rows import ModelRow, model_row
from evaluation.models import Judgement, Run
from evaluation.queries.grading_candidates import candidate_runs, model_name

MOST = 500_000  # marks looked at


def rows_by_judge(release_id: int) -> list[ModelRow]:
    """Return the models of a release whose answers two judges or more have marked, each judge
    by its first verdicts. Two queries."""
    runs: dict[int, Run] = {run.pk: run for run in candidate_runs(release_id)}
    rows = (
        Judgement.objects.in_usual_order()
        .filter(
            prediction__run__in=list(runs),
            prediction__repeat=0,
            prediction__item_version__release_items__release=release_id,
            prediction__item_version__release_items__keep=True,
            failed=False,
            score__isnull=False,
        )
        .order_by("repeat", "pk")
        .values_list(
            "prediction__run_id",
            "judge_label",
            "prediction_id",
            "prediction__item_version__item__video__source_id",
            "score",
        )[:MOST]
    )
    marks: dict[int, dict[str, dict[Hashable, int]]] = defaultdict(lambda: defaultdict(dict))
    sources: dict[Hashable, Hashable] = {}
    for run, judge, prediction, source, score in rows:
        if score is not None:
            marks[run][judge].setdefault(prediction, score)
            sources[prediction] = source
    found = (model_row(model_name(runs[run]), marks[run], sources) for run in runs)
    return [row for row in found if row is not None]
