"""The adjudication page: what readers disagree about, and the decisions on it."""

import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.conflicts import StaleVersion
from annotation.actions.decisions import adjudicate
from annotation.actions.returns import UndoRefused, return_item, undo_decision
from annotation.domain.edits import BadEdit
from annotation.figures import figures
from annotation.forms import REASON_LIMIT, DecisionForm, UndoForm, first_fault
from annotation.models import Benchmark, Item, Revision, User
from annotation.permissions import Verb
from annotation.queries.agreement import names_of
from annotation.queries.disagreements import candidates, disputes, page_of
from annotation.queries.kept_figures import Kept
from annotation.queries.last_decision import last_decision
from annotation.queries.threads import items_with_open_threads, open_threads, threads_by_item
from annotation.views.allowed import account_for
from annotation.views.being_counted import being_counted
from annotation.views.to_scripts import wants_json

DONE = {"keep": "Kept.", "drop": "Dropped.", "return": "Returned to its readers."}


@login_required
@never_cache
@require_safe
def adjudication(request: HttpRequest, slug: str) -> HttpResponse:
    """Disagreements, the worst first, under the figures of agreement."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    context = {
        "benchmark": benchmark,
        "nav_active": "benchmark",
        "open_threads": open_threads(benchmark).count(),
        "new_id": uuid.uuid4,  # called for each form: sending one twice stores it once
    }
    if request.GET.get("show") == "threads":
        page = items_with_open_threads(benchmark, request.GET.get("page", ""))
        threads = threads_by_item(user, [item.pk for item in page.object_list])
        context |= {"page": page, "items": [(item, threads[item.pk]) for item in page.object_list]}
        return render(request, "annotation/open_threads.html", context)
    counted = figures(benchmark, "agreement")
    if counted is None:
        return being_counted(request, benchmark)
    context |= to_settle(user, benchmark, page=request.GET.get("page", ""))
    context |= agreed(counted)
    return render(request, "annotation/adjudication.html", context)


def to_settle(user: User, benchmark: Benchmark, *, page: str) -> dict[str, Any]:
    """Return the context of the list of disagreements."""
    found = page_of(candidates(benchmark), page)
    shown = disputes(list(found.object_list))
    threads = threads_by_item(user, [one.item.pk for one in shown])
    return {
        "page": found,
        "disputes": [(one, threads.get(one.item.pk, [])) for one in shown],
        "last": last_decision(user, benchmark),
        "reason_limit": REASON_LIMIT,
    }


def agreed(counted: Kept) -> dict[str, Any]:
    """Return the context of the figures of agreement."""
    report = counted.values["agreement"]
    names = names_of(report)
    return {
        "agreement": report,
        "as_of": counted.as_of,
        "pairs": [(names[row.readers[0]], names[row.readers[1]], row) for row in report.pairs],
    }


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Keep, drop, or return one item. Sent again, the same decision changes nothing."""
    user = account_for(request, Verb.ADJUDICATE)
    get_object_or_404(Item, pk=item_id, benchmark__slug=slug)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return refused(request, slug, first_fault(form))
    said = form.cleaned_data
    if said["reader"] not in (None, user.pk):
        why = "This page is another account's: nothing was saved."
        return refused(request, slug, why, status=409, kind="urn:sonovqa:other-reader")
    same = {"item_id": item_id, "version_number": said["version"], "by": user}
    try:
        if said["action"] == "return":
            return_item(question=said["words"], **same)
        else:
            adjudicate(keep=said["action"] == "keep", reason=said["words"], **same)
    except StaleVersion:
        why = "The item was edited meanwhile. Look at it as it is now."
        return refused(request, slug, why, status=409)
    except BadEdit as error:
        return refused(request, slug, f"Not saved: {error}.")
    done = DONE[said["action"]]
    messages.success(request, done)  # a script loads the page anew and shows it too
    return JsonResponse({"saved": done}) if wants_json(request) else back(slug)


def refused(
    request: HttpRequest, slug: str, why: str, *, status: int = 400, kind: str = "about:blank"
) -> HttpResponse:
    """Say why nothing was saved: to a script with `status`, else above the list."""
    if wants_json(request):
        return JsonResponse({"type": kind, "detail": why}, status=status)
    messages.error(request, why)
    return back(slug)


@login_required
@require_POST
def undo(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back one of the reader's own decisions."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = UndoForm(request.POST)
    if not form.is_valid():
        raise Http404("No decision is named.")
    revision_id = form.cleaned_data["revision"]
    get_object_or_404(Revision, pk=revision_id, benchmark_id=benchmark.pk, actor=user.pseudonym)
    try:
        undo_decision(revision_id=revision_id, by=user)
    except UndoRefused as error:
        messages.error(request, str(error))
    except Revision.DoesNotExist:
        raise Http404("No such decision.") from None
    else:
        messages.success(request, "The decision is taken back.")
    return back(slug)


def back(slug: str) -> HttpResponse:
    return redirect("annotation:adjudication", slug)
