"""What a vote means for the rounds that its reader is in.

Called by the actions that cast, take back and void votes, inside their transaction. A vote is
stored whoever holds the item: where somebody else has got the last place meanwhile, it counts
for the item and fills no place of the round.
"""

from collections.abc import Iterable

from django.db.models import F
from django.db.models.functions import Greatest, Now

from annotation.actions.round_claims import lock_reader, new_turn
from annotation.actions.round_seats import LEASE, refill, take_room
from annotation.domain.round_order import comes_back, gap
from annotation.models import Review, RoundItem, RoundReader, Turn, User
from annotation.models.review import Purpose, Verdict
from annotation.models.round import RoundState
from annotation.models.turn import TurnState
from annotation.queries.rounds import open_places
from annotation.queries.second_look import second_looks


def purpose_of(item_id: int, *, by: User) -> Purpose:
    """Return what a vote of `by` on an item is for, as its open rounds have it.

    Training and second looks stay what they are until their round is closed: a second vote
    after one does not stand either.
    """
    if open_places(by, item_id).filter(is_training=True).exists():
        return Purpose.TRAINING
    if second_looks(by).filter(round_item__item=item_id).exists():
        return Purpose.REPEAT
    return Purpose.VOTE


def follow_vote(review: Review, *, by: User) -> None:
    """Move the turns of `by` at the item of a vote that was just stored."""
    for place in open_places(by, review.item_id).order_by("pk"):
        reader = lock_reader(place.round_id, by)
        turn = last_turn(place, by) or new_turn(reader, place)
        if review.verdict == Verdict.SKIP:
            put_aside(turn, place, review)
        elif turn.state == TurnState.DONE:
            Turn.objects.filter(pk=turn.pk).update(review=review)
        else:
            finish(turn, place, reader, review)


def last_turn(place: RoundItem, user: User) -> Turn | None:
    """Return a reader's latest turn at an item that has begun or was never repeated."""
    turns = Turn.objects.filter(round_item=place, reader=user)
    return turns.exclude(repeat__gt=0, claimed_at__isnull=True).order_by("-repeat").first()


def put_aside(turn: Turn, place: RoundItem, review: Review) -> None:
    """Skip: the place goes back to the pool, unless the item was given by name."""
    if turn.state == TurnState.DONE:
        return
    freed = turn.is_seated and not turn.is_named
    Turn.objects.filter(pk=turn.pk).update(
        state=TurnState.SKIPPED,
        skipped_at=Now(),
        skips=F("skips") + 1,
        skip_reason=review.skip_reason,
        skip_note=review.comment[:500],
        lease_until=None,
        is_seated=turn.is_seated and turn.is_named,
    )
    if freed:
        refill(place.round, [place.pk])


def finish(turn: Turn, place: RoundItem, reader: RoundReader, review: Review) -> None:
    """End a turn with its vote, and plan the second look where the item comes back."""
    is_first = not (turn.repeat or place.is_training)
    seated = is_first and (turn.is_seated or take_room(place.pk))
    Turn.objects.filter(pk=turn.pk).update(
        state=TurnState.DONE, done_at=Now(), lease_until=None, is_seated=seated, review=review
    )
    reader.done += seated
    reader.repeats_done += turn.repeat > 0
    reader.seconds += 0 if place.is_training else review.active_seconds
    reader.save(update_fields=["done", "repeats_done", "seconds"])
    if is_first:
        plan_second_look(turn, place, reader)


def plan_second_look(turn: Turn, place: RoundItem, reader: RoundReader) -> None:
    chosen = comes_back(
        place.position,
        seed=place.round.seed,
        reader=reader.reader_id,
        share=place.round.repeat_share,
    )
    if not chosen:
        return
    due = reader.done + reader.repeats_done + gap(place.round.size)
    Turn.objects.get_or_create(
        round_item=place,
        reader_id=reader.reader_id,
        repeat=1,
        defaults={"round": place.round, "position": turn.position, "due_after": due},
    )


def unfollow_vote(review: Review, *, by: User) -> None:
    """Give a reader the turn back whose vote they took back, or whose earlier vote stands now."""
    turns = Turn.objects.filter(
        review=review, state=TurnState.DONE, round__state=RoundState.OPEN
    ).select_related("round_item")
    earlier = vote_before(review)
    for turn in turns.order_by("round_id"):
        reader = lock_reader(turn.round_id, by)
        if earlier is not None:
            Turn.objects.filter(pk=turn.pk).update(review=earlier)
            continue
        Turn.objects.filter(pk=turn.pk).update(
            state=TurnState.HELD, lease_until=Now() + LEASE, done_at=None, review=None
        )
        reader.done -= turn.is_seated
        reader.repeats_done -= turn.repeat > 0
        if not turn.round_item.is_training:
            reader.seconds = max(0.0, reader.seconds - review.active_seconds)
        reader.save(update_fields=["done", "repeats_done", "seconds"])
        forget_second_looks([turn])


def vote_before(review: Review) -> Review | None:
    """Return the reader's vote of the same purpose that stands once `review` is gone."""
    votes = Review.objects.filter(
        item=review.item_id,
        reviewer=review.reviewer_id,
        purpose=review.purpose,
        undone_at__isnull=True,
        version_number__gte=F("item__votes_since"),
    )
    return votes.exclude(verdict=Verdict.SKIP).order_by("-created_at", "-pk").first()


def forget_second_looks(first: Iterable[Turn]) -> None:
    """Drop the second looks that have not begun of first looks that are open again."""
    for turn in first:
        Turn.objects.filter(
            round_item=turn.round_item_id,
            reader=turn.reader_id,
            repeat__gt=turn.repeat,
            claimed_at__isnull=True,
        ).delete()


def ask_again(item_ids: Iterable[int]) -> None:
    """Give items that are open again back to the readers whose votes count no longer.

    They keep their places. Second looks that were planned are dropped: what they would be
    compared with is of another content.
    """
    done = Turn.objects.filter(
        round_item__item__in=list(item_ids),
        round_item__is_training=False,
        round__state=RoundState.OPEN,
        state=TurnState.DONE,
        repeat=0,
    )
    turns = list(done.order_by("round_id", "reader_id"))
    if not turns:
        return
    readers = RoundReader.objects.select_for_update().order_by("pk")
    list(readers.filter(round__in={turn.round_id for turn in turns}))
    for turn in turns:
        if turn.is_seated:
            RoundReader.objects.filter(round=turn.round_id, reader=turn.reader_id).update(
                done=Greatest(F("done") - 1, 0)
            )
    Turn.objects.filter(pk__in=[turn.pk for turn in turns]).update(
        state=TurnState.WAITING, review=None, done_at=None
    )
    forget_second_looks(turns)
