"""The fragment of evidence on an item, sealed until the reader's own vote."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Item
from annotation.models.item import Kind
from annotation.permissions import Verb, require
from annotation.queries.standing import has_voted
from evaluation.queries.evidence import evidence_on
from evaluation.queries.grading_room import grades_now


@require_safe
@never_cache
def evidence(request: HttpRequest, item_id: int) -> HttpResponse:
    """Show model answers, blind results and shortcut flags; 403 before the own vote. Who grades
    free responses now is not told whose they are or what a judge gave them."""
    require(request.user, Verb.REVIEW)
    item = get_object_or_404(Item.objects.select_related("current"), pk=item_id)
    if item.current is None or not has_voted(request.user, item.pk):  # type: ignore[arg-type]
        raise PermissionDenied("Evidence opens after your own vote.")
    is_grading = item.kind == Kind.FREE and grades_now(request.user, item.benchmark_id)  # type: ignore[arg-type]
    context = {"grading": True} if is_grading else {"evidence": evidence_on(item)}
    return render(request, "evaluation/_evidence.html", context)
