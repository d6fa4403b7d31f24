"""Threads on an item: questions and answers that resolve and reopen."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.item import Item, ItemVersion


class Thread(models.Model):
    """A question or remark on an item; its first comment opens it.

    `asked` are the readers whom it is addressed to; nobody means the adjudicators. It was
    opened on `item_version`. `resolved_at` is set while it is settled.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    item = models.ForeignKey(Item, models.CASCADE, related_name="threads")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="+")
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="opened_threads"
    )
    asked = models.ManyToManyField(
        settings.AUTH_USER_MODEL, related_name="asked_threads", blank=True
    )
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["created_at"]
        indexes = [
            models.Index(
                fields=["item"], condition=Q(resolved_at__isnull=True), name="thread_open_by_item"
            )
        ]


class Comment(models.Model):
    """One entry of a thread. Its id is made by the client: sent twice, it is stored once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="comments")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="thread_comments"
    )
    text = models.TextField(max_length=4000)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at"]
        indexes = [models.Index(fields=["thread", "created_at"], name="comment_by_thread")]
