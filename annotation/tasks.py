"""What workers do for the annotation room: each takes primary values and calls one function."""

from celery import shared_task

from annotation import audit, media_purge, stills


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
