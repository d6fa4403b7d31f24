"""What of a round waits for one reader: its column beside the clip, and whether it is finished."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Now

from annotation.models import Benchmark, Round, RoundItem, RoundReader, Turn, User
from annotation.models.review import SkipReason
from annotation.models.round import RoundState
from annotation.models.turn import TurnState
from annotation.queries.counts import item_count, reviewed_count
from annotation.queries.queue import Entry, entries
from annotation.queries.round_place import RoundPlace
from annotation.queries.rounds import MOST_ROUNDS, free_for
from annotation.queries.second_look import hidden_items
from annotation.queries.standing import own_votes

LISTED = 50  # lines of one section
COUNTED = 2_000  # items left are counted up to here
HOLDERS = 20
STATES = {"keep": "kept", "drop": "dropped", "unsure": "unsure"}


@dataclass(frozen=True)
class Line:
    """An item in the column of a round; `note` says why it was skipped."""

    entry: Entry
    note: str = ""


@dataclass(frozen=True)
class Held:
    """Items that another reader holds; the last of their leases ends at `until`."""

    name: str
    items: int
    until: datetime


@dataclass(frozen=True)
class Rest:
    """What is left of a round for one reader. `open` are items they can be given at once,
    `more` says that there are more than were counted; `later` are second looks not yet due;
    `training` items, which fill no place of the round, are among the open ones.
    """

    round: Round
    done: int
    open: int
    more: bool
    skipped: int
    held: list[Held]
    later: int
    training: int

    @property
    def left(self) -> int:
        """Items that may still come to the reader, those held by others left out."""
        return self.open + self.skipped

    @property
    def state(self) -> str:
        """One of closed, open, skipped, held, done: the first that is true."""
        if self.round.state == RoundState.CLOSED:
            return "closed"
        ways = {"open": self.open, "skipped": self.skipped, "held": self.held}
        return next((name for name, there in ways.items() if there), "done")


@dataclass(frozen=True)
class RoundColumn:
    """The queue of a round; `sections` are titles with lines, the newest votes last."""

    round: Round
    sections: list[tuple[str, list[Line]]]
    rest: Rest
    everyone: int
    everyone_total: int


def rest_of(reader: RoundReader) -> Rest:
    """Return what is left of a reader's round; a bounded number of queries and rows."""
    own = Turn.objects.filter(round=reader.round_id, reader=reader.reader_id)
    votes = reader.done + reader.repeats_done
    due = Q(state=TurnState.WAITING, repeat=0) | Q(state=TurnState.WAITING, due_after__lte=votes)
    counts = own.exclude(state=TurnState.DONE).aggregate(
        open=Count("pk", filter=Q(state=TurnState.HELD) | due),
        later=Count("pk", filter=Q(state=TurnState.WAITING, repeat__gt=0, due_after__gt=votes)),
    )
    training = untrained(reader)
    free = training + untouched(reader)
    return Rest(
        round=reader.round,
        done=reader.done,
        open=counts["open"] + min(free, COUNTED),
        more=free > COUNTED,
        skipped=still_there(own).count(),
        held=held_by_others(reader) if reader.from_pool else [],
        later=counts["later"],
        training=training,
    )


def untrained(reader: RoundReader) -> int:
    """Count the training items that a reader has never met."""
    if not reader.round.training_size:
        return 0
    training = RoundItem.objects.filter(round=reader.round_id, is_training=True)
    met = Turn.objects.filter(round=reader.round_id, reader=reader.reader_id)
    return training.exclude(pk__in=met.values("round_item_id")).count()


def untouched(reader: RoundReader) -> int:
    """Count what a reader may draw: the pool, and what ran out elsewhere; up to COUNTED."""
    if not reader.from_pool:
        return 0
    over = others_turns(reader).filter(lease_until__lt=Now(), is_named=False)
    free = free_for(reader)
    found = free.filter(position__gte=reader.start)[: COUNTED + 1].count()
    if found <= COUNTED:
        found += free.filter(position__lt=reader.start)[: COUNTED + 1 - found].count()
    return found + over.count()


def still_there(own: QuerySet[Turn]) -> QuerySet[Turn]:
    """Return the skipped turns whose item can still be had."""
    there = Q(is_seated=True) | Q(repeat__gt=0)
    there |= Q(round_item__is_training=True) | Q(round_item__room__gt=0)
    return own.filter(there, state=TurnState.SKIPPED)


def others_turns(reader: RoundReader) -> QuerySet[Turn]:
    """Return what others hold of items that have no room left and that the reader never met."""
    met = Turn.objects.filter(round=reader.round_id, reader=reader.reader_id)
    return Turn.objects.filter(
        round=reader.round_id, state=TurnState.HELD, is_seated=True, round_item__room=0
    ).exclude(Q(reader=reader.reader_id) | Q(round_item__in=met.values("round_item_id")))


def held_by_others(reader: RoundReader) -> list[Held]:
    """Return who holds what may come back into the pool, the longest first."""
    rows = (
        others_turns(reader)
        .filter(lease_until__gte=Now(), is_named=False)
        .values("reader__username")
        .annotate(items=Count("round_item", distinct=True), until=Max("lease_until"))
        .order_by("until")[:HOLDERS]
    )
    return [Held(row["reader__username"], row["items"], row["until"]) for row in rows]


