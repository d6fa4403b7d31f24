"""Compares the rows of files with what is stored: what is new, changed, held or gone.

What a file wants is compared with what the last import took from it, so that work done here
since (edits, votes, boxes) stands while the file stays as it was.
"""

from dataclasses import dataclass, field
from typing import Any

from annotation.domain.benchmark_files import (
    EventRow,
    ItemRow,
    VideoRow,
    content_digest,
    with_variants,
)
from annotation.domain.benchmark_folder import VideoContent
from annotation.domain.import_report import Change, ImportReport
from annotation.domain.rows import RESERVED, Finding
from annotation.models import Event, Item, ItemVersion, Video
from annotation.models.item import ItemState, KeepSource
from annotation.published_rows import (
    event_row,
    item_row,
    kept_of_item,
    kept_of_video,
    video_row,
)

SETTLED_HERE = frozenset({KeepSource.VOTES, KeepSource.ADJUDICATOR})


@dataclass
class ItemStep:
    """What to do with an item that exists. `keep` is written where `settles` is set."""

    item: Item
    row: ItemRow
    new_content: bool = False
    settles: bool = False
    keep: bool | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)


@dataclass
class VideoPlan:
    """What to do with a video and all that belongs to it."""

    new_items: list[ItemRow] = field(default_factory=list)
    item_steps: list[ItemStep] = field(default_factory=list)
    new_events: list[EventRow] = field(default_factory=list)
    changed_events: list[tuple[Event, EventRow]] = field(default_factory=list)
    video_changes: list[Change] = field(default_factory=list)
    takes_video: bool = False


def stored_video_digest(video: Video) -> str:
    """Return the digest of a stored video as `VideoRow.content_digest` makes it."""
    return content_digest(
        source=(video.source.kind, video.source.key),
        segment=(video.start, video.end),
        roi=(video.roi_x, video.roi_y, video.roi_w, video.roi_h),
    )


def stored_item_digest(version: ItemVersion) -> str:
    """Return the digest of a stored version as `ItemRow.content_digest` makes it."""
    box = (version.roi_x, version.roi_y, version.roi_w, version.roi_h)
    return content_digest(
        stem=version.stem,
        options=tuple(version.options),
        key_index=version.key_index,
        reference_answer=version.reference_answer,
        ground_truth=version.ground_truth,
        window=(version.start, version.end),
        question_type=version.question_type,
        roi=box if version.roi_is_override else None,
        **with_variants(tuple(version.accepted_variants)),
    )


def differences(
    key: str, before: dict[str, Any], after: dict[str, Any], reason: str = ""
) -> list[Change]:
    """Return the fields in which two objects of a file differ."""
    names = [*before, *(name for name in after if name not in before)]
    return [
        Change(key, name, before.get(name), after.get(name), reason)
        for name in names
        if before.get(name) != after.get(name)
    ]


def plan_video(video: Video, row: VideoRow, raw: dict[str, Any], report: ImportReport) -> VideoPlan:
    """Say what changes of a stored video; items and events are planned by the others."""
    plan = VideoPlan()
    want = kept_of_video(row)
    if video.extra == want:
        return plan
    last, here = video.extra.get(RESERVED, {}).get("digest"), stored_video_digest(video)
    found = differences(row.name, video_row(video), raw)
    if row.content_digest not in (last, here) and here != last:
        report.held.add(*(_held(change, "changed here since the last import") for change in found))
    else:
        plan.takes_video = True
        plan.video_changes = found
    return plan


def plan_items(
    plan: VideoPlan, stored: dict[tuple[str, int], Item], rows: list[ItemRow], report: ImportReport
) -> None:
    """Sort `rows` into new, changed and unchanged ones; note what people here have settled."""
    for row in rows:
        item = stored.get((row.kind, row.index))
        if item is None:
            plan.new_items.append(row)
            report.tally(row.kind).new += 1
            continue
        step = _item_step(item, row, report)
        if step is None:
            report.tally(row.kind).unchanged += 1
        else:
            plan.item_steps.append(step)
            report.tally(row.kind).changed += 1
            report.changes.add(*step.changes)


def _item_step(item: Item, row: ItemRow, report: ImportReport) -> ItemStep | None:
    want = kept_of_item(row)
    version = item.current
    if item.extra == want or version is None:
        return None
    own = item.extra.get(RESERVED, {})
    here = stored_item_digest(version)
    edited_here = here not in (own.get("digest"), row.content_digest)
    found = differences(item.key, item_row(item, version, item.keep), row.raw)
    if edited_here and row.content_digest != own.get("digest"):
        report.held.add(*(_held(change, "edited here since the last import") for change in found))
        return None
    step = ItemStep(item, row, extra=want)
    step.new_content = row.content_digest not in (own.get("digest"), here)
    _plan_keep(step, own, report)
    if step.new_content and item.keep_source in SETTLED_HERE:
        reason = f"is new in the file; the decision by {item.keep_source} was for the old one"
        report.doubts.add(Finding(item.key, "", "content", reason))
    step.changes = [
        change
        for change in found
        if (change.field != "keep" or step.settles) and not (edited_here and change.field != "keep")
    ]
    return None if step.extra == item.extra else step


def _plan_keep(step: ItemStep, own: dict[str, Any], report: ImportReport) -> None:
    """Take the file's keep flag where it changed and nobody here has a say in it."""
    item, wanted = step.item, step.row.keep
    if wanted == item.keep or ("keep" in own and wanted == own["keep"]):
        return
    reason = ""
    if item.keep_source in SETTLED_HERE:
        reason = f"settled here by {item.keep_source}"
    elif item.keep is None and own.get("keep") is not None:
        reason = "reopened here"
    elif item.keep is None and item.state != ItemState.TODO:
        reason = "votes are under way here"
    if reason:
        report.held.add(Change(item.key, "keep", item.keep, wanted, reason))
        step.extra[RESERVED] = {**step.extra[RESERVED], "keep": own.get("keep")}
        return
    step.settles, step.keep = True, wanted


def _held(change: Change, reason: str) -> Change:
    return Change(change.key, change.field, change.before, change.after, reason)


def plan_events(
    plan: VideoPlan, stored: dict[int, Event], rows: list[EventRow], report: ImportReport, name: str
) -> None:
    """Sort the rows of an event log into new, changed and unchanged ones."""
    tally = report.tally("events")
    for row in rows:
        event = stored.get(row.position)
        if event is None:
            plan.new_events.append(row)
            tally.new += 1
            continue
        after = {**row.extra, **_event_values(row)}
        found = differences(f"events/{name}/{row.position}", event_row(event), after)
        if found:
            plan.changed_events.append((event, row))
            report.changes.add(*found)
        tally.changed += bool(found)
        tally.unchanged += not found


def _event_values(row: EventRow) -> dict[str, Any]:
    return {
        "start": row.start,
        "end": row.end,
        "action": row.action,
        "interpretation": row.interpretation,
    }


def note_gone(
    stored_items: dict[tuple[str, int], Item],
    stored_events: dict[int, Event],
    content: VideoContent,
    name: str,
    report: ImportReport,
) -> None:
    """Report what the files no longer have. A row that was refused is not gone."""
    for (kind, index), item in stored_items.items():
        was_imported = RESERVED in item.extra and kind not in content.unread
        if was_imported and index >= content.lengths.get(kind, 0):
            report.gone.add(item.key)
            report.tally(kind).gone += 1
    for position in () if "events" in content.unread else stored_events:
        if position >= content.lengths.get("events", 0):
            report.gone.add(f"events/{name}/{position}")
            report.tally("events").gone += 1
