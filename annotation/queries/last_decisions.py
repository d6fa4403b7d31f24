"""The last ten decisions of one account in a benchmark, each of which can be taken back."""

from dataclasses import dataclass
from datetime import datetime

from annotation.domain.question_texts import without_opening
from annotation.models import Benchmark, BulkAction, Item, Review, Revision, User
from annotation.models.bulk import BulkState, Outcome
from annotation.models.review import Verdict
from annotation.permissions import Verb, has_permission
from annotation.queries.bulk import BulkView
from annotation.queries.last_decision import LOOKED_AT, did, still_standing
from annotation.queries.second_look import hidden_items

MOST = 10
VOTED = {
    Verdict.KEEP: "Voted keep",
    Verdict.DROP: "Voted drop",
    Verdict.UNSURE: "Unsure",
    Verdict.SKIP: "Skipped",
}


@dataclass(frozen=True)
class Taken:
    """A decision: `kind` is vote, decision or bulk, `key` its id; `item_id` None for many."""

    kind: str
    key: str
    did: str
    about: str
    at: datetime
    item_id: int | None = None
    bulk_id: int | None = None


def last_decisions(user: User, benchmark: Benchmark) -> list[Taken]:
    """Return what `user` decided last and has not taken back, the newest first.

    A vote that is hidden while its item is looked at a second time is not told.
    """
    found = votes(user, benchmark)
    if has_permission(user, Verb.ADJUDICATE):
        found += decisions(user, benchmark) + bulks(user, benchmark)
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST]


def votes(user: User, benchmark: Benchmark) -> list[Taken]:
    own = Review.objects.filter(reviewer=user, undone_at__isnull=True, item__benchmark=benchmark)
    own = own.exclude(item_id__in=hidden_items(user)).select_related("item")
    return [
        Taken(
            "vote",
            str(vote.pk),
            VOTED[Verdict(vote.verdict)],
            without_opening(vote.item.text),
            vote.created_at,
            vote.item_id,
        )
        for vote in own.order_by("-created_at")[:MOST]
    ]


def decisions(user: User, benchmark: Benchmark) -> list[Taken]:
    rows: list[Revision] = still_standing(user, benchmark, look_at=LOOKED_AT)[:MOST]
    texts = dict(
        Item.objects.filter(pk__in=[row.target_id for row in rows]).values_list("pk", "text")
    )
    return [
        Taken(
            "decision",
            str(row.pk),
            did(row),
            without_opening(texts.get(row.target_id, "")),
            row.at,
            row.target_id,
        )
        for row in rows
    ]


def bulks(user: User, benchmark: Benchmark) -> list[Taken]:
    applied = BulkAction.objects.filter(benchmark=benchmark, by=user, state=BulkState.DONE)
    found = [bulk for bulk in applied[:MOST] if bulk.tally.get(Outcome.DONE)]
    return [
        Taken(
            "bulk",
            str(bulk.pk),
            BulkView.of(bulk, []).sentence,
            bulk.words,
            bulk.finished_at or bulk.made_at,
            bulk_id=bulk.pk,
        )
        for bulk in found
    ]
