"""Items that deserve another look: what models and blind runs say about single items."""

from typing import Any
from urllib.parse import urlencode

from celery import current_app
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError

from annotation.actions.round_locks import BadRound
from annotation.domain.counted import counted_text
from annotation.models import Benchmark, Release, Round, User
from annotation.permissions import Verb, require
from evaluation.actions.item_statistics import (
    BadRule,
    make_look_again_round,
    request_statistics,
    set_look_again_rule,
)
from evaluation.forms import LookAgainRuleForm
from evaluation.queries.look_again import REASONS, look_again
from evaluation.queries.public import pick_release, releases_of

TASK = "evaluation.measure_items"


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def look_again_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the items by reason; a post measures again, sets the rule or makes a round."""
    require(request.user, Verb.ADJUDICATE)
    assert isinstance(request.user, User)  # noqa: S101 - require lets nobody else through
    benchmark = get_object_or_404(Benchmark, slug=slug)
    releases = releases_of(benchmark)
    asked = request.POST if request.method == "POST" else request.GET
    release = pick_release(releases, asked.get("release", ""))
    if request.method == "POST":
        return _act(request, request.user, benchmark, release)
    context: dict[str, Any] = {
        "benchmark": benchmark,
        "releases": releases,
        "release": release,
        "nav_active": "benchmark",
    }
    if release:
        shown, page = request.GET.get("reason", ""), request.GET.get("page", "")
        view = look_again(release, request.user, shown=shown, page=page)
        form = LookAgainRuleForm(initial=vars(view.rule))
        query = urlencode({"release": release.tag, "reason": view.shown}) + "&"
        title = REASONS[view.shown]
        context |= {"view": view, "form": form, "title": title, "page_query": query}
    return render(request, "evaluation/look_again.html", context)


def _act(
    request: HttpRequest, user: User, benchmark: Benchmark, release: Release | None
) -> HttpResponse:
    if release is None:
        raise Http404("This benchmark has no release.")
    reason, wanted = request.POST.get("reason", ""), request.POST.get("do", "")
    if wanted == "measure":
        request_statistics(release=release, by=user)
        _wake(release)
        messages.success(request, "Measuring; this page shows it when a worker is done.")
    elif wanted == "rule":
        _set_rule(request, user, benchmark)
    elif wanted == "round" and reason in REASONS:
        if made := _make_round(request, user, release, reason):
            return redirect("annotation:round", benchmark.slug, made.pk)
    else:
        messages.error(request, "Nothing was done: that is no action of this page.")
    query = f"?release={release.tag}" + (f"&reason={reason}" if reason in REASONS else "")
    return redirect(reverse("evaluation:look_again", args=[benchmark.slug]) + query)


def _set_rule(request: HttpRequest, user: User, benchmark: Benchmark) -> None:
    form = LookAgainRuleForm(request.POST)
    if not form.is_valid():
        field, errors = next(iter(form.errors.items()))
        messages.error(request, f"Not set: {form.fields[field].label}: {errors[0]}")
        return
    try:
        set_look_again_rule(benchmark=benchmark, changes=form.cleaned_data, by=user)
    except BadRule as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The rule is set.")


def _make_round(request: HttpRequest, user: User, release: Release, reason: str) -> Round | None:
    try:
        made = make_look_again_round(release=release, reason=reason, by=user)
    except BadRound as error:
        messages.error(request, f"No round was made: {error}")
        return None
    messages.success(
        request,
        f"“{made.name}” is a draft with {counted_text(made.size, 'item')}. Name its readers, then "
        "open it; nothing is dropped before people have voted.",
    )
    return made


def _wake(release: Release) -> None:
    try:
        current_app.send_task(TASK, args=[release.pk])
    except OperationalError:
        return  # the minute's sweep finds it
