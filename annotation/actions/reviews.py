"""Casts votes and takes them back; the decision of the item follows in the same transaction."""

import math
import uuid
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.actions.conflicts import FIRST, AnswerFirst, sent_before, under_new_id
from annotation.actions.locked import lock, stale, unread
from annotation.actions.round_votes import follow_vote, purpose_of, unfollow_vote
from annotation.actions.trail import record
from annotation.domain.decisions import OPEN, Decision, decide
from annotation.domain.edits import is_clean
from annotation.models import Item, ItemVersion, Review, Revision, User
from annotation.models.item import KeepSource
from annotation.models.review import DropReason, SkipReason, Verdict
from annotation.permissions import Verb, require
from annotation.queries.answering import is_sealed
from annotation.queries.standing import standing_verdicts

COMMENT_LIMIT = 4_000
LONGEST_SITTING = 86_400.0  # seconds
VOTE_VERBS = ("cast_vote", "undo_vote")
UNDO_DECISION = "undo_decision"
UNDO_BOX = "undo_roi"


class BadVote(ValueError):
    """`errors` maps a field's name to what is wrong with it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {text}" for field, text in errors.items()))
        self.errors = errors


@transaction.atomic
def cast_vote(
    *,
    review_id: uuid.UUID,
    item_id: int,
    version_number: int,
    verdict: str,
    reasons: Sequence[int] = (),
    comment: str = "",
    skip_reason: str = "",
    active_seconds: float = 0.0,
    by: User,
) -> Review:
    """Store one vote of `by` on a version of an item and settle what follows from it.

    `review_id` is made by the client: sending the same vote again returns the stored one,
    also after it was taken back. A later vote of the same reader stands above this one. A
    skip is stored with its reason and counts for nothing. In a round the reader's turn at the
    item ends with it; training and second looks are stored as such and settle nothing.

    Raises:
        PermissionDenied: `by` may not review.
        BadVote: an unknown verdict or reason, a drop without a reason, a comment too long.
        Item.DoesNotExist: no such item.
        IdTaken: the id was used for another vote.
        AnswerFirst: `by` has to answer the item first; a skip needs no answer.
        StaleVersion: the item has moved on since `version_number`.
    """
    require(by, Verb.REVIEW)
    check_vote(verdict, reasons, comment, active_seconds)
    check_skip(verdict, skip_reason)
    item, current = lock(item_id)
    said: dict[str, Any] = {
        "item_id": item_id,
        "reviewer_id": by.pk,
        "verdict": verdict,
        "reasons": list(reasons),
        "comment": comment,
        "skip_reason": skip_reason,
    }
    stored = sent_before(Review.objects.filter(pk=review_id).first(), said, "vote")
    if stored is not None:
        return stored
    _refuse_unread(current, version_number, said, by=by)
    said |= {"id": review_id, "active_seconds": active_seconds}
    review = _store(item, current, said, by=by)
    settle(item, by=by, verb="cast_vote", review=review)
    follow_vote(review, by=by)
    return review


def _refuse_unread(
    current: ItemVersion, version_number: int, said: dict[str, Any], *, by: User
) -> None:
    sealed = is_sealed(by, current.item_id)
    if sealed and said["verdict"] != Verdict.SKIP:
        raise AnswerFirst(FIRST)
    if version_number != current.number:
        yours = said | {"version": version_number}
        raise unread(current, yours) if sealed else stale(current, version_number, yours)


def _store(item: Item, current: ItemVersion, said: dict[str, Any], *, by: User) -> Review:
    with under_new_id("vote"):
        return Review.objects.create(
            item_version=current,
            benchmark_id=item.benchmark_id,
            version_number=current.number,
            purpose=purpose_of(item.pk, by=by),
            **said,
        )


@transaction.atomic
def undo_vote(*, review_id: uuid.UUID, by: User) -> Review:
    """Take back a vote of `by`: it is marked, not erased, and the decision follows.

    Taking it back twice does nothing more. Raises PermissionDenied, and Review.DoesNotExist
    where `by` has cast no such vote.
    """
    require(by, Verb.REVIEW)
    item, _ = lock(Review.objects.values_list("item_id", flat=True).get(pk=review_id, reviewer=by))
    review = Review.objects.select_related("item_version").get(pk=review_id, reviewer=by)
    if review.undone_at is not None:
        return review
    review.undone_at = timezone.now()
    review.save(update_fields=["undone_at"])
    settle(item, by=by, verb="undo_vote", review=review)
    unfollow_vote(review, by=by)
    return review


def check_vote(verdict: str, reasons: Sequence[int], comment: str, active_seconds: float) -> None:
    errors = {}
    if verdict not in Verdict.values:
        errors["verdict"] = "must be one of " + ", ".join(Verdict.values)
    if any(reason not in DropReason.values for reason in reasons):
        errors["reasons"] = "must be digits from 1 to 9"
    elif len(set(reasons)) < len(reasons):
        errors["reasons"] = "must be given once each"
    elif (verdict == Verdict.DROP) != bool(reasons):
        errors["reasons"] = "a drop has at least one reason, another verdict none"
    if not is_clean(comment, COMMENT_LIMIT):
        errors["comment"] = f"must be text of at most {COMMENT_LIMIT} characters"
    if not (math.isfinite(active_seconds) and 0 <= active_seconds <= LONGEST_SITTING):
        errors["active_seconds"] = f"must be from 0 to {LONGEST_SITTING:.0f}"
    if errors:
        raise BadVote(errors)


def check_skip(verdict: str, skip_reason: str) -> None:
    if skip_reason and (verdict != Verdict.SKIP or skip_reason not in SkipReason.values):
        known = ", ".join(SkipReason.values)
        raise BadVote({"skip_reason": f"belongs to a skip and must be one of {known}"})


def settle(item: Item, *, by: User, verb: str, review: Review) -> None:
    """Write the decision that the standing votes come to, and the revision of this vote."""
    before = Decision(item.state, item.keep, item.keep_source)
    base = base_decision(item, before)
    after = decide(standing_verdicts(item), votes_required=item.benchmark.votes_required, base=base)
    if after != before:
        item.state, item.keep, item.keep_source = after.state, after.keep, after.source
        item.save(update_fields=["state", "keep", "keep_source"])
    record(
        by=by,
        verb=verb,
        target_kind="item",
        target_id=item.pk,
        benchmark_id=item.benchmark_id,
        before=decision_json(before),
        after=decision_json(after) | vote_json(review),
    )


def base_decision(item: Item, now: Decision, *, until: int | None = None) -> Decision:
    """Return the decision under the votes: by import or by an adjudicator, or none.

    Once votes have moved an item, the trail still holds what stood before the first of them.
    What was taken back counts as never done; with `until`, so does every revision
    from that id on.
    """
    if now.source in (KeepSource.IMPORT, KeepSource.ADJUDICATOR):
        return now
    trail = Revision.objects.filter(target_kind="item", target_id=item.pk).order_by("-id")
    for pk, verb, before, after in trail.values_list("pk", "verb", "before", "after"):
        if until is not None and pk >= until:
            continue
        if verb in (UNDO_DECISION, UNDO_BOX):
            until = after["revision"]
        elif verb in VOTE_VERBS:
            if before.get("keep_source") in (KeepSource.IMPORT, KeepSource.ADJUDICATOR):
                return Decision(before["state"], before["keep"], before["keep_source"])
        elif verb != "edit_cosmetic":
            return OPEN
    return OPEN


def decision_json(decision: Decision) -> dict[str, Any]:
    return {"state": decision.state, "keep": decision.keep, "keep_source": decision.source}


def vote_json(review: Review) -> dict[str, Any]:
    return {
        "review": str(review.pk),
        "verdict": review.verdict,
        "reasons": review.reasons,
        "version": review.item_version.number,
        "purpose": review.purpose,
        "skip_reason": review.skip_reason,
    }
