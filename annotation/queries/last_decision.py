"""The decision that an adjudicator can still take back."""

from dataclasses import dataclass

from annotation.domain.question_texts import without_opening
from annotation.models import Benchmark, Item, Revision, User

LOOKED_AT = 20
VERBS = ("adjudicate", "return_item", "undo_decision")


@dataclass(frozen=True)
class LastDecision:
    revision_id: int
    did: str
    question: str


def last_decision(user: User, benchmark: Benchmark) -> LastDecision | None:
    """Return the newest of the user's last decisions that was not taken back; two queries."""
    rows = Revision.objects.filter(
        benchmark_id=benchmark.pk, actor=user.pseudonym, verb__in=VERBS, target_kind="item"
    )
    undone: set[int] = set()
    for row in rows[:LOOKED_AT]:
        if row.verb == "undo_decision":
            undone.add(row.after["revision"])
        elif row.pk not in undone:
            item = Item.objects.filter(pk=row.target_id).only("text").first()
            return LastDecision(row.pk, did(row), without_opening(item.text) if item else "")
    return None


def did(row: Revision) -> str:
    if row.verb == "return_item":
        return "Returned"
    return "Kept" if row.after.get("keep") else "Dropped"
