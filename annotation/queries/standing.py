"""Votes that stand: a reader's latest on an item that was not taken back, skips left out."""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import BooleanField, Case, Exists, F, OuterRef, Q, QuerySet, Value, When

from annotation.models import Item, Review, User
from annotation.models.item import ItemState
from annotation.models.review import Purpose, Verdict
from annotation.queries.among import AnyOf, one_value
from annotation.queries.compiled import Compiled, Given
from annotation.queries.second_look import hidden_items


def counting() -> QuerySet[Review]:
    """Votes that could stand, the latest last; on older versions of their items too.

    Repeats and training say nothing about an item and never stand.
    """
    return (
        Review.objects.filter(undone_at__isnull=True, purpose=Purpose.VOTE)
        .exclude(verdict=Verdict.SKIP)
        .order_by("created_at", "id")
    )


def second_look_votes() -> QuerySet[Review]:
    """Votes of second looks that were not taken back, the latest last; they never stand."""
    looks = Review.objects.filter(undone_at__isnull=True, purpose=Purpose.REPEAT)
    return looks.exclude(verdict=Verdict.SKIP).order_by("created_at", "id")


def fresh() -> QuerySet[Review]:
    """Votes that could stand and are about what the item says now."""
    return counting().filter(version_number__gte=F("item__votes_since"))


def standing_votes(item: Item) -> list[Review]:
    """Return the standing votes on `item`, one a reader, with their readers."""
    votes = fresh().filter(item=item).select_related("reviewer", "item_version")
    return list({vote.reviewer_id: vote for vote in votes}.values())


def standing_verdicts(item: Item) -> list[str]:
    """Return the verdicts that stand on `item`, one a reader."""
    rows = fresh().filter(item=item).values_list("reviewer_id", "verdict")
    return list(dict(rows).values())


def has_voted(user: User, item_id: int) -> bool:
    """Say whether `user` has a standing vote on the item as it is now.

    This is the seal of the evidence: others' votes, models' answers, blind results and
    shortcut flags are served only where it is true. It is not while the reader looks at the
    item a second time.
    """
    return own_fresh(user).filter(item_id=item_id).exists()


def own_fresh(user: User) -> QuerySet[Review]:
    """The reader's own votes that could stand, without those hidden during a second look."""
    return fresh().filter(reviewer=user).exclude(item_id__in=hidden_items(user))


class OwnVote(NamedTuple):
    """A reader's standing vote in lists; `stale` where it is about an older version."""

    item_id: int
    verdict: str
    item_state: str
    stale: bool

    @property
    def state(self) -> str:
        """The state of the item in this reader's eyes."""
        if self.stale:
            return "stale"
        if self.item_state == "disagreement":
            return "disagreement"
        return {"keep": "kept", "drop": "dropped"}.get(self.verdict, self.verdict)


def own_votes(user: User, benchmark_id: int, *, among: Collection[int]) -> dict[int, OwnVote]:
    """Return the reader's standing votes among some items of a benchmark, by item id: one slim
    query."""
    if not among:
        return {}
    rows = OWN_VOTES.rows(user=user.pk, benchmark=benchmark_id, ids=one_value(among))
    return {row[0]: OwnVote(*row) for row in rows}


def own_votes_among(user: Given, benchmark: Given, ids: Given) -> QuerySet[Review, Any]:
    is_old = Case(
        When(version_number__lt=F("item__votes_since"), then=Value(True)),
        default=Value(False),
        output_field=BooleanField(),
    )
    votes = own_counting(user, benchmark).filter(AnyOf(F("item"), ids))
    rows = votes.order_by("created_at", "id").annotate(is_stale=is_old)
    return rows.values_list("item_id", "verdict", "item__state", "is_stale")


OWN_VOTES = Compiled(own_votes_among)


def own_counting(user: User | Given, benchmark_id: int | Given) -> QuerySet[Review]:
    """Return the reader's own votes in a benchmark that could stand, in no order, without those
    hidden during a second look; on older versions of their items too."""
    votes = counting().filter(benchmark=benchmark_id, reviewer=user).order_by()
    return votes.exclude(item_id__in=hidden_items(user))


def voted_on(
    items: QuerySet[Item], user: User | Given, benchmark_id: int | Given
) -> QuerySet[Item]:
    """Keep the items on which a vote of the reader stands, about what they say now."""
    return items.filter(Exists(_about_now(user, benchmark_id)))


def without_own(
    items: QuerySet[Item], user: User | Given, benchmark_id: int | Given
) -> QuerySet[Item]:
    """Leave out the items on which a vote of the reader stands, about what they say now."""
    return items.exclude(Exists(_about_now(user, benchmark_id)))


def seen_as(
    items: QuerySet[Item], user: User | Given, benchmark_id: int | Given, state: str
) -> QuerySet[Item]:
    """Keep the items that are in a state in this reader's eyes, "todo" among them; others'
    votes never show here."""
    if state == "todo":
        return without_own(items, user, benchmark_id)
    own = own_counting(user, benchmark_id).filter(item=OuterRef("pk"))
    if state == "stale":
        old = items.filter(Exists(own), votes_since__gt=1)
        return without_own(old, user, benchmark_id)
    if state == "disagreement":
        return voted_on(items, user, benchmark_id).filter(state=ItemState.DISAGREEMENT)
    verdict = {"kept": Verdict.KEEP, "dropped": Verdict.DROP}.get(state, state)
    last = own.filter(version_number__gte=OuterRef("votes_since"), verdict=verdict)
    later = (
        own_counting(user, benchmark_id)
        .filter(item=OuterRef("item"))
        .filter(
            Q(created_at__gt=OuterRef("created_at"))
            | Q(created_at=OuterRef("created_at"), id__gt=OuterRef("id"))
        )
    )
    return items.filter(Exists(last.exclude(Exists(later)))).exclude(state=ItemState.DISAGREEMENT)


def _about_now(user: User | Given, benchmark_id: int | Given) -> QuerySet[Review]:
    """Return the reader's votes on the item of the query around, about what it says now."""
    own = own_counting(user, benchmark_id)
    return own.filter(item=OuterRef("pk"), version_number__gte=OuterRef("votes_since"))
