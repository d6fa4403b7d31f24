"""Celery tasks of the evaluation room: each takes a primary key and calls one function."""

from celery import shared_task

from annotation.models import Release
from evaluation.rescoring import score_release


@shared_task(name="evaluation.score_release")
def score_release_task(release_id: int) -> None:
    """Score a new release; idempotent, so a second message does no harm."""
    score_release(Release.objects.get(pk=release_id))
