"""Videos that cannot be looked at, and what of them still waits for a reader."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Item, User, Video
from annotation.models.benchmark import SourceState
from annotation.queries.standing import own_fresh

DEAD = (SourceState.REMOVED, SourceState.EMBEDDING_OFF, SourceState.BLOCKED)


def open_items(user: User, video_id: int) -> QuerySet[Item]:
    """Return the items of a video without a standing vote of the reader, in no order."""
    items = Item.objects.filter(video_id=video_id, current__isnull=False).order_by()
    return items.exclude(Exists(own_fresh(user).filter(item=OuterRef("pk"))))


def left_unplayable(user: User, video: Video, *, withheld: bool) -> int:
    """Return how many items of a video that does not play, or is withheld, wait for the reader;
    0 for one that plays as far as is known."""
    if video.source.state not in DEAD and not withheld:
        return 0
    return open_items(user, video.pk).count()
