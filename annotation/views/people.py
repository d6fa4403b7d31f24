"""People: who has an account, who is invited; for those who administer."""

from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions import invitations
from annotation.forms import first_fault
from annotation.models import Invitation, Role, User
from annotation.people_forms import InviteForm, PeopleForm
from annotation.permissions import Verb
from annotation.queries import people as queries
from annotation.views.allowed import account_for
from sonovqa import post

PAGE = 50


@login_required
@never_cache
@require_safe
def people(request: HttpRequest) -> HttpResponse:
    account_for(request, Verb.ADMINISTER)
    form = PeopleForm(request.GET)
    said = form.cleaned_data if form.is_valid() else {}
    words = said.get("q", "")
    page = Paginator(queries.people(words), PAGE).get_page(said.get("page") or 1)
    query = f"{urlencode({'q': words})}&" if words else ""
    context = frame() | {"page": page, "words": words, "words_query": query}
    return render(request, "annotation/people.html", context, status=400 if form.errors else 200)


@login_required
@never_cache
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """A new invitation. Its link is on the page that answers, and nowhere afterwards."""
    by = account_for(request, Verb.ADMINISTER)
    form = InviteForm(request.POST)
    try:
        if form.is_valid():
            said = form.cleaned_data
            invitation, token = invitations.invite(
                role=Role(said["role"]), email=said["email"], by=by
            )
            return show_link(request, invitation, token, by)
    except ValidationError as error:
        form.add_error(None, error.messages)
    messages.error(request, first_fault(form))
    return redirect("annotation:people")


@login_required
@never_cache
@require_POST
def renew(request: HttpRequest, pk: int) -> HttpResponse:
    """A new link in place of the old one."""
    by = account_for(request, Verb.ADMINISTER)
    invitation = get_object_or_404(Invitation, pk=pk)
    try:
        token = invitations.renew(invitation=invitation, by=by)
    except invitations.InvitationGone:
        messages.error(request, "This invitation was accepted or revoked.")
        return redirect("annotation:people")
    invitation.refresh_from_db()
    return show_link(request, invitation, token, by)


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    by = account_for(request, Verb.ADMINISTER)
    try:
        invitations.revoke(invitation=get_object_or_404(Invitation, pk=pk), by=by)
    except invitations.InvitationGone:
        messages.error(request, "This invitation was accepted or revoked before.")
    else:
        messages.success(request, "The invitation is revoked; its link leads nowhere.")
    return redirect("annotation:people")


def show_link(request: HttpRequest, invitation: Invitation, token: str, by: User) -> HttpResponse:
    """The page with the link of an invitation, which goes out by mail where that is possible."""
    address = request.build_absolute_uri(reverse("annotation:invitation", args=[token]))
    mailed = False
    if invitation.email and settings.MAIL_IS_SENT:
        context = {"link": address, "invitation": invitation}
        letter = get_adapter().render_mail("annotation/email/invitation", invitation.email, context)
        mailed = post.deliver(letter)
    if mailed:
        invitations.note_mailed(invitation=invitation, by=by)
    context = {
        "nav_active": "people",
        "link": address,
        "invitation": invitation,
        "mailed": mailed,
        "mail_is_sent": settings.MAIL_IS_SENT,
    }
    return render(request, "annotation/invited.html", context)


def frame() -> dict[str, object]:
    """What the page of people shows besides the accounts."""
    return {
        "nav_active": "people",
        "invitations": queries.invitations(),
        "roles": Role.choices,
        "days": settings.INVITATION_DAYS,
        "mail_is_sent": settings.MAIL_IS_SENT,
    }
