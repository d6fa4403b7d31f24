"""Keeps the figures of a judge audit, and how each judge stands by them."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.trail import SYSTEM, record
from annotation.domain.versions import digest
from evaluation.models import GradingSample, JudgeStanding
from evaluation.models.grading import SampleState


@transaction.atomic
def keep_figures(
    *, sample: GradingSample, figures: dict[str, Any], stamp: str = ""
) -> GradingSample:
    """Store the figures of a closed sample; where it is the newest closed one of its benchmark,
    its judges stand by it. `stamp` names the rejudgings that the figures count. Storing equal
    figures changes no more than that.

    Raises ValueError unless the sample is closed: before that they are nobody's to see.
    """
    locked = GradingSample.objects.select_for_update().get(pk=sample.pk)
    if locked.state != SampleState.CLOSED:
        raise ValueError("a sample that is not closed has no figures")
    locked.stamp = stamp
    if digest([locked.figures]) == digest([figures]):
        locked.save(update_fields=["stamp"])
        return locked
    locked.figures, locked.computed_at = figures, timezone.now()
    locked.save(update_fields=["figures", "computed_at", "stamp"])
    newest = GradingSample.objects.filter(
        benchmark=locked.benchmark_id, state=SampleState.CLOSED
    ).order_by("-closed_at", "-pk")
    if newest.values_list("pk", flat=True).first() == locked.pk:
        _stand(locked, figures)
    record(
        by=SYSTEM,
        verb="audit_judges",
        target_kind="grading_sample",
        target_id=locked.pk,
        benchmark_id=locked.benchmark_id,
        after={"graded": figures.get("graded", 0), "judges": len(figures.get("judges", ()))},
    )
    return locked


def _stand(sample: GradingSample, figures: dict[str, Any]) -> None:
    """Put the standings of `sample` in the place of those of the samples before."""
    JudgeStanding.objects.filter(benchmark=sample.benchmark_id).delete()
    rows = []
    for judge in (*figures.get("judges", ()), *figures.get("panels", ())):
        kappa, low, high = judge["agreement"]["kappa_all"]
        rows.append(
            JudgeStanding(
                benchmark_id=sample.benchmark_id,
                sample=sample,
                judge_label=judge["label"],
                rubric_version=judge["rubric"],
                kappa=kappa,
                low=low,
                high=high,
                n=judge["agreement"]["n"],
            )
        )
    JudgeStanding.objects.bulk_create(rows)
