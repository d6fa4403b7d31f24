"""Votes on an item as a reader may see them: others' only after the own one."""

from dataclasses import dataclass

from annotation.models import Item, Review, User
from annotation.models.review import DropReason, Verdict
from annotation.queries.compiled import Compiled
from annotation.queries.second_look import under_way
from annotation.queries.standing import fresh

DID = {Verdict.KEEP: "kept it", Verdict.DROP: "dropped it", Verdict.UNSURE: "is unsure"}
STATES = {Verdict.KEEP: "kept", Verdict.DROP: "dropped", Verdict.UNSURE: "unsure"}
LOOKS_AGAIN = Compiled(
    lambda user, item: under_way(user).filter(round_item__item=item).values_list("pk")[:1]
)


@dataclass(frozen=True)
class SeenVote:
    """One standing vote. Others are called by their order, so that no name sways anybody."""

    id: str
    who: str
    verdict: str
    reasons: tuple[int, ...]
    comment: str

    @property
    def did(self) -> str:
        return DID[Verdict(self.verdict)]

    @property
    def state(self) -> str:
        return STATES[Verdict(self.verdict)]

    @property
    def reason_texts(self) -> str:
        labels = [DropReason(reason).label for reason in self.reasons]
        return ", ".join(label[:1].lower() + label[1:] for label in labels)


@dataclass(frozen=True)
class Votes:
    """`own` is None before the reader's vote; then `others` is empty whatever is stored."""

    own: SeenVote | None
    others: tuple[SeenVote, ...]

    @property
    def against(self) -> SeenVote | None:
        """The first vote that says keep where the own one says drop, or the other way round."""
        sides = {"keep": "drop", "drop": "keep"}
        if self.own is None:
            return None
        other_side = sides.get(self.own.verdict)
        return next((vote for vote in self.others if vote.verdict == other_side), None)


def seen(vote: Review, who: str) -> SeenVote:
    return SeenVote(str(vote.pk), who, vote.verdict, tuple(vote.reasons), vote.comment)


def votes_seen_by(user: User, item: Item) -> Votes:
    """Return the standing votes on `item` that `user` may see; two queries at most.

    While `user` looks at the item a second time, that is none.
    """
    standing = list({vote.reviewer_id: vote for vote in fresh().filter(item=item)}.values())
    own = next((vote for vote in standing if vote.reviewer_id == user.pk), None)
    if own is None or LOOKS_AGAIN.first(user=user.pk, item=item.pk):
        return Votes(None, ())
    others = [vote for vote in standing if vote.reviewer_id != user.pk]
    return Votes(
        seen(own, "You"),
        tuple(seen(vote, f"Reviewer {place}") for place, vote in enumerate(others, start=2)),
    )
