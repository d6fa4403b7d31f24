"""Who has an edit form open on an item: a hint to others, never a lock."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models.item import Item


class EditHint(models.Model):
    """The edit form of `user` on `item` was open at `seen_at`; it goes stale within a minute."""

    item = models.ForeignKey(Item, models.CASCADE, related_name="edit_hints")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    seen_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="edit_hint_unique"),
        ]
