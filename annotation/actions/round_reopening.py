"""What a round catches up on when it is opened again: votes cast, taken back or voided since."""

from annotation.actions.round_items import batches
from annotation.actions.round_readers import count_earlier_votes
from annotation.actions.round_votes import finish, forget_second_looks
from annotation.models import Review, RoundReader, Turn
from annotation.models.round import RoundMode
from annotation.models.turn import TurnState
from annotation.queries.standing import fresh


def catch_up(reader: RoundReader) -> None:
    """Settle a reader's first looks against the votes that stand now, in batches.

    A look whose vote was taken back or counts no longer waits for the reader again; one that was
    voted on while the round was closed is done. Second looks and training stay as they are.
    """
    looks = Turn.objects.filter(
        round=reader.round_id, reader=reader.reader_id, repeat=0, round_item__is_training=False
    )
    ids = list(looks.order_by("pk").values_list("pk", flat=True))
    for batch in batches(ids):
        turns = list(looks.filter(pk__in=batch).select_related("round_item__round"))
        votes = standing_votes(reader, [turn.round_item.item_id for turn in turns])
        for turn in turns:
            settle(turn, reader, votes.get(turn.round_item.item_id))
    if reader.round.mode == RoundMode.JUDGE and reader.from_pool:
        count_earlier_votes(reader)


def standing_votes(reader: RoundReader, item_ids: list[int]) -> dict[int, Review]:
    """Return the reader's newest standing vote on each of some items."""
    votes = fresh().filter(reviewer=reader.reader_id, item__in=item_ids)
    return {vote.item_id: vote for vote in votes.order_by("created_at", "pk")}


def settle(turn: Turn, reader: RoundReader, vote: Review | None) -> None:
    done = turn.state == TurnState.DONE
    if vote is not None and not done:
        finish(turn, turn.round_item, reader, vote)
    elif vote is not None and turn.review_id != vote.pk:
        Turn.objects.filter(pk=turn.pk).update(review=vote)
    elif vote is None and done:
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.WAITING, review=None, done_at=None)
        reader.done = max(0, reader.done - turn.is_seated)
        reader.save(update_fields=["done"])
        forget_second_looks([turn])
