"""The own account: name, address, password, second factor, sessions, theme, data."""

from allauth.account.models import EmailAddress
from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.accounts import ask_for_erasure, choose_name
from annotation.forms import first_fault
from annotation.models import User
from annotation.models.account import Theme
from annotation.people_forms import NameForm
from annotation.permissions import must_have_second_factor
from annotation.queries.own_data import own_data
from annotation.queries.tokens import working_tokens

EXPORTS = {"export": "10/h/user"}
THEMES = (
    (Theme.UNCHOSEN, "Dark in review rooms, elsewhere as the system says"),
    (Theme.SYSTEM, "As the system says, everywhere"),
    (Theme.DARK, "Dark"),
    (Theme.LIGHT, "Light"),
)


def own(request: HttpRequest) -> User:
    """Return who is signed in; behind login_required that is an account."""
    assert isinstance(request.user, User)  # noqa: S101  login_required lets nobody else through
    return request.user


@login_required
@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    user = own(request)
    context = {
        "themes": THEMES,
        "addresses": EmailAddress.objects.filter(user=user).order_by("-primary", "-verified"),
        "factors": set(Authenticator.objects.filter(user=user).values_list("type", flat=True)),
        "must_have_factor": must_have_second_factor(user),
        "hospital_accounts": SocialAccount.objects.filter(user=user),
        "session_count": UserSession.objects.filter(user=user).count(),
        "token_count": working_tokens(user).count(),
        "mail_is_sent": settings.MAIL_IS_SENT,
        "hospital": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
    }
    return render(request, "annotation/account.html", context)


@login_required
@require_POST
def name(request: HttpRequest) -> HttpResponse:
    form = NameForm(request.POST)
    try:
        if form.is_valid():
            choose_name(**form.cleaned_data, by=own(request))
            messages.success(request, "Saved.")
        else:
            messages.error(request, first_fault(form))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("annotation:account")


@login_required
@never_cache
@require_POST
def export(request: HttpRequest) -> HttpResponseBase:
    """The own data as a file. A POST, so that no link of another site starts it."""
    user = own(request)
    if not ratelimit.consume(request, app="annotation", action="export", config=EXPORTS):
        return render(request, "429.html", status=429)
    answer = StreamingHttpResponse(own_data(user), content_type="application/json")
    answer["Content-Disposition"] = 'attachment; filename="sonovqa-account.json"'
    return answer


@login_required
@require_POST
def erasure(request: HttpRequest) -> HttpResponse:
    """Ask an admin to erase the own account, or take that back."""
    wanted = "withdraw" not in request.POST
    ask_for_erasure(wanted=wanted, by=own(request))
    said = "An administrator is told on the page of people." if wanted else "Taken back."
    messages.success(request, said)
    return redirect("annotation:account")
