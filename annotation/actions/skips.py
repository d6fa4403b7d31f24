"""Skips what is left of a video, where it cannot be looked at."""

import uuid

from django.db import transaction

from annotation.actions.reviews import cast_vote
from annotation.models import User
from annotation.models.review import SkipReason, Verdict
from annotation.permissions import Verb, require
from annotation.queries.unplayable import open_items

MOST = 400  # items skipped at once


@transaction.atomic
def skip_video(*, video_id: int, by: User) -> int:
    """Skip each item of a video that waits for a vote of `by`; return how many.

    As a skip of each alone: they stay in the reader's queue, and in a round go back to the
    pool. Raises PermissionDenied.
    """
    require(by, Verb.REVIEW)
    waiting = open_items(by, video_id).order_by("pk").values_list("pk", "current__number")
    skipped = list(waiting[:MOST])
    for item_id, number in skipped:
        cast_vote(
            review_id=uuid.uuid4(),
            item_id=item_id,
            version_number=number,
            verdict=Verdict.SKIP,
            skip_reason=SkipReason.VIDEO,
            by=by,
        )
    return len(skipped)
