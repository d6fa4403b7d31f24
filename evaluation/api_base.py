"""What every view of the read API stands on: limits, ETags, who asks."""

from typing import Any

from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.decorators import method_decorator
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import APIException, NotFound
from rest_framework.permissions import AllowAny, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import AnonRateThrottle
from rest_framework.views import APIView

from annotation.models import Release, User
from annotation.scopes import Scope
from evaluation.queries.public import open_benchmark, pick_release, releases_of
from sonovqa.throttles import EachToken


class StrangerThrottle(AnonRateThrottle):
    rate = "120/min"


class AccountThrottle(EachToken):
    scope = "user"
    rate = "600/min"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """Return None, which is no limit, for a stranger: another throttle counts them."""
        return super().get_cache_key(request, view) if request.user.is_authenticated else None


@method_decorator(conditional_page, name="dispatch")
class PublicView(APIView):
    """Open to everybody, throttled, with an ETag."""

    permission_classes = (AllowAny,)
    throttle_classes = (StrangerThrottle, AccountThrottle)

    def release(self) -> Release:
        """Return the release that the path names. Raises Http404."""
        benchmark = open_benchmark(self.kwargs["slug"], self.request.user)
        release = pick_release(releases_of(benchmark), self.kwargs["tag"])
        if release is None:
            raise Release.DoesNotExist
        return release

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Say to whom an answer belongs: what an account got is nobody else's to keep."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        own = AllowAny not in self.permission_classes or is_account(request)
        # A directive that is False would be written down, and `public=False` read as public.
        patch_cache_control(answer, **{"private" if own else "public": True}, no_cache=True)
        patch_vary_headers(answer, ["Authorization", "Cookie"])
        return answer


class AccountView(PublicView):
    """Open to whoever is signed in; `scope` is the one of a token that may change something."""

    permission_classes = (IsAuthenticated,)  # type: ignore[assignment]
    scope: Scope | None = None

    def account(self) -> User:
        if not isinstance(self.request.user, User):
            raise User.DoesNotExist
        return self.request.user


def is_account(request: Request) -> bool:
    """Say whether an account asks, or may have tried to: what was refused before anybody looked
    at who asks, as a form of answer that is not made here, may carry a token that does not work.
    """
    try:
        return isinstance(request.user, User)
    except APIException:
        return True


@extend_schema(exclude=True)
class Nothing(PublicView):
    """Where no address of the API is."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        raise NotFound
