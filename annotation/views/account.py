"""The reader's own settings."""

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from annotation.actions.accounts import choose_theme
from annotation.context import THEME_COOKIE
from annotation.models import User
from annotation.models.account import Theme

ONE_YEAR = 31_536_000


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the theme: with the account when signed in, else in a cookie."""
    chosen = request.POST.get("theme", "")
    if chosen not in Theme.values:
        return HttpResponseBadRequest("Unknown theme.")
    back = request.POST.get("next", "")
    answer = HttpResponse(status=204)
    if url_has_allowed_host_and_scheme(back, allowed_hosts=None) and back.startswith("/"):
        answer = HttpResponseRedirect(back)
    if isinstance(request.user, User):
        choose_theme(theme=chosen, by=request.user)
    else:
        answer.set_cookie(
            THEME_COOKIE, chosen, max_age=ONE_YEAR, samesite="Lax", secure=request.is_secure()
        )
    return answer
