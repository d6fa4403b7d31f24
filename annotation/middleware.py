"""What holds for every request of an account: when it was seen, its second factor, no cache."""

from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from annotation.models import User
from annotation.queries.second_factor import ENROL, lacks_second_factor
from sonovqa.problems import CONTENT_TYPE

Handler = Callable[[HttpRequest], HttpResponse]
SEEN_EVERY = timedelta(minutes=10)
# Signing in and out and the enrolment itself; what carries no data of reviews.
OPEN_WITHOUT = ("/accounts/", "/account/theme/", "/healthz", "/static/")


def last_seen(get_response: Handler) -> Handler:
    """Note that an account was here, at most once in ten minutes."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        user = getattr(request, "_cached_user", None)  # of a page that asked who it is, no other
        if isinstance(user, User) and cache.add(f"seen:{user.pk}", 1, SEEN_EVERY.total_seconds()):
            User.objects.filter(pk=user.pk).update(last_seen_at=timezone.now())
        return response

    return middleware


def kept_nowhere(get_response: Handler) -> Handler:
    """Let no cache, nor the back button after signing out, show what was made for an account.

    A view that says itself how long its answer may be kept is left alone.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_account = isinstance(getattr(request, "_cached_user", None), User)
        if is_account and not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return middleware


def second_factor(get_response: Handler) -> Handler:
    """Lead accounts that must have a second factor, and have none, to where it is set up."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if not is_held_up(request):
            return get_response(request)
        if request.path.startswith("/api/") or request.content_type == "application/json":
            kind, status = "urn:sonovqa:second-factor", 403
            body = {"type": kind, "title": ENROL, "status": status, "detail": ENROL}
            return JsonResponse(body, status=status, content_type=CONTENT_TYPE)
        messages.warning(request, ENROL)
        return redirect("mfa_activate_totp")

    return middleware


def is_held_up(request: HttpRequest) -> bool:
    if settings.MFA_REQUIRED == "OPTIONAL" or request.path.startswith(OPEN_WITHOUT):
        return False
    user = request.user
    return isinstance(user, User) and lacks_second_factor(user)
