"""Writes what an import brings: one video with its items and events in one transaction."""

from django.db import transaction

from annotation.actions.import_items import BATCH, REASON, Places, make_items, update_items
from annotation.actions.locked import lock_all
from annotation.actions.trail import record, record_many
from annotation.domain.benchmark_folder import VideoContent, VideoFiles
from annotation.domain.import_report import ImportReport
from annotation.domain.video_names import category_from, title_from
from annotation.import_plan import VideoPlan, note_gone, plan_events, plan_items, plan_video
from annotation.models import Benchmark, Event, Item, Revision, Source, User, Video
from annotation.published_rows import kept_of_video

MOST_CHANGES = 200  # listed in one revision


@transaction.atomic
def open_benchmark(*, slug: str, name: str, by: User | str) -> Benchmark:
    """Return the benchmark `slug`, made under `name` where there is none."""
    benchmark, made = Benchmark.objects.get_or_create(slug=slug, defaults={"name": name})
    if made:
        record(
            by=by,
            verb="make_benchmark",
            target_kind="benchmark",
            target_id=benchmark.pk,
            benchmark_id=benchmark.pk,
            after={"slug": slug, "name": name},
            reason=REASON,
        )
    return benchmark


@transaction.atomic
def import_video(
    *,
    benchmark: Benchmark,
    files: VideoFiles,
    content: VideoContent,
    places: Places,
    report: ImportReport,
    by: User | str,
) -> None:
    """Make or update one video, its items and its events; nothing is deleted.

    The comparison is made under the locks of the writing, so that an edit of the same
    moment is either seen or waits. What was done goes into `report`.
    """
    Benchmark.objects.select_for_update().get(pk=benchmark.pk)  # imports and releases take turns
    benchmark.videos.select_for_update().filter(name=files.row.name).first()
    video, plan, stored = compare_video(
        benchmark=benchmark, files=files, content=content, report=report, lock=True
    )
    if video is None:
        video = _make_video(benchmark, files, places)
    elif plan.takes_video or video.files != files.spellings:
        _update_video(video, files, plan)
    make_items(video, plan.new_items, places, by)
    update_items(video, plan, stored, by)
    _write_events(video, plan)
    _record_video(video, plan, by)


def compare_video(
    *,
    benchmark: Benchmark | None,
    files: VideoFiles,
    content: VideoContent,
    report: ImportReport,
    lock: bool = False,
) -> tuple[Video | None, VideoPlan, dict[tuple[str, int], Item]]:
    """Say what an import would do with one video: the stored one, the plan, its items."""
    name, tally = files.row.name, report.tally("videos")
    video = None
    if benchmark is not None:
        videos = benchmark.videos.select_related("source", "benchmark")
        video = videos.filter(name=name).first()
    plan = VideoPlan()
    items: dict[tuple[str, int], Item] = {}
    events: dict[int, Event] = {}
    if video is None:
        tally.new += 1
    else:
        plan = plan_video(video, files.row, files.raw, report)
        tally.changed += plan.takes_video
        tally.unchanged += not plan.takes_video
        report.changes.add(*plan.video_changes)
        if lock:
            lock_all(Item.objects.filter(video=video))
        rows = Item.objects.filter(video=video).select_related("current")
        items = {(item.kind, item.index): item for item in rows.order_by("pk")}
        events = {event.position: event for event in video.events.all()}
        note_gone(items, events, content, name, report)
    plan_items(plan, items, content.items, report)
    plan_events(plan, events, content.events, report, name)
    return video, plan, items


def _make_video(benchmark: Benchmark, files: VideoFiles, places: Places) -> Video:
    row = files.row
    video = Video(
        benchmark=benchmark,
        name=row.name,
        title=title_from(row.name),
        category=category_from(row.name),
        position=places.video,
        files=files.spellings,
    )
    places.video += 1
    _fill_video(video, files)
    video.save()
    return video


def _fill_video(video: Video, files: VideoFiles) -> None:
    row = files.row
    video.source, _ = Source.objects.get_or_create(
        benchmark=video.benchmark, kind=row.source_kind, key=row.source_key
    )
    video.start, video.end = row.start, row.end
    video.roi_x, video.roi_y, video.roi_w, video.roi_h = row.roi
    video.extra = kept_of_video(row)


def _update_video(video: Video, files: VideoFiles, plan: VideoPlan) -> None:
    video.files = files.spellings
    if plan.takes_video:
        _fill_video(video, files)
        video.version += 1
    video.save()


def _write_events(video: Video, plan: VideoPlan) -> None:
    Event.objects.bulk_create(
        [
            Event(
                video=video,
                position=row.position,
                start=row.start,
                end=row.end,
                action=row.action,
                interpretation=row.interpretation,
                extra=row.extra,
            )
            for row in plan.new_events
        ],
        batch_size=BATCH,
    )
    for event, row in plan.changed_events:
        event.start, event.end, event.extra = row.start, row.end, row.extra
        event.action, event.interpretation = row.action, row.interpretation
        event.save()


def _record_video(video: Video, plan: VideoPlan, by: User | str) -> None:
    """Write one revision for what is new, and one for each item that changed."""
    made = {"items": len(plan.new_items), "events": len(plan.new_events)}
    if any(made.values()) or plan.video_changes or plan.changed_events:
        changes = plan.video_changes[:MOST_CHANGES]
        record(
            by=by,
            verb="import_video",
            target_kind="video",
            target_id=video.pk,
            benchmark_id=video.benchmark_id,
            before={change.field: change.before for change in changes},
            after={
                **{change.field: change.after for change in changes},
                "new": made,
                "changed_events": [event.position for event, _ in plan.changed_events],
            },
            reason=REASON,
        )
    record_many(
        Revision(
            actor=by if isinstance(by, str) else by.pseudonym,
            verb="import_item",
            target_kind="item",
            target_id=step.item.pk,
            benchmark_id=video.benchmark_id,
            before={change.field: change.before for change in step.changes},
            after={change.field: change.after for change in step.changes},
            reason=REASON,
        )
        for step in plan.item_steps
    )
