"""The tokens of the own account: made, shown once, revoked."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.actions.tokens import LIVES, make_token, revoke_token
from annotation.models import ApiToken, User
from annotation.scopes import WORDS, open_to
from annotation.token_forms import USUAL, TokenForm
from annotation.views.own_account import own


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@reauthentication_required(allow_get=True)
def tokens(request: HttpRequest) -> HttpResponse:
    """List the own tokens; POST makes one, which stands on the page that answers and nowhere
    afterwards."""
    user = own(request)
    if request.method != "POST":
        return render(request, "annotation/tokens.html", frame(user, TokenForm()))
    form = TokenForm(request.POST)
    try:
        if form.is_valid():
            said = form.cleaned_data
            made = make_token(name=said["name"], scopes=form.chosen(), days=said["days"], by=user)
            context = frame(user, TokenForm()) | {"made": made[0], "text": made[1]}
            return render(request, "annotation/tokens.html", context)
    except ValidationError as error:
        form.add_error(None, error.messages)
    return render(request, "annotation/tokens.html", frame(user, form), status=400)


def frame(user: User, form: TokenForm) -> dict[str, object]:
    """What the page of tokens shows."""
    chosen = form.data.getlist("scopes") if hasattr(form.data, "getlist") else []
    return {
        "form": form,
        "tokens": ApiToken.objects.filter(user=user)[:100],
        "scopes": [(one, WORDS[one], one in chosen) for one in open_to(user)],
        "lives": LIVES,
        "days": form.data.get("days", str(USUAL)),
    }


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    user = own(request)
    token = get_object_or_404(ApiToken, pk=pk, user=user)
    revoke_token(token=token, by=user)
    messages.success(request, f"The token {token.prefix}… is revoked; nobody gets in with it.")
    return redirect("annotation:tokens")