def round_column(user: User, reader: RoundReader) -> RoundColumn:
    """Return the column of a round for one reader; the number of queries does not grow."""
    own = Turn.objects.filter(round=reader.round, reader=user)
    # A second look must not be told by its first vote standing in the list.
    done = own.filter(state=TurnState.DONE, repeat=0).exclude(
        round_item__item_id__in=hidden_items(user)
    )
    sections = [
        ("Now", own.filter(state=TurnState.HELD).order_by("claimed_at")),
        ("Given to you", own.filter(state=TurnState.WAITING, repeat=0).order_by("position")),
        ("Skipped by you", own.filter(state=TurnState.SKIPPED).order_by("skipped_at")),
        ("Done, the newest first", done.order_by("-done_at", "-pk")),
    ]
    found = [(title, turns_of(turns)) for title, turns in sections]
    states = own_states(user, reader.round, [turn for _, turns in found for turn in turns])
    return RoundColumn(
        round=reader.round,
        sections=[(title, list(lines(turns, states))) for title, turns in found if turns],
        rest=rest_of(reader),
        everyone=votes_in(reader.round),
        everyone_total=reader.round.size * reader.round.votes_wanted,
    )


def votes_in(round_: Round) -> int:
    """Return how many of the votes that a round wants are there."""
    return round_.readers.aggregate(done=Sum("done"))["done"] or 0


def everyone_so_far(benchmark: Benchmark, at: RoundPlace | None) -> int:
    """Return what the meter of everybody counts: votes of the round, or items reviewed."""
    if at is not None:
        return votes_in(at.round)
    return reviewed_count(benchmark, items=item_count(benchmark))


def rests(user: User, benchmark: Benchmark) -> list[Rest]:
    """Return what is left of each round of a reader in a benchmark: the open ones, else the one
    closed last."""
    rows = RoundReader.objects.select_related("round", "round__benchmark").filter(reader=user)
    here = rows.filter(round__benchmark=benchmark)
    still = here.filter(round__state=RoundState.OPEN).order_by("round__opened_at", "round_id")
    closed = here.filter(round__state=RoundState.CLOSED).order_by("-round__closed_at")
    found = list(still[:MOST_ROUNDS]) or list(closed[:1])
    return [rest_of(row) for row in found]


@dataclass(frozen=True)
class OwnRound:
    """An open round in the list where reviewing starts: own and total progress kept apart."""

    rest: Rest
    everyone: int
    everyone_total: int


def own_rounds(user: User) -> list[OwnRound]:
    """Return the open rounds that `user` reads in, in all benchmarks, the first opened first."""
    rows = RoundReader.objects.select_related("round__benchmark").filter(
        reader=user, round__state=RoundState.OPEN
    )
    found = rows.order_by("round__opened_at", "round_id")[:MOST_ROUNDS]
    return [
        OwnRound(rest_of(row), votes_in(row.round), row.round.size * row.round.votes_wanted)
        for row in found
    ]


def turns_of(turns: QuerySet[Turn]) -> list[Turn]:
    return list(turns.select_related("round_item__item", "review")[:LISTED])


def own_states(user: User, round_: Round, turns: list[Turn]) -> dict[int, str]:
    """Return the states of items in the reader's eyes, by item id; training by its vote."""
    ids = [turn.round_item.item_id for turn in turns]
    votes = own_votes(user, round_.benchmark_id, among=ids)
    states = {item_id: vote.state for item_id, vote in votes.items()}
    for turn in turns:
        if turn.state == TurnState.DONE and turn.review and turn.round_item.is_training:
            states[turn.round_item.item_id] = STATES.get(turn.review.verdict, "todo")
    return states


def lines(turns: Iterable[Turn], states: dict[int, str]) -> Iterable[Line]:
    for turn in turns:
        item = turn.round_item.item
        entry = replace(entries([item], {})[0], state=states.get(item.pk, "todo"))
        yield Line(entry, skip_note(turn) if turn.state == TurnState.SKIPPED else "")


def skip_note(turn: Turn) -> str:
    reason = SkipReason(turn.skip_reason).label if turn.skip_reason else "No reason given"
    return f"{reason}: {turn.skip_note}" if turn.skip_note else str(reason)


def round_tally(column: RoundColumn) -> dict[str, Any]:
    """Return how far the reader is in a round, and everybody together, in votes."""
    mine = column.rest.done
    counted = mine + column.rest.left - column.rest.training
    all_of_mine = column.round.size if column.rest.more else counted
    return {
        "you": mine,
        "you_total": all_of_mine,
        "you_share": share(mine, all_of_mine),
        "everyone": column.everyone,
        "everyone_total": column.everyone_total,
        "everyone_share": share(column.everyone, column.everyone_total),
    }


def share(part: int, whole: int) -> float:
    """Return a part in percent of a whole, at most 100."""
    return round(min(100.0, 100 * part / whole), 1) if whole else 0
