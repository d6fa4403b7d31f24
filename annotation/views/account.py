"""The reader's own settings."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.actions.accounts import choose_answers_first, choose_keys, choose_theme
from annotation.context import THEME_COOKIE
from annotation.domain import key_map
from annotation.models import User
from annotation.models.account import Theme
from annotation.permissions import Verb
from annotation.views.allowed import account_for

ONE_YEAR = 31_536_000


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme: with the account when signed in, else in a cookie."""
    chosen = request.POST.get("theme", "?")
    if chosen not in Theme.values:
        return HttpResponseBadRequest("Unknown theme.")
    back = request.POST.get("next", "")
    answer = HttpResponse(status=204)
    if is_own(back):
        answer = HttpResponseRedirect(back)
    if isinstance(request.user, User):
        choose_theme(theme=chosen, by=request.user)
    else:
        answer.set_cookie(
            THEME_COOKIE, chosen, max_age=ONE_YEAR, samesite="Lax", secure=request.is_secure()
        )
    return answer


def is_own(path: str) -> bool:
    """Say whether a path leads to a page of this site."""
    return path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)


@login_required
@require_POST
def answers_first(request: HttpRequest) -> HttpResponse:
    """Whether the reader answers each item before its key is shown; kept with the account."""
    user = account_for(request, Verb.REVIEW)
    wanted = request.POST.get("wanted", "")
    if wanted not in ("on", "off"):
        return HttpResponseBadRequest("Say on or off.")
    choose_answers_first(wanted=wanted == "on", by=user)
    back = request.POST.get("next", "")
    return HttpResponseRedirect(back) if is_own(back) else redirect("annotation:review_home")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """Where the reader wants the keys of the pages; kept with the account."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  login_required lets nobody else through
    moves, errors = key_map.usable(user.keys), {}
    if request.method == "POST":
        moves = {} if "reset" in request.POST else asked_moves(request)
        try:
            choose_keys(moves=moves, by=user)
        except key_map.BadKeys as error:
            errors = error.errors
        else:
            messages.success(request, "Saved. Pages that are open take the keys when they reload.")
            return redirect("annotation:keys")
    rows = [
        {"key": key, "label": label, "place": moves.get(key, key), "error": errors.get(key, "")}
        for key, label in key_map.MOVABLE.items()
    ]
    context = {"rows": rows, "fixed": key_map.FIXED, "places": key_map.PLACES.pattern}
    return render(request, "annotation/keys.html", context, status=400 if errors else 200)


def asked_moves(request: HttpRequest) -> dict[str, str]:
    """Return what the form says of each movable key; an empty field is its usual place."""
    said = {key: request.POST.get(key, "").strip()[:32] for key in key_map.MOVABLE}
    return {key: place for key, place in said.items() if place}
