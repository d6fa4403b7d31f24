"""One person's account, for those who administer."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.actions.accounts import change_account, remove_second_factor
from annotation.actions.erasure import erase_account
from annotation.forms import first_fault
from annotation.models import Role, User
from annotation.people_forms import EraseForm, PersonForm
from annotation.permissions import Verb
from annotation.queries.actors import names_of_actors
from annotation.queries.people import changes_of, people
from annotation.views.allowed import account_for


@login_required
@never_cache
@require_safe
def person(request: HttpRequest, pk: int) -> HttpResponse:
    account_for(request, Verb.ADMINISTER)
    user = get_object_or_404(people(), pk=pk)
    changes = list(changes_of(user))
    names = names_of_actors(change.actor for change in changes)
    context = {
        "nav_active": "people",
        "person": user,
        "roles": Role.choices,
        "changes": [(change, names[change.actor]) for change in changes],
    }
    return render(request, "annotation/person.html", context)


@login_required
@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Another role, closed or open again."""
    by = account_for(request, Verb.ADMINISTER)
    user = get_object_or_404(User, pk=pk)
    form = PersonForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_fault(form))
        return redirect("annotation:person", pk)
    wanted = {"role": Role(form.cleaned_data["role"]), "is_active": form.cleaned_data["is_active"]}
    changes = {name: value for name, value in wanted.items() if getattr(user, name) != value}
    try:
        if changes:
            change_account(user=user, changes=changes, by=by, reason=form.cleaned_data["reason"])
        messages.success(request, "Saved." if changes else "Nothing to change.")
    except PermissionDenied as error:
        messages.error(request, str(error))
    return redirect("annotation:person", pk)


@login_required
@require_POST
def second_factor(request: HttpRequest, pk: int) -> HttpResponse:
    """Take the second factors off somebody who has lost them."""
    by = account_for(request, Verb.ADMINISTER)
    remove_second_factor(user=get_object_or_404(User, pk=pk), by=by)
    messages.success(request, "The second factor is removed; they can set up a new one.")
    return redirect("annotation:person", pk)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, pk: int) -> HttpResponse:
    """Erase a person: what goes and what stays is said first, and the name has to be typed."""
    by = account_for(request, Verb.ADMINISTER)
    user = get_object_or_404(User, pk=pk, erased_at=None)
    form = EraseForm(
        request.POST if request.method == "POST" else None, expected=user.get_username()
    )
    if request.method == "POST" and form.is_valid():
        try:
            erase_account(user=user, by=by)
        except PermissionDenied as error:
            messages.error(request, str(error))
        else:
            messages.success(request, "The person is erased. What they did stays, without a name.")
        return redirect("annotation:person", pk)
    context = {"nav_active": "people", "person": user, "form": form, "is_own": user.pk == by.pk}
    return render(request, "annotation/erase.html", context, status=400 if form.errors else 200)
