"""Who else is editing an item just now."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from annotation.models import EditHint, User

FRESH = timedelta(seconds=45)  # the form says it again every 15 s
MOST = 5


@dataclass(frozen=True)
class Editing:
    name: str
    seen_at: datetime


def others_editing(user: User, item_id: int) -> list[Editing]:
    """Return the other accounts whose edit form on the item is open, the latest first."""
    hints = EditHint.objects.filter(item_id=item_id, seen_at__gte=timezone.now() - FRESH)
    hints = hints.exclude(user=user).select_related("user").order_by("-seen_at")
    return [Editing(hint.user.get_username(), hint.seen_at) for hint in hints[:MOST]]
