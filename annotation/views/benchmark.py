"""The page of a benchmark: what it is made of, its review, its problems, its releases."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.figures import figures
from annotation.forms import NOTES_LIMIT, TAG_HELP
from annotation.models import Benchmark, User
from annotation.permissions import Verb, has_permission
from annotation.queries.audits import audit_view
from annotation.queries.counts import own_count
from annotation.queries.disagreements import candidates, disputes
from annotation.queries.releases import draft_since, releases
from annotation.views.allowed import account_for
from annotation.views.being_counted import being_counted

WORST = 5


@login_required
@never_cache
@require_safe
def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    """Counts for every reviewer; single items and who said what for adjudicators alone."""
    user = account_for(request, Verb.REVIEW)
    found = get_object_or_404(Benchmark, slug=slug)
    counted = figures(found, "composition", "agreement", "problems", "draft")
    if counted is None:
        return being_counted(request, found)
    listed = releases(found)
    context = {
        "benchmark": found,
        "nav_active": "benchmark",
        "made_of": counted.values["composition"],
        "agreement": counted.values["agreement"],
        "problems": counted.values["problems"],
        "as_of": counted.as_of,
        "own_done": own_count(user, found),
        "releases": listed,
        "draft": draft_since(counted.values["draft"], listed[0] if listed else None),
        "notes_limit": NOTES_LIMIT,
        "tag_help": TAG_HELP,
    }
    if has_permission(user, Verb.ADJUDICATE):
        context |= for_adjudicators(found, user)
    return render(request, "annotation/benchmark.html", context)


def for_adjudicators(found: Benchmark, user: User) -> dict[str, Any]:
    """What would sway a reviewer's vote: disagreements by item, and the shortcut audit."""
    waiting = candidates(found)
    newest = found.audits.select_related("release").defer("report").first()
    return {
        "waiting": waiting,
        "oldest": min((one.since for one in waiting if one.since), default=None),
        "worst": disputes(waiting[:WORST]),
        "audit": audit_view(found, user, release=newest.release) if newest else None,
    }
