"""An item as JSON, for the reader who asks."""

from dataclasses import asdict
from typing import Any

from annotation.models import Item, ItemVersion, User
from annotation.queries.answering import answer_data, answering
from annotation.queries.second_look import under_way
from annotation.queries.votes import SeenVote, votes_seen_by

TELLS_THE_KEY = ("key_index", "reference_answer", "accepted_variants", "ground_truth")


def item_data(item_id: int, user: User) -> dict[str, Any]:
    """Return an item's current version and the votes that `user` may see.

    Without what tells its key while `user` has to answer it first (`sealed`), and without what
    they said before while they look at it a second time. Times are seconds from the start of
    the video, the ROI fractions of the full frame.
    Raises Item.DoesNotExist.
    """
    item = Item.objects.select_related("current").get(pk=item_id)
    if item.current is None:
        raise Item.DoesNotExist(f"Item {item_id} has no version.")
    votes = votes_seen_by(user, item)
    stands = answering(user, item)
    said_before = stands.own and under_way(user).filter(round_item__item=item).exists()
    own_answer = None if said_before else stands.own
    content = version_data(item.current)
    if stands.sealed:
        content = {name: value for name, value in content.items() if name not in TELLS_THE_KEY}
    return {
        "id": item.pk,
        "key": item.key,
        "kind": item.kind,
        **content,
        "sealed": stands.sealed,
        "own_answer": answer_data(own_answer) if own_answer else None,
        "own_vote": vote_data(votes.own) if votes.own else None,
        "other_votes": [vote_data(vote) for vote in votes.others],
        "evidence": "open" if votes.own else "sealed",
    }


def current_version(item_id: int) -> ItemVersion:
    """Return the current version of an item. Raises ItemVersion.DoesNotExist."""
    return ItemVersion.objects.get(pk__in=Item.objects.filter(pk=item_id).values("current"))


def version_data(version: ItemVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "stem": version.stem,
        "options": version.options,
        "shown_order": version.shown_order,
        "key_index": version.key_index,
        "reference_answer": version.reference_answer,
        "accepted_variants": version.accepted_variants,
        "ground_truth": version.ground_truth,
        "question_type": version.question_type,
        "start": version.start,
        "end": version.end,
        "roi": {
            "x_prop": version.roi_x,
            "y_prop": version.roi_y,
            "w_prop": version.roi_w,
            "h_prop": version.roi_h,
        },
    }


def vote_data(vote: SeenVote) -> dict[str, Any]:
    return asdict(vote)
