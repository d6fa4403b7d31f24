"""How far the readers of a round agree with themselves: second looks against first votes."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery

from annotation.domain.agreement import Figure, Rating, cohen_kappa, raw_agreement, repeats
from annotation.domain.question_texts import type_label
from annotation.models import Round, Turn
from annotation.models.review import Verdict
from annotation.models.turn import TurnState
from annotation.queries.agreement import VERDICTS

MOST_LOOKS = 50_000
MOST_ROWS = 50


class Look(NamedTuple):
    """A second look: what was said first and then, of one content."""

    reader: str
    place: int
    then: str
    now: str
    question_type: str
    source: int


@dataclass(frozen=True)
class SelfAgreement:
    """Raw agreement and Cohen's kappa of readers against themselves; `name` says of what."""

    name: str
    raw: Figure
    kappa: Figure


@dataclass(frozen=True)
class SelfReport:
    total: SelfAgreement
    readers: list[SelfAgreement]
    types: list[SelfAgreement]


def self_agreement(round_: Round) -> SelfReport:
    """Return the agreement of a round's readers with themselves; one query."""
    looks = looks_of(round_)
    return SelfReport(
        total=measured("All", looks),
        readers=parted(looks, [look.reader for look in looks]),
        types=parted(looks, [type_label(look.question_type).name for look in looks]),
    )


def looks_of(round_: Round) -> list[Look]:
    """Return the second looks that are done, with what their reader had said first."""
    first = Turn.objects.filter(
        round_item=OuterRef("round_item"), reader=OuterRef("reader"), repeat=0
    )
    done = Turn.objects.filter(
        round=round_, repeat=1, state=TurnState.DONE, review__undone_at__isnull=True
    ).annotate(
        then=Subquery(first.values("review__verdict")[:1]),
        digest=Subquery(first.values("review__item_version__digest")[:1]),
    )
    same = done.filter(digest=F("review__item_version__digest"), then__isnull=False)
    rows = same.exclude(review__verdict=Verdict.SKIP).values_list(
        "reader__username",
        "round_item_id",
        "then",
        "review__verdict",
        "round_item__item__question_type",
        "round_item__item__video__source_id",
    )
    return [Look(*row) for row in rows.order_by("pk")[:MOST_LOOKS]]


def parted(looks: list[Look], names: list[str]) -> list[SelfAgreement]:
    """Return one line for each name, in order of the names."""
    parts: dict[str, list[Look]] = {}
    for name, look in zip(names, looks, strict=True):
        parts.setdefault(name, []).append(look)
    return [measured(name, parts[name]) for name in sorted(parts)[:MOST_ROWS]]


def measured(name: str, looks: list[Look]) -> SelfAgreement:
    ratings = [
        Rating(look.place, look.reader, VERDICTS.index(said), look.source)
        for look in looks
        for said in (look.then, look.now)
    ]
    tables = repeats(ratings, len(VERDICTS))
    return SelfAgreement(name, tables.figure(raw_agreement), tables.figure(cohen_kappa))
