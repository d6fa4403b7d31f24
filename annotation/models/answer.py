"""Readers' own answers, given from the clip alone, and who was shown which key when."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.item import Item, ItemVersion
from annotation.models.round import Round

LONGEST_ANSWER = 4_000


class Answer(models.Model):
    """What one reader answered to one version of one item before its key was shown.

    Its id is made by the client, so that sending it twice stores it once. It is one of three:
    `option_index`, an index into the version's options; `text`, for a free response; or
    `could_not_tell`. `key_seen_before`: the key of an earlier version had been shown to this
    reader, so the answer is kept but is no blind one. `undone_at` marks an answer that was
    taken back, which is possible only until the key has been shown.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    item = models.ForeignKey(Item, models.CASCADE, related_name="answers")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="answers")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="answers")
    round = models.ForeignKey(Round, models.SET_NULL, null=True, blank=True, related_name="answers")
    option_index = models.PositiveSmallIntegerField(null=True, blank=True)
    text = models.TextField(blank=True, max_length=LONGEST_ANSWER)
    could_not_tell = models.BooleanField(default=False)
    key_seen_before = models.BooleanField(default=False)
    active_seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(active_seconds__gte=0), name="answer_active_seconds_not_negative"
            ),
            models.CheckConstraint(
                condition=Q(option_index__isnull=False, text="", could_not_tell=False)
                | (Q(option_index__isnull=True, could_not_tell=False) & ~Q(text=""))
                | Q(option_index__isnull=True, text="", could_not_tell=True),
                name="answer_is_one_of_three",
            ),
            models.UniqueConstraint(
                fields=["reader", "item_version"],
                condition=Q(undone_at__isnull=True),
                name="answer_once_a_version",
            ),
        ]
        indexes = [
            models.Index(fields=["reader", "item"], name="answer_by_reader"),
            models.Index(fields=["item", "created_at"], name="answer_by_item"),
        ]


class KeySight(models.Model):
    """That a reader was shown the key of an item version, and when first.

    It is a record itself, like a revision: written once and never changed. Without it nobody
    could say that an answer was given blind.
    """

    item = models.ForeignKey(Item, models.CASCADE, related_name="+")
    item_version = models.ForeignKey(ItemVersion, models.CASCADE, related_name="+")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reader", "item_version"], name="key_sight_once"),
        ]
        indexes = [models.Index(fields=["reader", "item"], name="key_sight_by_reader")]
