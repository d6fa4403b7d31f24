"""The page of workers and of runs that stand still."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.permissions import Verb, require
from evaluation.queries.crew import crew_page


@login_required
@require_safe
@never_cache
def crew(request: HttpRequest) -> HttpResponse:
    """Show how the workers fare."""
    require(request.user, Verb.RUN)
    context = {"crew": crew_page(), "nav_active": "runs"}
    return render(request, "evaluation/crew.html", context)


@login_required
@require_safe
@never_cache
def crew_state(request: HttpRequest) -> JsonResponse:
    """Tell the same to programs, and to the page as a fragment."""
    require(request.user, Verb.RUN)
    found = crew_page()
    data = {
        "live": True,
        "queues": found.queues,
        "workers": [
            {"name": one.beat.name, "queue": one.beat.queue, "state": one.state}
            for one in found.workers
        ],
        "stuck": [{"run": one.run.pk, "advice": one.advice} for one in found.stuck],
    }
    if "fragments" in request.GET:
        html = render_to_string("evaluation/_crew.html", {"crew": found}, request)
        data["fragments"] = {"crew": html}
    return JsonResponse(data)
