"""What every view of the JSON API stands on: a reader, and refusals told as problems."""

from typing import Any

from django.utils import timezone
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api_errors import OtherReader, refusal
from annotation.models import User
from annotation.permissions import Verb, require
from annotation.scopes import Scope
from sonovqa.throttles import Reads, Writes


class LimitedView(APIView):
    """A view that one account may ask so often and no more."""

    throttle_classes = (Reads, Writes)


class ReviewView(LimitedView):
    """A view for readers; what an action refuses is told as a problem.

    What a browser kept for later says by `X-Reader` whose it is, and is refused before anything
    is looked up: by another account it would be refused for good, and forgotten there.
    """

    scope = Scope.REVIEW

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        user = reader(request)
        if request.headers.get("X-Reader", str(user.pk)) != str(user.pk):
            raise OtherReader
        require(user, Verb.REVIEW)

    def handle_exception(self, exc: Exception) -> Response:
        return refusal(exc) or super().handle_exception(exc)


def check_reader(said: dict[str, Any], user: User) -> None:
    """Take `reader` out of a checked body. Raises OtherReader where it names another account."""
    if said.pop("reader", user.pk) != user.pk:
        raise OtherReader


def saved_at() -> str:
    """Return this moment as a receipt tells it."""
    return timezone.now().isoformat(timespec="seconds")


def reader(request: Request) -> User:
    """Return the account behind the request. Raises NotAuthenticated."""
    if not isinstance(request.user, User):
        raise NotAuthenticated
    return request.user
