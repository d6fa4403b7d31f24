"""Puts a video into another category."""

from django.db import transaction

from annotation.actions.trail import record
from annotation.actions.videos import check_reason, locked
from annotation.domain.edits import BadEdit, is_clean
from annotation.models import Revision, User, Video
from annotation.permissions import Verb, require

CATEGORY_LIMIT = 64


class CategoryMoved(Exception):
    """The video is in another category than the one that was looked at."""


@transaction.atomic
def set_category(
    *, video_id: int, was: str, category: str, reason: str, by: User
) -> Revision | None:
    """Put a video into `category`; None where it is there already. Items stay as they are.

    `was` is the category that the writer saw. Raises PermissionDenied, Video.DoesNotExist,
    BadEdit, CategoryMoved.
    """
    require(by, Verb.EDIT_ITEM)
    check_reason(reason)
    if not is_clean(category, CATEGORY_LIMIT) or "\n" in category:
        raise BadEdit({"category": f"must be a line of at most {CATEGORY_LIMIT} characters"})
    video = locked(Video.objects.filter(pk=video_id))
    if video.category != was:
        raise CategoryMoved
    if video.category == category:
        return None
    video.category = category
    video.save(update_fields=["category"])
    return record(
        by=by,
        verb="set_category",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        before={"category": was},
        after={"category": category},
        reason=reason,
    )
