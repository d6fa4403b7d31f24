"""What workers do for the annotation room: each takes primary values and calls one function."""

from celery import shared_task

from annotation import (
    audit,
    clip_previews,
    figures,
    media_purge,
    repairing,
    roi_suggestions,
    stills,
)
from annotation.actions import bulk_work


@shared_task(name="annotation.take_still", soft_time_limit=110, time_limit=120)
def take_still(video_id: int, milliseconds: int) -> None:
    stills.settle(video_id, milliseconds)


@shared_task(name="annotation.purge_media")
def purge_media() -> None:
    media_purge.purge()


@shared_task(name="annotation.make_audit")
def make_audit(audit_id: int) -> None:
    audit.make_audit(audit_id)


@shared_task(name="annotation.make_waiting_audits")
def make_waiting_audits() -> None:
    audit.make_waiting_audits()


@shared_task(name="annotation.suggest_roi", soft_time_limit=290, time_limit=300)
def suggest_roi(video_id: int) -> None:
    roi_suggestions.settle(video_id)


@shared_task(name="annotation.cut_preview", soft_time_limit=290, time_limit=300)
def cut_preview(item_id: int, box: list[float] | None) -> None:
    clip_previews.settle(item_id, box)


@shared_task(name="annotation.advance_bulk")
def advance_bulk(bulk_id: int) -> None:
    bulk_work.advance(bulk_id)


@shared_task(name="annotation.advance_waiting_bulks")
def advance_waiting_bulks() -> None:
    bulk_work.advance_waiting()


@shared_task(name="annotation.count_figures")
def count_figures(benchmark_id: int) -> None:
    figures.count_figures(benchmark_id)


@shared_task(name="annotation.find_repairs")
def find_repairs(benchmark_id: int) -> None:
    repairing.find_repairs(benchmark_id)


@shared_task(name="annotation.find_waiting_repairs")
def find_waiting_repairs() -> None:
    repairing.find_waiting()
