"""Searches that a reader keeps: named, renamed, deleted."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotation.actions.saved_filters import (
    QUERY_LIMIT,
    BadFilter,
    delete_filter,
    rename_filter,
    save_filter,
)
from annotation.find_form import FindForm
from annotation.models import Benchmark, SavedFilter, User
from annotation.permissions import Verb
from annotation.views.allowed import account_for


def page_of(benchmark: Benchmark, query: str) -> HttpResponse:
    """Back to the search, in the address that is known to be one."""
    where = reverse("annotation:find", args=[benchmark.slug])
    return redirect(f"{where}?{query}" if query else where)


def checked_query(query: str, user: User, benchmark: Benchmark) -> str:
    """Return the address of a search as the page writes it; Http404 for what is none."""
    if len(query) > QUERY_LIMIT:
        raise Http404("This is no search.")
    form = FindForm(QueryDict(query), user=user, benchmark=benchmark)
    if not form.is_valid():
        raise Http404("This is no search.")
    return form.asked


@login_required
@require_POST
def save(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep a search under a name."""
    user = account_for(request, Verb.REVIEW)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    query = checked_query(request.POST.get("query", ""), user, benchmark)
    try:
        kept = save_filter(
            benchmark=benchmark, name=request.POST.get("name", ""), query=query, by=user
        )
    except BadFilter as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Kept as “{kept.name}”.")
    return page_of(benchmark, query)


@login_required
@require_POST
def change(request: HttpRequest, slug: str, filter_id: int) -> HttpResponse:
    """Rename or delete an own search."""
    user = account_for(request, Verb.REVIEW)
    kept = get_object_or_404(SavedFilter, pk=filter_id, owner=user, benchmark__slug=slug)
    try:
        if request.POST.get("action") == "delete":
            delete_filter(filter_id=filter_id, by=user)
            messages.success(request, f"“{kept.name}” is deleted.")
        else:
            name = rename_filter(filter_id=filter_id, name=request.POST.get("name", ""), by=user)
            messages.success(request, f"“{kept.name}” is now “{name}”.")
    except BadFilter as error:
        messages.error(request, str(error))
    except SavedFilter.DoesNotExist:
        raise Http404("There is no such search any more.") from None
    return page_of(kept.benchmark, kept.query)
