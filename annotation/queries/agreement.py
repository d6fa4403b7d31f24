"""How far the readers of a benchmark agree, from their votes.

Compared is what each reader said first about an item as it is now: a vote that was changed
after the evidence had opened is no second opinion of its own.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from django.core.cache import cache

from annotation.domain.agreement import (
    Coefficient,
    Figure,
    Rating,
    cohen_kappa,
    coincidences,
    contingency,
    mean_overlap,
    nominal_alpha,
    ordinal_alpha,
    raw_agreement,
    reader_pairs,
    repeats,
)
from annotation.domain.question_texts import TypeLabel, type_label
from annotation.models import Benchmark, User
from annotation.queries.proposals import overlaps, proposals
from annotation.queries.standing import counting, second_look_votes

VERDICTS = ("drop", "unsure", "keep")  # in this order for the ordinal coefficient
MOST_VOTES = 200_000
MOST_PAIRS = 24
MOST_TYPES = 12
EXACT_UP_TO = 2_000  # votes; above it a report is kept for a minute
KEPT_FOR = 60  # seconds
# A second look counts as a repeat only after this: before it, it is a slip of the finger.
REPEAT_AFTER = timedelta(hours=1)


class Vote(NamedTuple):
    item_id: int
    reader: int
    verdict: str
    at: datetime
    number: int
    votes_since: int
    digest: str
    question_type: str
    source: int
    is_second_look: bool = False


@dataclass(frozen=True)
class TypeRow:
    type: TypeLabel
    figure: Figure


@dataclass(frozen=True)
class PairRow:
    """Two readers, by account id, over the items that both have voted on."""

    readers: tuple[int, int]
    raw: Figure
    kappa: Figure


@dataclass(frozen=True)
class Agreement:
    """`figure` is kappa for two readers, alpha for more; `symbol` says which.

    `partial` says that only the oldest MOST_VOTES votes were read.
    """

    symbol: str
    readers: int
    raw: Figure
    figure: Figure
    ordinal: Figure
    types: list[TypeRow]
    pairs: list[PairRow]
    pairs_in_all: int
    again: Figure
    again_kappa: Figure
    windows: Figure
    boxes: Figure
    partial: bool

    @property
    def name(self) -> str:
        return "Cohen's κ" if self.symbol == "κ" else "Krippendorff's α"


def agreement(benchmark: Benchmark) -> Agreement:
    """Return the agreement of a benchmark's readers; three queries, whatever its size."""
    key = f"agreement/{benchmark.pk}"
    kept: Agreement | None = cache.get(key)
    if kept is not None:
        return kept
    fields = (
        "item_id",
        "reviewer_id",
        "verdict",
        "created_at",
        "item_version__number",
        "item__current__votes_since",
        "item_version__digest",
        "item__question_type",
        "item__video__source_id",
    )
    rows = counting().filter(item__benchmark=benchmark).values_list(*fields)
    votes = [Vote(*row) for row in rows[: MOST_VOTES + 1]]
    second = second_look_votes().filter(item__benchmark=benchmark).values_list(*fields)
    looks = [Vote(*row[:9])._replace(is_second_look=True) for row in second[:MOST_VOTES]]
    partial = len(votes) > MOST_VOTES
    report = measured(votes[:MOST_VOTES], looks, benchmark, partial=partial)
    if len(votes) > EXACT_UP_TO:
        cache.set(key, report, KEPT_FOR)
    return report


