"""Turns: who holds, has done or has skipped which item of a round."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.review import Review, SkipReason
from annotation.models.round import Round
from annotation.models.round_item import RoundItem


class TurnState(models.TextChoices):
    WAITING = "waiting", "Waiting"  # given by name, or to be repeated
    HELD = "held", "Held"
    DONE = "done", "Done"
    SKIPPED = "skipped", "Skipped"


class Turn(models.Model):
    """One reader's turn at one item of a round; `repeat` 0 is the first look, 1 the second.

    A held turn ends by itself at `lease_until`, by the clock of the database. `is_named` tells
    that somebody gave it to this reader: it is then kept for them, held or not. `is_seated`
    tells that it fills one of the item's places; repeats and training items fill none, nor does
    a vote that came after somebody else had got the last place. A repeat is due once its
    reader has `due_after` votes in the round. `position` is the place in this reader's order.
    What was skipped once comes back by itself, what was skipped again when its reader asks.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="turns")
    round_item = models.ForeignKey(RoundItem, models.CASCADE, related_name="turns")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="turns")
    repeat = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=8, choices=TurnState.choices, default=TurnState.WAITING)
    is_named = models.BooleanField(default=False)
    assignment = models.BigIntegerField(null=True, blank=True, help_text="Revision that gave it.")
    is_seated = models.BooleanField(default=False)
    due_after = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    review = models.ForeignKey(Review, models.SET_NULL, null=True, blank=True, related_name="turns")
    skip_reason = models.CharField(max_length=12, choices=SkipReason.choices, blank=True)
    skip_note = models.CharField(max_length=500, blank=True)
    skips = models.PositiveSmallIntegerField(default=0)
    skipped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["round_item", "reader", "repeat"], name="turn_once_a_look"
            ),
            models.CheckConstraint(
                condition=~Q(state="held") | Q(lease_until__isnull=False),
                name="turn_held_has_a_lease",
            ),
        ]
        indexes = [
            models.Index(
                fields=["round", "reader", "state", "position"],
                condition=~Q(state="done"),
                name="turn_open_by_reader",
            ),
            models.Index(
                fields=["round", "reader", "done_at"],
                condition=Q(state="done"),
                name="turn_done_by_reader",
            ),
            models.Index(
                fields=["assignment"],
                condition=Q(assignment__isnull=False),
                name="turn_by_assignment",
            ),
            models.Index(
                fields=["round", "lease_until"], condition=Q(state="held"), name="turn_leases"
            ),
        ]
