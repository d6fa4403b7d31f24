"""Which items an admin shows to the public as examples."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Benchmark, Item, Video
from annotation.models.benchmark import SourceKind
from annotation.queries.withheld import MARGIN


def example_items(benchmark: Benchmark) -> QuerySet[Item]:
    """Return the examples of `benchmark`, in the order of lists, each with `in_quarantine`:
    whether its video is, or one that shows some of the same pixels."""
    return _chosen(benchmark).annotate(in_quarantine=_quarantined())


def shown_examples(benchmark: Benchmark) -> QuerySet[Item]:
    """Return those examples that the public may see now: none while it is in quarantine."""
    return _chosen(benchmark).exclude(_quarantined())


def _chosen(benchmark: Benchmark) -> QuerySet[Item]:
    found = Item.objects.filter(benchmark=benchmark, is_example=True, held_out=False)
    return found.order_by("position")


def _quarantined() -> Exists:
    overlap = Q(
        start__lt=OuterRef("video__end") + MARGIN, end__gt=OuterRef("video__start") - MARGIN
    )
    return Exists(
        Video.objects.filter(
            Q(pk=OuterRef("video_id")) | Q(source__kind=SourceKind.FILE) | overlap,
            quarantined_at__isnull=False,
            source__kind=OuterRef("video__source__kind"),
            source__key=OuterRef("video__source__key"),
        )
    )
