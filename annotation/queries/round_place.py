"""Where one item stands in a round, in the eyes of one of its readers."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Case, Value, When
from django.db.models.functions import Now

from annotation.models import Benchmark, Item, Round, RoundItem, RoundReader, Turn, User
from annotation.models.review import Purpose, SkipReason
from annotation.models.turn import TurnState
from annotation.queries.rounds import open_rounds
from annotation.queries.second_look import hidden_items
from annotation.queries.votes import SeenVote, seen


@dataclass(frozen=True)
class Holder:
    """Who holds an item, and until when by the clock of the database."""

    name: str
    until: datetime


@dataclass(frozen=True)
class RoundPlace:
    """`place` is None where the item is not in the round that its reader is in.

    `state` is "outside", "free", "held", "waiting", "skipped", "done", or "taken" where others
    hold it or have done it. `own` is the reader's vote where it is training or a second look,
    which stand nowhere else.
    """

    round: Round
    reader: RoundReader
    place: RoundItem | None
    turn: Turn | None
    state: str
    holders: tuple[Holder, ...]
    own: SeenVote | None

    @property
    def is_training(self) -> bool:
        return self.place is not None and self.place.is_training

    @property
    def is_second_look(self) -> bool:
        """Whether the reader has just judged the item a second time."""
        return self.state == "done" and self.turn is not None and self.turn.repeat > 0

    @property
    def is_blind(self) -> bool:
        """Whether the reader looks at the item a second time, what they said before hidden."""
        return self.turn is not None and self.turn.repeat > 0 and self.state != "done"

    @property
    def is_as_expected(self) -> bool:
        """Whether the vote on a training item is the one that was expected."""
        return bool(self.own and self.place and self.own.verdict == self.place.expected_verdict)

    @property
    def skip_text(self) -> str:
        """Why the reader skipped the item, in words."""
        if self.turn is None or not self.turn.skip_reason:
            return ""
        return str(SkipReason(self.turn.skip_reason).label)


def round_place(user: User, item: Item, *, benchmark: Benchmark) -> RoundPlace | None:
    """Return where `item` stands in the reader's round; None for a reader without one.

    The round is the first opened one that has the item, else the first that `user` reads in.
    Five queries at most.
    """
    rounds = open_rounds(user, benchmark)
    if not rounds:
        return None
    places = RoundItem.objects.filter(item=item, round__in=rounds).in_bulk(field_name="pk")
    by_round = {place.round_id: place for place in places.values()}
    round_ = next((one for one in rounds if one.pk in by_round), rounds[0])
    reader = RoundReader.objects.get(round=round_, reader=user)
    place = by_round.get(round_.pk)
    if place is None:
        return RoundPlace(round_, reader, None, None, "outside", (), None)
    turns = list(turns_at(place))
    turn = own_turn(turns, user)
    others = [one for one in turns if one.reader_id != user.pk and one.state == TurnState.HELD]
    holding = [one for one in others if one.is_seated and not one.is_over]  # type: ignore[attr-defined]
    freed = any(one.is_over and not one.is_named for one in others)  # type: ignore[attr-defined]
    return RoundPlace(
        round=round_,
        reader=reader,
        place=place,
        turn=turn,
        state=state_of(place, turn, reader, freed=freed),
        holders=tuple(Holder(one.reader.get_username(), one.lease_until) for one in holding),  # type: ignore[arg-type]
        own=own_beside(turn),
    )


def turns_at(place: RoundItem) -> list[Turn]:
    """Return all turns at an item of a round; `is_over` tells that the lease has run out."""
    over = Case(
        When(state=TurnState.HELD, lease_until__lt=Now(), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    turns = Turn.objects.filter(round_item=place).annotate(is_over=over)
    return list(turns.select_related("reader", "review").order_by("repeat"))


def own_turn(turns: list[Turn], user: User) -> Turn | None:
    """Return the reader's latest turn that has begun or is no second look."""
    own = [one for one in turns if one.reader_id == user.pk]
    begun = [one for one in own if not one.repeat or one.claimed_at]
    return begun[-1] if begun else None


def state_of(place: RoundItem, turn: Turn | None, reader: RoundReader, *, freed: bool) -> str:
    """Return the state of an item for a reader; `freed`: somebody's lease has run out."""
    has_room = place.is_training or ((place.room > 0 or freed) and reader.from_pool)
    if turn is None:
        return "free" if has_room else "taken"
    if turn.state == TurnState.SKIPPED:
        is_theirs = turn.is_seated or turn.repeat or has_room
        return "skipped" if is_theirs else "taken"
    return turn.state


def own_beside(turn: Turn | None) -> SeenVote | None:
    if turn is None or turn.state != TurnState.DONE or turn.review is None:
        return None
    is_beside = turn.review.purpose != Purpose.VOTE and turn.review.undone_at is None
    return seen(turn.review, "You") if is_beside else None


def round_neighbours(user: User, at: RoundPlace) -> tuple[int | None, int | None]:
    """Return the items that the reader voted on before and after the one they are at."""
    done = Turn.objects.filter(round=at.round, reader=user, state=TurnState.DONE)
    done = done.exclude(round_item__item_id__in=hidden_items(user))
    ids = "round_item__item_id"
    if at.turn is None or at.turn.done_at is None:
        return done.order_by("-done_at", "-pk").values_list(ids, flat=True).first(), None
    before = done.filter(done_at__lt=at.turn.done_at).order_by("-done_at", "-pk")
    after = done.filter(done_at__gt=at.turn.done_at).order_by("done_at", "pk")
    return before.values_list(ids, flat=True).first(), after.values_list(ids, flat=True).first()
