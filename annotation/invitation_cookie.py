"""The invitation whose link a browser has followed: its token waits in a signed cookie that no
script reads, so it is in no history, no Referer and no session of the database."""

from django.http import HttpRequest, HttpResponse

from annotation.actions.invitations import InvitationGone, find_open
from annotation.models import Invitation

COOKIE = "sonovqa_invitation"
SALT = "sonovqa.invitation"
COOKIE_SECONDS = 3600


def keep(answer: HttpResponse, token: str, *, secure: bool) -> None:
    answer.set_signed_cookie(
        COOKIE,
        token,
        salt=SALT,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=secure,
    )


def token_of(request: HttpRequest) -> str:
    """Return the token, or "" where there is none or somebody has made one up."""
    return request.get_signed_cookie(COOKIE, "", salt=SALT, max_age=COOKIE_SECONDS) or ""


def invitation_of(request: HttpRequest) -> Invitation | None:
    """Return the invitation as long as it is open."""
    try:
        return find_open(token_of(request))
    except InvitationGone:
        return None
