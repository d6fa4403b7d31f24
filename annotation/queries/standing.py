"""Votes that stand: a reader's latest on an item that was not taken back, skips left out."""

from collections.abc import Collection
from typing import NamedTuple

from django.db.models import BooleanField, Case, Exists, F, OuterRef, QuerySet, Value, When

from annotation.models import Item, ItemVersion, Review, User
from annotation.models.review import Purpose, Verdict
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
    return counting().filter(item_version__number__gte=F("item__current__votes_since"))


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
    video_id: int
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


def own_votes(
    user: User, benchmark_id: int, *, among: Collection[int] | None = None
) -> dict[int, OwnVote]:
    """Return the reader's standing votes in a benchmark, or among some of its items, by item
    id: one slim query."""
    votes = counting().filter(reviewer=user, item__benchmark_id=benchmark_id)
    votes = votes.exclude(item_id__in=hidden_items(user))
    if among is not None:
        votes = votes.filter(item__in=among)
    rows = votes.annotate(is_stale=about_an_old_version()).values_list(
        "item_id", "item__video_id", "verdict", "item__state", "is_stale"
    )
    return {row[0]: OwnVote(*row) for row in rows}


def about_an_old_version() -> Case:
    """Return whether a vote is about a version whose votes do not count any more.

    Hardly any is about another version than the current one, so the database looks numbers up
    for those alone: looking up two versions for each vote would take most of the time.
    """
    old = ItemVersion.objects.filter(
        pk=OuterRef("item_version"), number__lt=F("item__current__votes_since")
    )
    is_current = When(item_version=F("item__current"), then=Value(False))
    return Case(is_current, default=Exists(old), output_field=BooleanField())
