"""The page that finds items; what is asked for stands in the address."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.find_form import FindForm
from annotation.models import Benchmark
from annotation.models.bulk import BulkKind
from annotation.permissions import Verb, has_permission
from annotation.queries.bulk import last_bulk, newest_revision, rounds_to_fill
from annotation.queries.find import WALK, find
from annotation.queries.round_progress import may_read
from annotation.views.allowed import account_for


@login_required
@never_cache
@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """Items by text, kind, type, category, video, length and own state, a page at a time."""
    user = account_for(request, Verb.REVIEW)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = FindForm(request.GET, user=user, benchmark=benchmark)
    seen = newest_revision()  # before the list: what is written meanwhile was not looked at
    found = find(user, benchmark, form.cleaned_data) if form.is_valid() else None
    context = {
        "benchmark": benchmark,
        "nav_active": "review",
        "form": form,
        "found": found,
        "seen": seen,
        "walk": WALK,
        "saved": user.saved_filters.filter(benchmark=benchmark),
        "bulk_kinds": BulkKind.choices,
        "last_bulk": last_bulk(user, benchmark),
    }
    if has_permission(user, Verb.ADJUDICATE):
        context |= {"rounds": rounds_to_fill(benchmark), "may_read": may_read()}
    return render(request, "annotation/find.html", context, status=200 if found else 400)
