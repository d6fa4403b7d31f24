"""The items of a review round."""

from django.db import models
from django.db.models import Q

from annotation.models.item import Item
from annotation.models.review import Verdict
from annotation.models.round import Round


class RoundItem(models.Model):
    """An item in a round; made in bulk, hundreds of thousands at once.

    `position` is its place in the round's order. `room` is how many readers may still be given
    it: votes wanted, less those that hold it, were given it by name or have voted. It is taken
    and given back by conditional updates, so that no two readers get the last place.

    Training items come first, to every reader; they have no room. `expected_verdict` and
    `expected_answer` (empty: the item's own key or reference answer) are told with `feedback`
    after the reader's vote.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="items")
    item = models.ForeignKey(Item, models.CASCADE, related_name="round_items")
    position = models.PositiveIntegerField()
    room = models.PositiveSmallIntegerField(default=0)
    assignment = models.BigIntegerField(
        null=True, blank=True, help_text="Revision of the assignment that brought it in."
    )
    is_training = models.BooleanField(default=False)
    expected_verdict = models.CharField(max_length=8, choices=Verdict.choices, blank=True)
    expected_answer = models.TextField(blank=True, max_length=4000)
    feedback = models.TextField(blank=True, max_length=4000)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["round", "item"], name="round_item_once_a_round"),
        ]
        indexes = [
            models.Index(fields=["round", "is_training", "position"], name="round_item_in_order"),
            models.Index(
                fields=["assignment"],
                condition=Q(assignment__isnull=False),
                name="round_item_by_assignment",
            ),
            models.Index(
                fields=["round", "position"],
                condition=Q(room__gt=0),
                name="round_item_with_room",
            ),
        ]
