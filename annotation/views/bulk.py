"""Things done to many items: counted first, applied, followed, taken back as one."""

import logging

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from kombu.exceptions import OperationalError

from annotation.actions.bulk import AT_ONCE, BadBulk, apply_bulk, ask_bulk, undo_bulk
from annotation.actions.bulk_work import advance
from annotation.bulk_form import BulkForm
from annotation.forms import first_fault
from annotation.models import Benchmark, BulkAction
from annotation.models.bulk import BulkState
from annotation.permissions import Verb
from annotation.queries.bulk import bulk_view
from annotation.queries.find import gathered
from annotation.queries.find_filters import found_items
from annotation.tasks import advance_bulk
from annotation.views.allowed import account_for
from annotation.views.saved_filters import page_of

log = logging.getLogger(__name__)


def carry_on(bulk: BulkAction, targets: int | None) -> None:
    """Carry out the next step: a few targets here, many (None: unknown) by a worker."""
    if targets is not None and targets <= AT_ONCE:
        advance(bulk.pk)
        return
    try:
        advance_bulk.delay(bulk.pk)
    except (OperationalError, OSError) as error:
        log.warning("bulk action %s: no broker (%s); the next sweep does it", bulk.pk, error)


def go_on(bulk: BulkAction, targets: int | None) -> HttpResponse:
    """Carry out the next step and show how far it is."""
    carry_on(bulk, targets)
    return redirect("annotation:bulk", bulk.benchmark.slug, bulk.pk)


def own(request: HttpRequest, slug: str, pk: int) -> BulkAction:
    """Return an action of the benchmark; whoever adjudicates may see it."""
    account_for(request, Verb.ADJUDICATE)
    found = BulkAction.objects.select_related("benchmark", "by", "undone_by")
    return get_object_or_404(found, pk=pk, benchmark__slug=slug)


@login_required
@require_POST
def prepare(request: HttpRequest, slug: str) -> HttpResponse:
    """Count what a request would change, and change nothing."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = BulkForm(request.POST, user=user, benchmark=benchmark)
    try:
        if not form.is_valid():
            raise BadBulk(first_fault(form))
        made = ask_bulk(benchmark=benchmark, by=user, **form.asked)
    except BadBulk as error:
        messages.error(request, str(error))
        return page_of(benchmark, form.address)
    if made.state == BulkState.READY:
        return redirect("annotation:bulk", slug, made.pk)
    keys = gathered(found_items(user, benchmark, made.wanted), "")
    return go_on(made, None if keys is None else len(keys))


@login_required
@never_cache
@require_safe
def bulk(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One action: what it would change, how far it is, or how it came out."""
    found = own(request, slug, pk)
    context = {
        "benchmark": found.benchmark,
        "view": bulk_view(found),
        "bulk": found,
        "may_apply": found.by == request.user,
        "nav_active": "benchmark",
    }
    return render(request, "annotation/bulk.html", context)


@login_required
@never_cache
@require_safe
def state(request: HttpRequest, slug: str, pk: int) -> JsonResponse:
    """How far an action is, for the page that waits for it."""
    view = bulk_view(own(request, slug, pk))
    body = {"state": view.bulk.state, "worked": view.worked, "total": view.total}
    return JsonResponse(body | {"at_work": view.is_at_work})


@login_required
@require_POST
def apply(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have a counted action applied."""
    found = own(request, slug, pk)
    try:
        applied = apply_bulk(bulk_id=pk, by=account_for(request, Verb.ADJUDICATE))
    except (BadBulk, BulkAction.DoesNotExist) as error:
        said = str(error) if isinstance(error, BadBulk) else "Only who asked for this applies it."
        messages.error(request, said)
        return redirect("annotation:bulk", slug, pk)
    return go_on(applied, bulk_view(found).due)


@login_required
@require_POST
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Have an applied action taken back as one."""
    found = own(request, slug, pk)
    try:
        undone = undo_bulk(bulk_id=pk, by=account_for(request, Verb.ADJUDICATE))
    except BadBulk as error:
        messages.error(request, str(error))
        return redirect("annotation:bulk", slug, pk)
    return go_on(undone, bulk_view(found).done)
