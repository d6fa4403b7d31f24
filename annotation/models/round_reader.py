"""The readers of a review round."""

from django.conf import settings
from django.db import models

from annotation.models.round import Round


class RoundReader(models.Model):
    """A reader in a round, and how far they are. Its row is locked while they move on.

    `start` is the position in the round's order where this reader is; at first, where they
    begin. A reader who does not draw `from_pool` gets what was given to them by name alone.
    `done` counts votes that fill a place of an item, `repeats_done` second looks, `seconds` the
    active seconds of both.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="readers")
    reader = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="round_readers"
    )
    ordinal = models.PositiveIntegerField()
    start = models.PositiveIntegerField(default=0)
    from_pool = models.BooleanField(default=True)
    done = models.PositiveIntegerField(default=0)
    repeats_done = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(default=0)
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["ordinal"]
        constraints = [
            models.UniqueConstraint(fields=["round", "reader"], name="round_reader_once_a_round"),
        ]
