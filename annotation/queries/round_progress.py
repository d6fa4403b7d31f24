"""How far the rounds of a benchmark are: as a whole, and each of their readers."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Sum

from annotation.models import Benchmark, Round, RoundItem, RoundReader, Turn, User
from annotation.models.account import Role
from annotation.models.turn import TurnState

LISTED = 100  # rounds
OFFERED = 500  # accounts that may be made readers


@dataclass(frozen=True)
class RoundLine:
    """A round in the list: `votes` there are of `wanted`; `left` seconds at the readers' pace,
    None before anybody has voted."""

    round: Round
    readers: int
    votes: int
    held: int
    skipped: int
    seconds: float

    @property
    def wanted(self) -> int:
        return self.round.size * self.round.votes_wanted

    @property
    def left(self) -> float | None:
        rest = max(0, self.wanted - self.votes)
        return rest * self.seconds / self.votes if self.votes and self.seconds else None


@dataclass(frozen=True)
class ReaderLine:
    """A reader of a round. `given` waits for them by name; `pace` is mean active seconds a
    vote, `left` the seconds of an equal part of what is left of the round, both None before
    their first vote."""

    row: RoundReader
    given: int
    held: int
    skipped: int
    looks_waiting: int
    share: float

    @property
    def name(self) -> str:
        return self.row.reader.get_username()

    @property
    def pace(self) -> float | None:
        votes = self.row.done + self.row.repeats_done
        return self.row.seconds / votes if votes and self.row.seconds else None

    @property
    def left(self) -> float | None:
        return None if self.pace is None else self.pace * (self.share + self.given)


def round_lines(benchmark: Benchmark) -> list[RoundLine]:
    """Return the newest rounds of a benchmark; three queries."""
    return lines_of(list(Round.objects.filter(benchmark=benchmark).order_by("-pk")[:LISTED]))


def round_line(round_: Round) -> RoundLine:
    """Return how far one round is; two queries."""
    return lines_of([round_])[0]


def lines_of(rounds: list[Round]) -> list[RoundLine]:
    rows = RoundReader.objects.filter(round__in=rounds).order_by().values("round_id")
    sums: dict[int, dict[str, Any]] = {
        row["round_id"]: dict(row)
        for row in rows.annotate(n=Count("pk"), votes=Sum("done"), spent=Sum("seconds"))
    }
    states = open_turns(rounds)
    nobody: dict[str, Any] = {"n": 0, "votes": 0, "spent": 0.0}
    return [
        RoundLine(
            round=one,
            readers=(found := sums.get(one.pk, nobody))["n"],
            votes=found["votes"],
            held=states[one.pk, TurnState.HELD],
            skipped=states[one.pk, TurnState.SKIPPED],
            seconds=found["spent"],
        )
        for one in rounds
    ]


def open_turns(rounds: list[Round]) -> dict[tuple[int, str], int]:
    """Return how many turns of each round are held and skipped; one query."""
    turns = Turn.objects.filter(
        round__in=rounds, state__in=(TurnState.HELD, TurnState.SKIPPED)
    ).order_by()
    counted: dict[tuple[int, str], int] = defaultdict(int)
    for pk, state, n in turns.values_list("round_id", "state").annotate(n=Count("pk")):
        counted[pk, state] = n
    return counted


def reader_lines(line: RoundLine) -> list[ReaderLine]:
    """Return the readers of a round in their order; two queries."""
    rows = list(line.round.readers.select_related("reader"))
    turns = Turn.objects.filter(round=line.round).exclude(state=TurnState.DONE).order_by()
    counted: dict[tuple[int, str, bool], int] = defaultdict(int)
    for reader, state, repeat, n in turns.values_list("reader_id", "state", "repeat").annotate(
        n=Count("pk")
    ):
        counted[reader, state, repeat > 0] += n
    given = sum(n for (_, state, again), n in counted.items() if state == "waiting" and not again)
    drawing = sum(row.from_pool for row in rows)
    rest = max(0, line.wanted - line.votes - given)
    return [
        ReaderLine(
            row=row,
            given=counted[row.reader_id, TurnState.WAITING, False],
            held=counted[row.reader_id, TurnState.HELD, False]
            + counted[row.reader_id, TurnState.HELD, True],
            skipped=counted[row.reader_id, TurnState.SKIPPED, False]
            + counted[row.reader_id, TurnState.SKIPPED, True],
            looks_waiting=counted[row.reader_id, TurnState.WAITING, True],
            share=rest / drawing if row.from_pool and drawing else 0,
        )
        for row in rows
    ]


def training_of(round_: Round) -> list[RoundItem]:
    """Return the training items of a round in their order; one query."""
    return list(round_.items.filter(is_training=True).select_related("item__video"))


def may_read() -> list[User]:
    """Return the accounts that may be made readers, by name."""
    active = User.objects.filter(is_active=True).exclude(role=Role.NONE, is_superuser=False)
    return list(active.order_by("username")[:OFFERED])
