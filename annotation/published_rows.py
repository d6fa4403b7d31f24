"""Stored rows as the published layout writes them: the reverse of `domain.benchmark_files`."""

from typing import Any

from annotation.domain.benchmark_files import (
    EVENT_KEYS,
    FULL_FRAME,
    ITEM_KEYS,
    ROI,
    ROI_KEYS,
    SOURCE_FILE,
    VARIANTS,
    ItemRow,
    VideoRow,
)
from annotation.domain.questions import LETTERS, Style, compose_question, default_style
from annotation.domain.rows import RESERVED
from annotation.domain.youtube_ids import watch_url
from annotation.models import Event, Item, ItemVersion, Source, Video
from annotation.models.benchmark import SourceKind
from annotation.models.item import Kind

OPTIONAL_KEYS = ("groundtruth", "question_type", "keep")


def kept_of_item(row: ItemRow) -> dict[str, Any]:
    """Return what `Item.extra` keeps of a row: its unknown keys, and, under one reserved key,
    the digest and keep flag as imported, the style of the question and an unusual key order.
    """
    own: dict[str, Any] = {"digest": row.content_digest, "keep": row.keep}
    style = row.question.style
    if style != default_style(row.kind):
        own["style"] = [style.prefix, style.mark, list(style.marks)]
    if tuple(row.raw) != ITEM_KEYS:
        own["keys"] = list(row.raw)
    return {**row.extra, RESERVED: own}


def kept_of_video(row: VideoRow) -> dict[str, Any]:
    """Return what `Video.extra` keeps of a metadata entry, as `kept_of_item` does."""
    own: dict[str, Any] = {"digest": row.content_digest}
    if row.url and row.url != watch_url(row.source_key):
        own["url"] = row.url
    if not row.has_roi:
        own["no_roi"] = True
    return {**row.extra, RESERVED: own}


def style_of(item: Item) -> Style:
    """Return the style in which the item's question is written."""
    own = item.extra.get(RESERVED, {})
    if "style" not in own:
        return default_style(item.kind)
    prefix, mark, marks = own["style"]
    return Style(prefix, mark, tuple(marks))


def item_row(item: Item, version: ItemVersion, keep: bool | None) -> dict[str, Any]:
    """Return the object of an item in the content of `version`, its keys in the file's order."""
    own = item.extra.get(RESERVED, {})
    values: dict[str, Any] = {
        "question": compose_question(version.stem, tuple(version.options), style_of(item)),
        "answer": version.reference_answer if item.kind == Kind.FREE else _letter(version),
        "groundtruth": version.ground_truth,
        "time_start": version.start,
        "time_end": version.end,
        "keep": keep,
        "question_type": version.question_type,
    }
    if version.roi_is_override:
        box = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
        values[ROI] = dict(zip(ROI_KEYS, box, strict=True))
    values |= {key: value for key, value in item.extra.items() if key != RESERVED}
    in_file = own.get("keys", ITEM_KEYS if RESERVED in item.extra else ())
    if version.accepted_variants or VARIANTS in in_file:
        values[VARIANTS] = list(version.accepted_variants)
    order = [*in_file, *(key for key in values if key not in in_file)]
    return {
        key: values[key]
        for key in order
        if key in values
        and (key in in_file or key not in OPTIONAL_KEYS or values[key] not in ("", None))
    }


def _letter(version: ItemVersion) -> str:
    return "" if version.key_index is None else LETTERS[version.key_index]


def video_row(video: Video, version: ItemVersion | None = None) -> dict[str, Any]:
    """Return the metadata of a video; segment and ROI as a frozen `version` has them."""
    own = video.extra.get(RESERVED, {})
    if version is None:
        start, end = video.start, video.end
        box = (video.roi_x, video.roi_y, video.roi_w, video.roi_h)
    else:
        start, end = version.video_start, version.video_end
        box = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    values = {**source_row(video.source, own), "start_time": start, "end_time": end}
    if box != FULL_FRAME or "no_roi" not in own:
        values[ROI] = dict(zip(ROI_KEYS, box, strict=True))
    return values | {key: value for key, value in video.extra.items() if key != RESERVED}


def source_row(source: Source, own: dict[str, Any]) -> dict[str, str]:
    """Return the key of a metadata entry that names its source."""
    if source.kind == SourceKind.FILE:
        return {SOURCE_FILE: source.key}
    return {"youtube_url": own.get("url") or watch_url(source.key)}


def event_row(event: Event) -> dict[str, Any]:
    """Return the object of an event."""
    values = (event.start, event.end, event.action, event.interpretation)
    return {**dict(zip(EVENT_KEYS, values, strict=True)), **event.extra}
