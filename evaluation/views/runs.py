"""The pages of runs: the list, a new one, one run live."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import User
from annotation.permissions import Verb, has_permission, require
from evaluation.actions.entries import EntryRefused, publish_entry
from evaluation.actions.run_checks import RunRefused
from evaluation.actions.runs import (
    cancel_run,
    create_run,
    pause_run,
    resume_run,
    retry_failed,
    start_run,
)
from evaluation.forms import RunForm
from evaluation.models import Run
from evaluation.queries.answer_counts import answer_counts
from evaluation.queries.estimate import estimate
from evaluation.queries.month_spending import month_spending
from evaluation.run_page import (
    badge_of,
    in_words,
    live_context,
    newest_entry,
    page_context,
    provenance,
)
from evaluation.run_report import figures

PAGE = 50
FRAGMENTS = ("head", "progress", "latency", "errors", "items")


def runner_of(request: HttpRequest, verb: Verb) -> User:
    """Return the signed-in account. Raises PermissionDenied unless it may `verb`."""
    require(request.user, verb)
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def find_run(pk: int) -> Run:
    """Return a run with what its page names. Raises Http404."""
    path = ("contestant__provider", "judge", "release", "benchmark", "started_by")
    return get_object_or_404(Run.objects.select_related(*path), pk=pk)


@login_required
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """List the runs, the newest first."""
    runner_of(request, Verb.SEE_RUNS)
    found = Run.objects.select_related("contestant", "release", "benchmark", "started_by")
    page = Paginator(found.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    counts = answer_counts(page.object_list)
    context = {
        "page": page,
        "rows": [(run, badge_of(run), counts[run.pk]) for run in page.object_list],
        "may_run": has_permission(request.user, Verb.RUN),
        "nav_active": "runs",
        "benchmark": next((run.benchmark for run in page.object_list), None),
    }
    return render(request, "evaluation/runs.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: HttpRequest) -> HttpResponse:
    """Ask what to run; show the estimate; start."""
    user = runner_of(request, Verb.RUN)
    form = RunForm(request.POST or None)
    newest = Run.objects.select_related("benchmark").order_by("-pk").first()
    context: dict[str, Any] = {"form": form, "nav_active": "runs"}
    context["benchmark"] = newest.benchmark if newest else None  # where the top bar leads
    if request.method == "POST" and form.is_valid():
        if request.POST.get("intent") == "start":
            try:
                return redirect("evaluation:run", begin(form, user).pk)
            except RunRefused as error:
                form.add_error(None, str(error))
        chosen = {
            name: form.cleaned_data[name] for name in ("release", "condition", "judge", "circular")
        }
        found = estimate(
            contestant=form.cleaned_data["model"], repeats=form.cleaned_data["repeats"], **chosen
        )
        asked = [form.cleaned_data["model"], *filter(None, [form.cleaned_data["judge"]])]
        context |= {
            "estimate": found,
            "duration": in_words(found.seconds),
            "months": month_spending({one.provider_id for one in asked}),
        }
    return render(request, "evaluation/run_new.html", context)


@transaction.atomic
def begin(form: RunForm, user: User) -> Run:
    """Make and start the run that a form describes; a form that is sent twice starts one run.
    Raises RunRefused, and leaves no draft then."""
    User.objects.select_for_update().get(pk=user.pk)
    chosen, sent = form.cleaned_data, form.sending()
    if found := Run.objects.filter(started_by=user, extra__sent_form=sent).first():
        return found
    release = chosen["release"]
    options = {
        name: chosen[name]
        for name in (
            *("condition", "judge", "budget", "repeats", "circular", "strict"),
            "publish_when_done",
        )
    }
    run = create_run(
        benchmark=release.benchmark, release=release, contestant=chosen["model"], by=user, **options
    )
    run.extra["sent_form"] = sent
    run.save(update_fields=["extra"])
    return start_run(run=run, by=user)


@login_required
@require_safe
@never_cache
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one run."""
    user = runner_of(request, Verb.SEE_RUNS)
    context = page_context(find_run(pk), user, request.GET.dict())
    return render(request, "evaluation/run.html", context)


@login_required
@require_safe
@never_cache
def run_progress(request: HttpRequest, pk: int) -> JsonResponse:
    """Tell how far a run is: figures for programs, fragments for its page."""
    user = runner_of(request, Verb.SEE_RUNS)
    found = find_run(pk)
    context = live_context(found, user, request.GET.dict())
    data: dict[str, Any] = figures(found, context["progress"], context["latencies"]) | {
        "live": bool(context["actions"].get("live")),
        "provenance": provenance(found),
    }
    if "fragments" in request.GET:
        data["fragments"] = {
            name: render_to_string(f"evaluation/_run_{name}.html", context, request)
            for name in FRAGMENTS
        }
    return JsonResponse(data)


@login_required
@require_POST
def run_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Start, pause, resume, cancel, retry or publish, then go back to the run."""
    verb = Verb.PUBLISH if action == "publish" else Verb.RUN
    user = runner_of(request, verb)
    found = find_run(pk)
    try:
        messages.success(request, perform(action, found, user))
    except (RunRefused, EntryRefused) as error:
        messages.error(request, str(error))
    return redirect("evaluation:run", pk)


def perform(action: str, run: Run, user: User) -> str:
    """Do one action and say what was done. Raises Http404 for an unknown one, RunRefused and
    EntryRefused where it cannot be done now."""
    changes = {
        "start": (start_run, "The run is queued."),
        "pause": (pause_run, "No new call begins; calls in flight end and are kept."),
        "resume": (resume_run, "The run goes on."),
        "cancel": (cancel_run, "The run is cancelled; what was answered is kept."),
    }
    if action in changes:
        change, said = changes[action]
        change(run=run, by=user)
        return said
    if action == "retry":
        return f"{retry_failed(run=run, by=user)} failed steps are asked again."
    if action != "publish":
        raise Http404
    if run.contestant.is_reference:
        raise EntryRefused("The row of a reference model stands on the leaderboard by itself.")
    entry = newest_entry(run)
    if entry is None:
        raise EntryRefused("The entry is not computed yet.")
    publish_entry(entry=entry, by=user)
    return "The entry stands on the leaderboard."
