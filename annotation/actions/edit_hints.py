"""Says that an edit form is open. No change of an item, so it writes no revision."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotation.models import EditHint, Item, User
from annotation.permissions import Verb, require

KEPT = timedelta(hours=1)  # older hints are swept away by the next one


@transaction.atomic
def hold_hint(*, item_id: int, by: User) -> None:
    """Say that `by` is editing the item, until it is said again or let go.

    Raises PermissionDenied, Item.DoesNotExist.
    """
    require(by, Verb.EDIT_ITEM)
    item = Item.objects.only("pk").get(pk=item_id)
    now = timezone.now()
    EditHint.objects.filter(seen_at__lt=now - KEPT).delete()
    EditHint.objects.update_or_create(item=item, user=by, defaults={"seen_at": now})


def drop_hint(*, item_id: int, by: User) -> None:
    """Say that `by` is done. Raises PermissionDenied."""
    require(by, Verb.EDIT_ITEM)
    EditHint.objects.filter(item_id=item_id, user=by).delete()
