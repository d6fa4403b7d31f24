"""What came of the attacks on the judges of a benchmark."""

from dataclasses import dataclass
from datetime import datetime

from annotation.models import Benchmark
from evaluation.domain.judge_attack_rates import AttackRate, attack_rates
from evaluation.models import Judgement, Run
from evaluation.models.run import Origin, RunState

MOST_JUDGES = 10


@dataclass(frozen=True)
class Attacked:
    """The newest finished attacks on one judge."""

    label: str
    rubric: str
    finished_at: datetime | None
    whole: AttackRate
    kinds: list[AttackRate]


def attacks_on(benchmark: Benchmark) -> list[Attacked]:
    """Return the newest finished attacks on each judge of a benchmark. Two queries."""
    runs = Run.objects.filter(benchmark=benchmark, origin=Origin.ATTACK, state=RunState.DONE)
    newest: dict[tuple[str, str], Run] = {}
    for run in runs.order_by("-pk")[:200]:
        newest.setdefault((run.judge_label, run.rubric_version), run)
    chosen = list(newest.values())[:MOST_JUDGES]
    rows = Judgement.objects.own().filter(prediction__run__in=chosen).values_list(
        *("prediction__run_id", "prediction__repeat"),
        *("prediction__item_version__item__video__source_id", "score"),
    )  # fmt: skip
    marks: dict[int, list[tuple[int, object, int | None]]] = {run.pk: [] for run in chosen}
    for run_id, kind, source, score in rows:
        marks[run_id].append((kind, source, score))
    return [
        Attacked(run.judge_label, run.rubric_version, run.finished_at, *attack_rates(marks[run.pk]))
        for run in sorted(chosen, key=lambda run: run.judge_label)
    ]
