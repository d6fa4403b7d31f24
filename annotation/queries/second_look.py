"""Second looks: items that a reader is shown again as if never seen."""

from django.db.models import OuterRef, QuerySet

from annotation.models import Turn, User
from annotation.models.round import RoundState
from annotation.models.turn import TurnState
from annotation.queries.compiled import Given


def second_looks(user: User | OuterRef | Given) -> QuerySet[Turn]:
    """Return the second looks of a reader that have begun, done ones too, in open rounds."""
    return Turn.objects.filter(
        reader=user, repeat__gt=0, claimed_at__isnull=False, round__state=RoundState.OPEN
    )


def under_way(user: User | Given) -> QuerySet[Turn]:
    """Return the second looks that wait for the reader's vote: their earlier vote is hidden."""
    return second_looks(user).exclude(state=TurnState.DONE)


def hidden_items(user: User | Given) -> QuerySet[Turn, int]:
    """Return the ids of the items on which the reader's own earlier vote is hidden."""
    return under_way(user).values("round_item__item_id")  # type: ignore[return-value]
