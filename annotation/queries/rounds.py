"""Through which round a reader sees an item."""

from annotation.models import Item, RoundItem, User
from annotation.models.round import RoundMode, RoundState


def seen_through(user: User, item: Item) -> RoundItem | None:
    """Return the item's place in the open round through which `user` sees it; one query.

    Where several rounds ask for it, it is the one that was opened first; None where none does.
    It comes with its round.
    """
    return (
        RoundItem.objects.filter(
            item=item, round__state=RoundState.OPEN, round__readers__reader=user
        )
        .select_related("round")
        .order_by("round__opened_at", "round_id")
        .first()
    )


def mode_for(user: User, item: Item) -> str:
    """Return "answer" where `user` is to answer `item` before its key is shown, else "judge"."""
    found = seen_through(user, item)
    return found.round.mode if found else RoundMode.JUDGE
