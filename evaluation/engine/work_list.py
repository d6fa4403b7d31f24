"""Writes down the work of a run: one row per kept item, repeat and first stage."""

from itertools import islice

from django.db.models import Count, F, Max, Q, QuerySet, Sum, Window
from django.db.models.functions import RowNumber

from annotation.models import Release, ReleaseItem
from annotation.models.item import Kind
from evaluation.engine.plan import MEDIA_CONDITIONS
from evaluation.models import Run, WorkItem
from evaluation.models.contestant import Dialect
from evaluation.models.run import Stage, WorkState
from evaluation.queries.turns import turns

BATCH = 2_000
TURN = Window(
    RowNumber(), partition_by="item_version__item__video__source", order_by="position"
)  # which item of its source a row is


def asked_rows(run: Run) -> QuerySet[ReleaseItem]:
    """Return what the run asks: the kept items of its release, of a baseline the MCQs alone."""
    return kept_rows(run, run.release)


def kept_rows(run: Run, release: Release) -> QuerySet[ReleaseItem]:
    """Return what a run like this one asks of `release`."""
    kept = ReleaseItem.objects.filter(release=release, keep=True)
    if run.contestant.provider.dialect == Dialect.BASELINE:
        kept = kept.filter(item_version__item__kind=Kind.MCQ)
    return kept.order_by("position")


def write_work_list(run: Run) -> int:
    """Write the first work items of the run; return how many. Writing twice adds none.

    A clip is cut once for all repeats of its item; the questions follow when it is there. Sources
    take turns, so that one is looked up and fetched while another is cut.
    """
    asked = asked_rows(run)
    baseline = run.contestant.provider.dialect == Dialect.BASELINE
    has_clips = run.condition in MEDIA_CONDITIONS and not baseline
    stage = Stage.CLIP if has_clips else Stage.PREDICT
    wanted = turns(repeats=1 if has_clips else run.repeats, circular=run.circular and not has_clips)
    if has_clips and run.extends_id:
        asked = asked.exclude(item_version__in=_answered(run))  # they need no clip
    if has_clips:
        asked = asked.annotate(turn=TURN).order_by("turn", "position")
    rows = (
        WorkItem(run=run, item_version_id=version, repeat=repeat, stage=stage)
        for version, often in asked.values_list("item_version_id", wanted).iterator()
        for repeat in range(often)
    )
    count = 0
    while batch := list(islice(rows, BATCH)):
        WorkItem.objects.bulk_create(batch, ignore_conflicts=True)
        count += len(batch)
    _note_size(run)
    return count


def _answered(run: Run) -> QuerySet[WorkItem, int]:
    """Return the versions of which every repeat is answered."""
    done = WorkItem.objects.filter(run=run, stage=Stage.PREDICT, state=WorkState.DONE)
    wanted = Max(turns(repeats=run.repeats, circular=run.circular))
    counted = done.order_by().values("item_version").annotate(n=Count("pk"), wanted=wanted)
    return counted.filter(n__gte=F("wanted")).values_list("item_version", flat=True)


def _note_size(run: Run) -> None:
    """Keep how many answers the run is to have, so that no page has to count them."""
    wanted = turns(repeats=run.repeats, circular=run.circular)
    sums = (
        asked_rows(run)
        .order_by()
        .annotate(wanted=wanted)
        .aggregate(
            items=Count("pk"),
            answers=Sum("wanted"),
            free=Sum("wanted", filter=Q(item_version__item__kind=Kind.FREE)),
        )
    )
    run.extra |= {
        "items": sums["items"],
        "answers": sums["answers"] or 0,
        "free_answers": sums["free"] or 0,
    }
    run.save(update_fields=["extra"])
