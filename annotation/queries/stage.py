"""What the player and its timeline are told, as the JSON of `stage-data`."""

from typing import Any

from django.urls import reverse

from annotation.models import Item, ItemVersion, Source
from annotation.models.benchmark import SourceKind
from annotation.queries.event_log import EventLog

MOST = 2_000  # windows of one video on a timeline


def stage_data(item: Item, version: ItemVersion, log: EventLog) -> dict[str, Any]:
    """Return the stage of `item`, whose `video.source` is read along; one query.

    Times in seconds: `video` in those of the source, all others from the start of the video.
    ROI in fractions of the full frame.
    """
    video = item.video
    windows = (
        Item.objects.filter(video=video, current__isnull=False)
        .order_by("start", "position")
        .values_list("pk", "kind", "start", "end")
    )
    return {
        "source": source_data(video.source),
        "video": {
            "id": video.pk,
            "version": video.version,
            "title": video.title,
            "start": video.start,
            "end": video.end,
            "roi": rect(video.roi_x, video.roi_y, video.roi_w, video.roi_h),
        },
        "item": {
            "id": item.pk,
            "version": version.number,
            "start": version.start,
            "end": version.end,
            "roi": rect(version.roi_x, version.roi_y, version.roi_w, version.roi_h),
        },
        "events": log.events,
        "closed": log.closed,
        "windows": [
            {"item": pk, "kind": kind, "start": start, "end": end, "current": pk == item.pk}
            for pk, kind, start, end in windows[:MOST]
        ],
    }


def rect(x: float, y: float, w: float, h: float) -> dict[str, float]:
    return {"x": x, "y": y, "w": w, "h": h}


def source_data(source: Source) -> dict[str, Any]:
    is_file = source.kind == SourceKind.FILE
    return {
        "kind": source.kind,
        "key": "" if is_file else source.key,
        "url": reverse("annotation:source_file", args=[source.pk]) if is_file else "",
        "width": source.width,
        "height": source.height,
    }
