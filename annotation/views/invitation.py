"""Accepting an invitation."""

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.actions.invitations import InvitationGone, Person, accept, find_open
from annotation.invitation_cookie import COOKIE, keep, token_of
from annotation.models import User
from annotation.people_forms import AcceptForm

LIMITS = {"invitation": "30/m/ip"}


@never_cache
@require_safe
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Where the link leads: on to the form, without the token."""
    if limited := too_many(request):
        return limited
    try:
        find_open(token)
    except InvitationGone:
        return gone(request)
    answer = redirect("annotation:accept")
    keep(answer, token, secure=request.is_secure())
    return answer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def accept_page(request: HttpRequest) -> HttpResponseBase:
    """Name and password of the new account."""
    if limited := too_many(request):
        return limited
    try:
        invitation = find_open(token_of(request))
        form = AcceptForm(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid() and not request.user.is_authenticated:
            return welcome(
                request, accept(invitation=invitation, person=Person(**form.cleaned_data))
            )
    except InvitationGone:
        return gone(request)
    except ValidationError as error:
        for field, texts in error.message_dict.items():
            form.add_error(field if field in form.fields else None, list(texts))
    context = {"form": form, "invitation": invitation, "hospital": hospital_name()}
    return render(request, "annotation/accept.html", context, status=400 if form.errors else 200)


def welcome(request: HttpRequest, user: User) -> HttpResponseBase:
    """Sign a new account in: its password was typed just now."""
    record_authentication(request, user, method="password", reauthenticated=True)
    answer = perform_login(request, user, email_verification="none", redirect_url="/account/")
    answer.delete_cookie(COOKIE)
    return answer


def too_many(request: HttpRequest) -> HttpResponse | None:
    """Return the page that refuses whoever tries one link after another."""
    if ratelimit.consume(
        request, app="annotation", action="invitation", config=LIMITS, limit_get=True
    ):
        return None
    return render(request, "429.html", status=429)


def gone(request: HttpRequest) -> HttpResponse:
    answer = render(request, "annotation/invitation_gone.html", status=410)
    answer.delete_cookie(COOKIE)
    return answer


def hospital_name() -> str:
    return settings.OIDC_NAME if settings.OIDC_ISSUER else ""
