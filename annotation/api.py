"""The JSON API of reviewing: an item's data, votes, edits. Errors are problem details."""

import uuid
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.api_errors import VERSION_MISSING
from annotation.api_view import LimitedView, ReviewView, reader
from annotation.models import Review
from annotation.permissions import Verb, require
from annotation.queries.item_data import item_data
from annotation.serializers import DecisionIn, EditIn, VoteIn
from sonovqa.problems import problem


class Me(LimitedView):
    """Who is signed in: a client asks it before it sends votes kept from before."""

    def get(self, request: Request) -> Response:
        user = reader(request)
        return Response({"id": user.pk, "username": user.get_username()})


class ItemView(ReviewView):
    """An item as the reader may see it: others' votes only after the own one."""

    def get(self, request: Request, item_id: int) -> Response:
        return Response(item_data(item_id, reader(request)))


class VoteView(ReviewView):
    """One vote under an id made by the client. Sending it again changes nothing."""

    def put(self, request: Request, item_id: int, vote_id: uuid.UUID) -> Response:
        if "version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = VoteIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        user = reader(request)
        if said.pop("reader", user.pk) != user.pk:
            return problem(409, "other-reader", "This vote is another account's.")
        review = cast_vote(
            review_id=vote_id,
            item_id=item_id,
            version_number=said.pop("version"),
            **said,
            by=user,
        )
        return Response(receipt(review))

    def delete(self, request: Request, item_id: int, vote_id: uuid.UUID) -> Response:
        user = reader(request)
        cast = Review.objects.filter(pk=vote_id, reviewer=user).values_list("item_id", flat=True)
        if cast.first() != item_id:
            return problem(404, "not-found", "You have cast no such vote on this item.")
        return Response(receipt(undo_vote(review_id=vote_id, by=user)))


def receipt(review: Review) -> dict[str, Any]:
    return {
        "id": str(review.pk),
        "verdict": review.verdict,
        "reasons": review.reasons,
        "comment": review.comment,
        "undone": review.undone_at is not None,
        "saved_at": timezone.now().isoformat(timespec="seconds"),
    }


class VersionsView(ReviewView):
    """Edits: each makes a new version, based on the one that the editor saw."""

    def post(self, request: Request, item_id: int) -> Response:
        if "base_version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = EditIn(data=request.data)
        form.is_valid(raise_exception=True)
        version = edit_item(item_id=item_id, **form.validated_data, by=reader(request))
        body = {"id": version.pk, "version": version.number}
        return Response(body, status=201)


class DecisionView(ReviewView):
    """The adjudicator's decision, where votes cannot settle an item."""

    def put(self, request: Request, item_id: int) -> Response:
        require(reader(request), Verb.ADJUDICATE)
        if "version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = DecisionIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        item = adjudicate(
            item_id=item_id, version_number=said.pop("version"), **said, by=reader(request)
        )
        return Response({"state": item.state, "keep": item.keep, "source": item.keep_source})
