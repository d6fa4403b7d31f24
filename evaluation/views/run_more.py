"""What a finished run may be the beginning of: a run on another release, verdicts of another
judge. Each shows what it takes before anything starts."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from annotation.models import User
from annotation.permissions import Verb
from evaluation.actions.extending import check_extension, extend_run
from evaluation.actions.rejudging import rejudge_run
from evaluation.actions.run_checks import RunRefused
from evaluation.forms import ExtendForm, RejudgeForm
from evaluation.models import Run
from evaluation.queries.extending import extension, other_releases
from evaluation.queries.rejudging import judging_cost
from evaluation.run_page import in_words
from evaluation.views.runs import find_run, runner_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_extend(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask to which release a run is extended; show how many calls that takes; start."""
    user, run = runner_of(request, Verb.RUN), find_run(pk)
    form = ExtendForm(request.POST or None, releases=other_releases(run))
    context = frame(run, form)
    if request.method != "POST" or not form.is_valid():
        return render(request, "evaluation/run_extend.html", context)
    try:
        if request.POST.get("intent") == "start":
            made = extend_run(run=run, by=user, **form.cleaned_data)
            messages.success(request, f"Run {made.pk} extends run {run.pk}.")
            return redirect("evaluation:run", made.pk)
        check_extension(run=run, **form.cleaned_data)
    except RunRefused as error:
        form.add_error(None, str(error))
    else:
        found = extension(run, form.cleaned_data["release"])
        context |= {"extension": found, "duration": in_words(found.estimate.seconds)}
    return render(request, "evaluation/run_extend.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_rejudge(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask which judge marks the stored responses once more; show what it costs; start."""
    user, run = runner_of(request, Verb.RUN), find_run(pk)
    form = RejudgeForm(request.POST or None)
    context = frame(run, form)
    if request.method == "POST" and form.is_valid():
        if request.POST.get("intent") == "start":
            if made := begin_judging(run, form, user):
                messages.success(request, f"{made.judge_label} marks the stored responses.")
                return redirect("evaluation:run", made.pk)
        else:
            context["cost"] = judging_cost(run, form.cleaned_data["judge"])
    return render(request, "evaluation/run_rejudge.html", context)


def begin_judging(run: Run, form: RejudgeForm, user: User) -> Run | None:
    """Start what the form describes; None where it is refused, which the form then says."""
    try:
        return rejudge_run(run=run, by=user, **form.cleaned_data)
    except RunRefused as error:
        form.add_error(None, str(error))
        return None


def frame(run: Run, form: Any) -> dict[str, Any]:
    """Return what both pages need."""
    return {"run": run, "form": form, "benchmark": run.benchmark, "nav_active": "runs"}
