"""Which stored predictions of a run answer the items of another release, unchanged.

A prediction is taken over where the other release would ask the same: the digests of the text and,
where the model sees it, of the clip are equal. Its verdict is taken over where the judge would be
given the same, ground truth and accepted variants included.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from annotation.models import Release, ReleaseItem
from annotation.models.item import Kind
from evaluation.engine.work_list import kept_rows
from evaluation.models import Judgement, Prediction, Run
from evaluation.models.prediction import Outcome
from evaluation.models.run import Condition
from evaluation.queries.estimate import Estimate, estimate
from evaluation.queries.turns import turns

TAKEN = (Outcome.ANSWERED, Outcome.ABSTAINED, Outcome.REFUSED)  # a failure is asked again
BATCH = 1_000


@dataclass(frozen=True)
class Match:
    """A stored prediction that answers a version of the other release; `verdict_holds` says
    that the judge would be given the same."""

    version_id: int
    prediction: Prediction
    verdict_holds: bool


@dataclass(frozen=True)
class Extension:
    """What extending a run takes: answers wanted in all, those taken over, and calls."""

    answers: int
    taken: int
    estimate: Estimate


def matches(run: Run, release: Release) -> Iterator[list[Match]]:
    """Give what is taken over, in batches of items. Two queries a batch."""
    rows = kept_rows(run, release).values_list(
        "item_version_id",
        "item_version__item_id",
        "item_version__text_digest",
        "item_version__clip_digest",
        "item_version__digest",
    )
    stream = rows.iterator(chunk_size=BATCH)
    while batch := list(islice(stream, BATCH)):
        yield _match(run, batch)


def _match(run: Run, batch: list[tuple[int, int, str, str, str]]) -> list[Match]:
    sees_clip = run.condition != Condition.BLIND
    wanted = {
        (item, text, clip if sees_clip else ""): (version, digest)
        for version, item, text, clip, digest in batch
    }
    stored = Prediction.objects.filter(
        run=run, outcome__in=TAKEN, item_version__item__in=[item for _, item, *_ in batch],
    )  # fmt: skip
    found = []
    for row in stored.select_related("item_version__item").order_by("pk"):
        version = row.item_version
        key = (
            version.item_id,
            version.text_digest,
            version.clip_digest if sees_clip else "",
        )
        if key in wanted:
            version_id, digest = wanted[key]
            found.append(Match(version_id, row, digest == version.digest))
    return found


def extension(run: Run, release: Release) -> Extension:
    """Return what it takes to answer the items of `release` with what `run` has. Seven queries,
    whatever its size."""
    wanted = turns(repeats=run.repeats, circular=run.circular)
    rows = kept_rows(run, release).annotate(stored=_stored(run), due=wanted)
    sums = rows.aggregate(answers=Sum("due"), taken=Sum("stored"))
    answers, taken = sums["answers"] or 0, sums["taken"] or 0
    fresh = rows.filter(stored__lt=F("due"))
    found = estimate(
        release=release,
        contestant=run.contestant,
        condition=run.condition,
        judge=run.judge,
        repeats=run.repeats,
        circular=run.circular,
        rows=fresh,
    )
    judged_again = _judged_again(run, rows) if run.judge else 0
    asked = 0 if not found.calls else answers - taken
    judge_calls = found.judge_calls + judged_again
    exact: dict[str, Any] = {"calls": asked + judge_calls, "judge_calls": judge_calls}
    return Extension(answers, taken, replace(found, **exact))


def _stored(run: Run, *conditions: Q) -> Coalesce:
    """Count, for each kept item of a release, the answers of `run` that are taken over."""
    same = {
        "item_version__item": OuterRef("item_version__item"),
        "item_version__text_digest": OuterRef("item_version__text_digest"),
    }
    if run.condition != Condition.BLIND:
        same["item_version__clip_digest"] = OuterRef("item_version__clip_digest")
    stored = Prediction.objects.filter(*conditions, run=run, outcome__in=TAKEN, **same)
    counted = stored.order_by().values("run").annotate(n=Count("pk", distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _judged_again(run: Run, rows: QuerySet[ReleaseItem]) -> int:
    """Return how many free responses that are taken over the judge has to mark anew."""
    verdicts = Judgement.objects.own().filter(
        prediction__run=run, failed=False,
        judge_label=run.judge_label, rubric_version=run.rubric_version,
    )  # fmt: skip
    marked = Q(judgements__in=verdicts) & Q(item_version__digest=OuterRef("item_version__digest"))
    free = rows.filter(item_version__item__kind=Kind.FREE).annotate(
        answered=_stored(run, Q(outcome=Outcome.ANSWERED)),
        marked=_stored(run, Q(outcome=Outcome.ANSWERED), marked),
    )
    found = free.aggregate(n=Sum(F("answered") - F("marked")))["n"]
    return max(0, found or 0)


def other_releases(run: Run) -> QuerySet[Release]:
    """Return the releases that a run may be extended to, the newest first."""
    return Release.objects.filter(benchmark=run.benchmark_id).exclude(pk=run.release_id)
