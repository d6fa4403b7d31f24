"""The JSON API of turns in a round: keep an item, let it go, claim the next one."""

from datetime import datetime

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.actions.round_claims import claim_next, hold_item, let_go
from annotation.api_view import ReviewView, reader
from annotation.models import Round
from sonovqa.problems import problem

NOT_YOURS = "Somebody else holds this item or has judged it, or it is in no round of yours."


@extend_schema(exclude=True)  # of the review page alone
class HoldView(ReviewView):
    """Keep the item that the reader has open: a page that is used says so every minute."""

    def post(self, request: Request, item_id: int) -> Response:
        turn = hold_item(item_id=item_id, by=reader(request))
        if turn is None:
            return problem(409, "not-your-turn", NOT_YOURS)
        return Response({"until": as_text(turn.lease_until), "repeat": turn.repeat})


@extend_schema(exclude=True)  # of the review page alone
class ReleaseView(ReviewView):
    """The reader has left the page of an item."""

    def post(self, request: Request, item_id: int) -> Response:
        let_go(item_id=item_id, by=reader(request))
        return Response({})


@extend_schema(exclude=True)  # of the review page alone
class ClaimView(ReviewView):
    """The next item of a round, for a page that wants to know it before it is asked for."""

    def post(self, request: Request, pk: int) -> Response:
        user = reader(request)
        mine = Round.objects.select_related("benchmark").filter(readers__reader=user)
        found = mine.filter(pk=pk).first()
        if found is None:
            return problem(404, "not-found", "You are in no such round.")
        turn = claim_next(round_id=pk, by=user)
        if turn is None:
            return Response({"item": None, "url": None})
        item_id = turn.round_item.item_id
        url = reverse("annotation:review", args=[found.benchmark.slug, item_id])
        return Response({"item": item_id, "url": url, "until": as_text(turn.lease_until)})


def as_text(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