def measured(
    votes: list[Vote], looks: list[Vote], benchmark: Benchmark, *, partial: bool
) -> Agreement:
    """Return the report of `votes`, which are in order of time, and of second `looks`."""
    first = first_votes(votes)
    ratings = [rating_of(vote, vote.item_id) for vote in first]
    pairs = cast(dict[tuple[int, int], int], reader_pairs(ratings))
    readers = {reader for pair in pairs for reader in pair}
    symbol = "κ" if len(pairs) == 1 else "α"
    both = next(iter(pairs)) if len(pairs) == 1 else None
    edits, sources = overlaps(proposals(benchmark).values())
    together = coincidences(ratings, len(VERDICTS))
    # The last word of a second look counts: what was put right soon was a slip.
    last = {(look.item_id, look.reader, look.digest): look for look in looks}
    in_order = sorted([*votes, *last.values()], key=lambda one: one.at)
    alone = repeats(again(in_order), len(VERDICTS))
    return Agreement(
        symbol=symbol,
        readers=len(readers),
        raw=together.figure(raw_agreement),
        figure=coefficient(ratings, both),
        ordinal=together.figure(ordinal_alpha),
        types=by_type(first, both),
        pairs=by_pair(ratings, pairs),
        pairs_in_all=len(pairs),
        again=alone.figure(raw_agreement),
        again_kappa=alone.figure(cohen_kappa),
        windows=mean_overlap(edits["window"], sources["window"]),
        boxes=mean_overlap(edits["box"], sources["box"]),
        partial=partial,
    )


def first_votes(votes: Iterable[Vote]) -> list[Vote]:
    """Return each reader's first vote on each item as it is now."""
    first: dict[tuple[int, int], Vote] = {}
    for vote in votes:
        if vote.number >= vote.votes_since:
            first.setdefault((vote.item_id, vote.reader), vote)
    return list(first.values())


def again(votes: Iterable[Vote]) -> list[Rating]:
    """Return the votes of readers on one content, a slip soon put right counted as the vote.

    A second look of a round is a repeat however soon it came: its reader did not see the vote
    before it.
    """
    latest: dict[tuple[int, int, str], Vote] = {}
    found: list[Vote] = []
    for vote in votes:
        key = (vote.item_id, vote.reader, vote.digest)
        before = latest.get(key)
        late = before is None or vote.at - before.at >= REPEAT_AFTER
        if late or vote.is_second_look:
            latest[key] = vote
            found.append(vote)
    return [rating_of(vote, (vote.item_id, vote.digest)) for vote in found]


def rating_of(vote: Vote, unit: Hashable) -> Rating:
    return Rating(unit, vote.reader, VERDICTS.index(vote.verdict), vote.source)


def coefficient(ratings: list[Rating], both: tuple[int, int] | None) -> Figure:
    """Return kappa where `both` names the only two readers, else alpha."""
    chosen: Coefficient = cohen_kappa if both else nominal_alpha
    if both:
        return contingency(ratings, both, len(VERDICTS)).figure(chosen)
    return coincidences(ratings, len(VERDICTS)).figure(chosen)


def by_type(votes: list[Vote], both: tuple[int, int] | None) -> list[TypeRow]:
    types: dict[str, list[Rating]] = {}
    for vote in votes:
        types.setdefault(vote.question_type, []).append(rating_of(vote, vote.item_id))
    rows = [
        TypeRow(type_label(name), coefficient(ratings, both))
        for name, ratings in sorted(types.items())[:MOST_TYPES]
    ]
    return [row for row in rows if row.figure.n]


def by_pair(ratings: list[Rating], pairs: dict[tuple[int, int], int]) -> list[PairRow]:
    """Return the pairs of readers with most items in common."""
    most = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:MOST_PAIRS]
    said: dict[object, list[Rating]] = defaultdict(list)
    for rating in ratings:
        said[rating.reader].append(rating)
    tables = [
        (pair, contingency(said[pair[0]] + said[pair[1]], pair, len(VERDICTS))) for pair in most
    ]
    return [
        PairRow(pair, table.figure(raw_agreement), table.figure(cohen_kappa))
        for pair, table in tables
    ]


def names_of(report: Agreement) -> dict[int, str]:
    """Return the names of the readers in the pairs of a report; one query."""
    ids = {reader for row in report.pairs for reader in row.readers}
    return dict(User.objects.filter(pk__in=ids).values_list("pk", "username"))
