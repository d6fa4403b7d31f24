"""The last ten decisions of whoever looks, and taking back any of them."""

import uuid

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.bulk import BadBulk, undo_bulk
from annotation.actions.returns import UndoRefused, undo_decision
from annotation.actions.reviews import undo_vote
from annotation.forms import UndoAnyForm
from annotation.models import Benchmark, BulkAction, Review, Revision, User
from annotation.permissions import Verb
from annotation.queries.bulk import bulk_view
from annotation.queries.last_decisions import last_decisions
from annotation.views.allowed import account_for
from annotation.views.bulk import carry_on

GONE = "This is none of your last decisions any more."


def listed(
    request: HttpRequest, user: User, benchmark: Benchmark, told: str = "", *, done: bool = False
) -> HttpResponse:
    """The list, alone where a page asks for it (`?panel=1`), with what was just told."""
    context = {
        "benchmark": benchmark,
        "nav_active": "review",
        "taken": last_decisions(user, benchmark),
        "told": told,
        "done": done,
        "panel": request.GET.get("panel", ""),
    }
    name = "annotation/_decisions.html" if context["panel"] else "annotation/decisions.html"
    return render(request, name, context)


@login_required
@never_cache
@require_safe
def decisions(request: HttpRequest, slug: str) -> HttpResponse:
    """The last ten decisions that can be taken back."""
    user = account_for(request, Verb.REVIEW)
    return listed(request, user, get_object_or_404(Benchmark, slug=slug))


@login_required
@require_POST
def undo(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back one of the own decisions, and show those that are left."""
    user = account_for(request, Verb.REVIEW)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = UndoAnyForm(request.POST)
    if not form.is_valid():
        return listed(request, user, benchmark, GONE)
    try:
        take_back(benchmark, form.cleaned_data["kind"], form.cleaned_data["key"], by=user)
    except (ObjectDoesNotExist, PermissionDenied, ValueError) as error:
        known = isinstance(error, UndoRefused | BadBulk)
        return listed(request, user, benchmark, str(error) if known else GONE)
    return listed(request, user, benchmark, "Taken back.", done=True)


def take_back(benchmark: Benchmark, kind: str, key: str, *, by: User) -> None:
    """Take back an own decision in a benchmark.

    Raises ValueError and its kinds, ObjectDoesNotExist, PermissionDenied.
    """
    if kind == "vote":
        own = Review.objects.get(pk=uuid.UUID(key), reviewer=by, item__benchmark=benchmark)
        undo_vote(review_id=own.pk, by=by)
    elif kind == "decision":
        Revision.objects.get(pk=int(key), benchmark_id=benchmark.pk, actor=by.pseudonym)
        undo_decision(revision_id=int(key), by=by)
    else:
        bulk = BulkAction.objects.get(pk=int(key), benchmark=benchmark, by=by)
        undo_bulk(bulk_id=bulk.pk, by=by)
        carry_on(bulk, bulk_view(bulk).done)
