"""Programs sign in to the JSON API by `Authorization: Bearer snq_…`, and nowhere else."""

from datetime import timedelta
from typing import Any

from django.core.cache import cache
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, AllowAny
from rest_framework.request import Request

from annotation.actions.tokens import find_working, note_used
from annotation.models import ApiToken, User
from annotation.queries.second_factor import ENROL, lacks_second_factor
from annotation.scopes import Scope, verbs_of

NOTED_EVERY = timedelta(minutes=1)
LONGEST = 200  # signs; ours have 47


class SecondFactorMissing(PermissionDenied):
    """The account has to set up its second factor before anything else."""

    kind = "second-factor"  # of the problem that tells it


class TokenSignIn(BaseAuthentication):
    """Signs the account of a token in, narrowed to the token's scopes.

    What a view changes has to be named by the view as `scope`: one that names none is closed to
    tokens. It is checked here and not by permission classes, which each view names anew, so that
    no view can forget it.
    """

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 DRF hands it over
        return "Bearer"

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """Return account and token; None without a token, where the session may tell.

        Raises AuthenticationFailed for a token that does not work, PermissionDenied where it
        is not for this request, SecondFactorMissing.
        """
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer":
            return None
        text = text.strip()
        token = find_working(text) if len(text) <= LONGEST else None
        if token is None:
            raise AuthenticationFailed("This token is unknown, revoked or expired.")
        user = token.user
        if lacks_second_factor(user):
            raise SecondFactorMissing(ENROL)
        user.granted = verbs_of(token.scopes, reading=request.method in SAFE_METHODS)
        check_scope(request, token)
        if cache.add(f"token-used:{token.pk}", 1, NOTED_EVERY.total_seconds()):
            note_used(token)
        return user, token


def check_scope(request: Request, token: ApiToken) -> None:
    """Raise PermissionDenied where none of the token's scopes is for this request."""
    view = request.parser_context["view"] if request.parser_context else None
    needed: Scope | None = getattr(view, "scope", None)
    if needed is not None and needed in token.scopes:
        return
    if request.method in SAFE_METHODS:
        is_open = AllowAny in getattr(view, "permission_classes", ())
        if is_open or Scope.READ in token.scopes:
            return
        needed = needed or Scope.READ
    raise PermissionDenied(
        f"This needs a token with the scope “{needed}”." if needed else "This is not for tokens."
    )


class TokenScheme(OpenApiAuthenticationExtension):
    """How the OpenAPI description calls it."""

    target_class = "annotation.token_sign_in.TokenSignIn"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer", "description": "A token of your account."}
