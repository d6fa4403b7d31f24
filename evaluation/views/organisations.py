"""Organisations: who sends predictions together, under one quota."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.actions.organisations import (
    OrganisationRefused,
    add_member,
    make_organisation,
    remove_member,
)
from evaluation.forms import OrganisationForm
from evaluation.models import Organisation
from evaluation.views.submissions import account_of

A_PAGE = 50


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def organisations(request: HttpRequest) -> HttpResponse:
    """List organisations with their accounts; a form makes one, adds or removes an account."""
    user = account_of(request)
    require(user, Verb.PUBLISH)
    if request.method == "POST":
        form = OrganisationForm(request.POST)
        try:
            if form.is_valid():
                messages.success(request, _change(form, user))
            else:
                fault = next(iter(form.errors.values()))[0]
                messages.error(request, f"Nothing changed: {fault}")
        except OrganisationRefused as error:
            messages.error(request, str(error))
        return redirect("evaluation:organisations")
    found = Organisation.objects.prefetch_related("members__account")
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page", ""))
    return render(request, "evaluation/organisations.html", {"page": page})


def _change(form: OrganisationForm, user: User) -> str:
    """Do what the form says; return what was done, in a sentence."""
    said = form.cleaned_data
    if said["do"] == "make":
        made = make_organisation(name=said["name"], a_day=said["a_day"], by=user)
        return f"{made.name} is there."
    found = get_object_or_404(Organisation, pk=said["organisation"] or 0)
    change = add_member if said["do"] == "add" else remove_member
    change(organisation=found, username=said["username"], by=user)
    done = "belongs to" if said["do"] == "add" else "no longer belongs to"
    return f"{said['username']} {done} {found.name}."
