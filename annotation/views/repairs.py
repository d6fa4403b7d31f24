"""The repair assistant: proposals, accepted one by one or together, and what they changed."""

import logging

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from annotation.actions.conflicts import AnswerFirst, StaleVersion
from annotation.actions.repairs import (
    RepairGone,
    accept_repair,
    ask_repairs,
    propose_again,
    reject_repair,
    request_repairs,
    take_back_repair,
)
from annotation.actions.seal import note_keys_shown
from annotation.domain.edits import BadEdit
from annotation.models import Benchmark, Repair
from annotation.permissions import Verb
from annotation.queries.repairs import TITLES, repairs
from annotation.tasks import find_repairs
from annotation.views.allowed import account_for

log = logging.getLogger(__name__)
ONE = {
    "accept": accept_repair,
    "reject": reject_repair,
    "again": propose_again,
    "undo": take_back_repair,
}
SAID = {
    "accept": "Accepted: the item has a new version.",
    "reject": "Rejected; it is not proposed for this version again.",
    "again": "Proposed again.",
    "undo": "Taken back: the item says what it said before.",
}


@login_required
@never_cache
@require_safe
def repairs_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the open proposals of a kind, and the audit's figures before and after."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    asked = {name: request.GET.get(name, "") for name in ("kind", "page")}
    view = repairs(benchmark, user, **asked)
    told = [one.repair for one in view.listed if not one.sealed and "options" in one.repair.changes]
    note_keys_shown(versions=[one.item_version for one in told], by=user)
    query = urlencode({"kind": view.shown.name}) + "&"
    context = {"benchmark": benchmark, "view": view, "query": query, "nav_active": "benchmark"}
    return render(request, "annotation/repairs.html", context)


@login_required
@require_POST
def find(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask a worker for proposals."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    request_repairs(benchmark=benchmark, by=user)
    try:
        find_repairs.delay(benchmark.pk)
    except (OperationalError, OSError) as error:
        log.warning("repairs of %s: no broker (%s); the next sweep does it", slug, error)
    messages.success(request, "A worker looks for repairs; load the page again in a moment.")
    return redirect("annotation:repairs", slug)


@login_required
@require_POST
def decide(request: HttpRequest, slug: str, pk: int, answer: str) -> HttpResponse:
    """Accept or reject one proposal, or take either back."""
    user = account_for(request, Verb.ADJUDICATE)
    found = get_object_or_404(Repair, pk=pk, benchmark__slug=slug)
    try:
        ONE[answer](repair_id=found.pk, by=user)
    except (RepairGone, BadEdit, AnswerFirst) as error:
        messages.error(request, str(error))
    except StaleVersion:
        messages.error(request, "The item was changed since; look for repairs again.")
    else:
        messages.success(request, SAID[answer])
    return redirect(
        reverse("annotation:repairs", args=[slug]) + "?" + urlencode({"kind": found.kind})
    )


@login_required
@require_POST
def accept_all(request: HttpRequest, slug: str) -> HttpResponse:
    """Prepare a bulk action of all proposals of a kind; its page says how many, and applies it."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    kind = request.POST.get("kind", "")
    try:
        if kind not in TITLES:
            raise RepairGone("There is no such repair.")
        made = ask_repairs(benchmark=benchmark, kind=kind, by=user)
    except RepairGone as error:
        messages.error(request, str(error))
        return redirect("annotation:repairs", slug)
    return redirect("annotation:bulk", slug, made.pk)
