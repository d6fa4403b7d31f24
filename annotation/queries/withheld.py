"""Which pixels must not be shown: those in which somebody saw a person's identifier.

The same upload or file may be a source of several benchmarks, and videos of one source may
overlap: what is in quarantine in one place is in quarantine everywhere.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import Revision, Source, Video
from annotation.models.benchmark import SourceKind
from annotation.queries.actors import names_of_actors
from annotation.queries.compiled import Compiled, Given

MARGIN = 1.0  # seconds around a video in quarantine: windows end a little past their video
MOST = 10  # reports shown of one video
REPORTS = ("quarantine_video", "report_video")


@dataclass(frozen=True)
class Report:
    """What somebody said about a video."""

    at: datetime
    author: str
    reason: str


def in_quarantine(source: Source) -> QuerySet[Video]:
    """Return the videos in quarantine that are cut from the upload or file of `source`."""
    return Video.objects.filter(
        quarantined_at__isnull=False, source__kind=source.kind, source__key=source.key
    )


def withheld_span(video: Video, start: float, end: float) -> Video | None:
    """Return a video in quarantine that shows what `video` shows from `start` to `end`, in
    seconds of its source; None where there is none. Its source is read along; one query, compiled:
    each clip of a run asks it."""
    source = video.source
    found = _withheld.first(
        kind=source.kind, key=source.key, video=video.pk, before=end + MARGIN, after=start - MARGIN
    )
    return None if found is None else Video.objects.get(pk=found)


@Compiled
def _withheld(
    kind: Given, key: Given, video: Given, before: Given, after: Given
) -> QuerySet[Video, Any]:
    overlap = Q(start__lt=before, end__gt=after)
    return (
        Video.objects.filter(quarantined_at__isnull=False, source__kind=kind, source__key=key)
        .filter(Q(pk=video) | overlap)
        .values_list("pk")[:1]
    )


def withheld_player(video: Video) -> Video | None:
    """Return a video in quarantine that a player of `video` would let people see; one query.

    A file is served whole, so one such video withholds its file from all others.
    """
    if video.source.kind == SourceKind.FILE:
        return in_quarantine(video.source).first()
    return withheld_span(video, video.start, video.end)


def reports_of(video: Video) -> list[Report]:
    """Return the latest reports about a video, the newest first; two queries."""
    trail = Revision.objects.filter(target_kind="video", target_id=video.pk, verb__in=REPORTS)
    rows = list(trail.order_by("-id")[:MOST])
    names = names_of_actors(row.actor for row in rows)
    return [Report(row.at, names[row.actor], row.reason) for row in rows]
