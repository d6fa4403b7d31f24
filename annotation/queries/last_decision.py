"""The decision that an adjudicator can still take back."""

from dataclasses import dataclass

from annotation.domain.bulk import BULK_MARK
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
    """Return the newest of the user's last decisions that was not taken back; two queries.

    What was decided about many items at once is taken back as one, not item by item.
    """
    for row in still_standing(user, benchmark, look_at=LOOKED_AT):
        item = Item.objects.filter(pk=row.target_id).only("text").first()
        return LastDecision(row.pk, did(row), without_opening(item.text) if item else "")
    return None


def still_standing(user: User, benchmark: Benchmark, *, look_at: int) -> list[Revision]:
    """Return those of the user's `look_at` newest decisions that were not taken back."""
    rows = Revision.objects.filter(
        benchmark_id=benchmark.pk, actor=user.pseudonym, verb__in=VERBS, target_kind="item"
    ).exclude(request_id__startswith=BULK_MARK)
    undone: set[int] = set()
    standing = []
    for row in rows[:look_at]:
        if row.verb == "undo_decision":
            undone.add(row.after["revision"])
        elif row.pk not in undone:
            standing.append(row)
    return standing


def did(row: Revision) -> str:
    if row.verb == "return_item":
        return "Returned"
    return "Kept" if row.after.get("keep") else "Dropped"
