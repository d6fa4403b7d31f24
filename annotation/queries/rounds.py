"""Through which round a reader sees an item, and what of a round they may still be given."""

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import Benchmark, Item, Round, RoundItem, RoundReader, Turn, User
from annotation.models.round import RoundMode, RoundState
from annotation.queries.standing import fresh

MOST_ROUNDS = 20  # open rounds of one reader in one benchmark that are looked at


def open_places(user: User, item_id: int) -> QuerySet[RoundItem]:
    """Return an item's places in the open rounds that `user` reads in, the first opened first."""
    return (
        RoundItem.objects.filter(
            item=item_id, round__state=RoundState.OPEN, round__readers__reader=user
        )
        .select_related("round")
        .order_by("round__opened_at", "round_id")
    )


def seen_through(user: User, item: Item) -> RoundItem | None:
    """Return the item's place in the open round through which `user` sees it; one query.

    Where several rounds ask for it, it is the one that was opened first; None where none does.
    It comes with its round.
    """
    return open_places(user, item.pk).first()


def mode_for(user: User, item: Item) -> str:
    """Return "answer" where `user` is to answer `item` before its key is shown, else "judge"."""
    found = seen_through(user, item)
    return found.round.mode if found else RoundMode.JUDGE


def open_rounds(user: User, benchmark: Benchmark) -> list[Round]:
    """Return the open rounds of a benchmark that `user` reads in, the first opened first."""
    found = Round.objects.filter(
        benchmark=benchmark, state=RoundState.OPEN, readers__reader=user
    ).order_by("opened_at", "pk")
    return list(found[:MOST_ROUNDS])


def free_for(reader: RoundReader) -> QuerySet[RoundItem]:
    """Return the items of the pool that a reader may still be given: with room, never met.

    What the reader has voted on already, elsewhere, is no fresh look and left out.
    """
    met = Turn.objects.filter(round_item=OuterRef("pk"), reader=reader.reader_id)
    voted = fresh().filter(reviewer=reader.reader_id, item=OuterRef("item_id")).order_by()
    free = RoundItem.objects.filter(round=reader.round_id, room__gt=0, is_training=False)
    return free.exclude(Exists(met)).exclude(Exists(voted))
