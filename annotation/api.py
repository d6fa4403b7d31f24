"""The JSON API of reviewing: an item's data, votes, edits. Errors are problem details."""

import uuid
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.answers import give_answer, undo_answer
from annotation.actions.decisions import adjudicate
from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote, undo_vote
from annotation.actions.seal import note_key_shown
from annotation.api_errors import VERSION_MISSING
from annotation.api_shapes import (
    AnswerReceiptOut,
    DecisionOut,
    ItemOut,
    MeOut,
    VersionOut,
    VoteOut,
)
from annotation.api_view import LimitedView, ReviewView, check_reader, reader, saved_at
from annotation.models import Answer, Review
from annotation.permissions import Verb, require
from annotation.queries.answering import answer_data
from annotation.queries.item_data import current_version, item_data
from annotation.queries.window_warnings import window_warnings
from annotation.scopes import Scope
from annotation.serializers import AnswerIn, DecisionIn, EditIn, VoteIn
from sonovqa.problems import problem


class Me(LimitedView):
    """Who is signed in: a client asks it before it sends votes kept from before."""

    @extend_schema(summary="Who is signed in", responses=MeOut)
    def get(self, request: Request) -> Response:
        user = reader(request)
        return Response({"id": user.pk, "username": user.get_username()})


class ItemView(ReviewView):
    """An item as the reader may see it: others' votes only after the own one."""

    @extend_schema(
        summary="One item with its key and, after your vote, the others'", responses=ItemOut
    )
    def get(self, request: Request, item_id: int) -> Response:
        user = reader(request)
        data = item_data(item_id, user)
        if not data["sealed"]:
            note_key_shown(version=current_version(item_id), by=user)
        return Response(data)


class VoteView(ReviewView):
    """One vote under an id made by the client. Sending it again changes nothing."""

    @extend_schema(
        summary="Cast a vote, under an id that you make", request=VoteIn, responses=VoteOut
    )
    def put(self, request: Request, item_id: int, vote_id: uuid.UUID) -> Response:
        if "version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = VoteIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        user = reader(request)
        check_reader(said, user)
        review = cast_vote(
            review_id=vote_id,
            item_id=item_id,
            version_number=said.pop("version"),
            **said,
            by=user,
        )
        return Response(receipt(review))

    @extend_schema(summary="Take your vote back", responses={200: VoteOut})
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
        "saved_at": saved_at(),
    }


class AnswerView(ReviewView):
    """One answer under an id made by the client, before the key is shown. Neither call tells
    the key: it is on the item's page from then on."""

    @extend_schema(
        summary="Answer an item before you see its key",
        request=AnswerIn,
        responses=AnswerReceiptOut,
    )
    def put(self, request: Request, item_id: int, answer_id: uuid.UUID) -> Response:
        if "version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = AnswerIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        user = reader(request)
        if said.pop("reader", user.pk) != user.pk:
            return problem(409, "other-reader", "This answer is another account's.")
        answer = give_answer(
            answer_id=answer_id,
            item_id=item_id,
            version_number=said.pop("version"),
            **said,
            by=user,
        )
        return Response(answer_receipt(answer))

    @extend_schema(summary="Take your answer back", responses={200: AnswerReceiptOut})
    def delete(self, request: Request, item_id: int, answer_id: uuid.UUID) -> Response:
        user = reader(request)
        given = Answer.objects.filter(pk=answer_id, reader=user).values_list("item_id", flat=True)
        if given.first() != item_id:
            return problem(404, "not-found", "You have given no such answer to this item.")
        return Response(answer_receipt(undo_answer(answer_id=answer_id, by=user)))


def answer_receipt(answer: Answer) -> dict[str, Any]:
    return answer_data(answer) | {
        "undone": answer.undone_at is not None,
        "saved_at": saved_at(),
    }


class VersionsView(ReviewView):
    """Edits: each makes a new version, based on the one that the editor saw."""

    scope = Scope.EDIT

    @extend_schema(
        summary="Edit an item: a new version", request=EditIn, responses={201: VersionOut}
    )
    def post(self, request: Request, item_id: int) -> Response:
        if "base_version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = EditIn(data=request.data)
        form.is_valid(raise_exception=True)
        said, user = form.validated_data, reader(request)
        check_reader(said, user)
        version = edit_item(item_id=item_id, **said, by=user)
        body = {"id": version.pk, "version": version.number, "saved_at": saved_at()}
        body["warnings"] = window_warnings(version)
        return Response(body, status=201)


class DecisionView(ReviewView):
    """The adjudicator's decision, where votes cannot settle an item."""

    scope = Scope.ADJUDICATE

    @extend_schema(
        summary="Settle whether an item is kept", request=DecisionIn, responses=DecisionOut
    )
    def put(self, request: Request, item_id: int) -> Response:
        require(reader(request), Verb.ADJUDICATE)
        if "version" not in (request.data if isinstance(request.data, dict) else {}):
            return problem(428, "version-missing", VERSION_MISSING)
        form = DecisionIn(data=request.data)
        form.is_valid(raise_exception=True)
        said = form.validated_data
        user = reader(request)
        check_reader(said, user)
        item = adjudicate(item_id=item_id, version_number=said.pop("version"), **said, by=user)
        body = {"state": item.state, "keep": item.keep, "source": item.keep_source}
        return Response(body | {"saved_at": saved_at()})
