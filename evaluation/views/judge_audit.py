"""The pages of a benchmark's judge: what clinicians' grades say of it, and their samples."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Benchmark, User
from annotation.permissions import Verb, has_permission, require
from evaluation.actions.grading_samples import (
    BadSample,
    close_sample,
    discard_sample,
    make_sample,
    open_sample,
    set_judge_rule,
)
from evaluation.actions.judge_attacks import attack_judge
from evaluation.actions.run_checks import RunRefused
from evaluation.board.judge_audit import attack_rows, audit_context
from evaluation.grading_forms import AttackForm, JudgeRuleForm, SampleForm
from evaluation.judge_audit import audit_judges
from evaluation.models import GradingSample
from evaluation.models.grading import SampleState
from evaluation.queries.judge_attacks import attacks_on
from evaluation.queries.judge_samples import apart, closed_samples, rule_of, sample_lines
from evaluation.queries.judge_standings import calibrations
from evaluation.queries.public import open_benchmark


@never_cache
@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how far the judges of a benchmark agree with clinicians: figures for everybody, the
    answers themselves for those who may see runs."""
    benchmark = open_benchmark(slug, request.user)
    samples = closed_samples(benchmark)
    asked = request.GET.get("sample", "")
    sample = next((one for one in samples if str(one.pk) == asked), None)
    if asked and sample is None:
        raise Http404("There is no such sample.")
    sample = sample or next(iter(samples), None)
    rule = rule_of(benchmark)
    known = calibrations(benchmark.pk) if samples and sample == samples[0] else {}
    sees_answers = has_permission(request.user, Verb.SEE_RUNS)
    context: dict[str, Any] = {
        "benchmark": benchmark,
        "samples": samples,
        "sample": sample,
        "rule": rule,
        "attacks": [(one, attack_rows(one)) for one in attacks_on(benchmark)],
        "apart": apart(sample) if sample and sees_answers else [],
        "nav_active": "leaderboard",
    }
    context |= audit_context(sample, known, rule)
    return render(request, "evaluation/judge.html", context)


def publisher_of(request: HttpRequest) -> User:
    """Return the signed-in maintainer. Raises PermissionDenied for others."""
    require(request.user, Verb.PUBLISH)
    assert isinstance(request.user, User)  # noqa: S101 - require lets nobody else through
    return request.user


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def grading_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """The samples of a benchmark, and the form of a new one; a post draws it."""
    user = publisher_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = SampleForm(request.POST or None, benchmark=benchmark, asked=request.GET)
    if request.method == "POST" and form.is_valid():
        try:
            made = make_sample(**form.cleaned_data, by=user)
        except BadSample as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"“{made.name}” is a draft with {made.size} answers.")
            return redirect("evaluation:grading_samples", slug)
    least_kappa, least_answers = rule_of(benchmark)
    rule = JudgeRuleForm(initial={"least_kappa": least_kappa, "least_answers": least_answers})
    context = {"benchmark": benchmark, "lines": sample_lines(benchmark), "form": form}
    context |= {"rule_form": rule, "nav_active": "benchmark"}
    if form.drawn_from is not None:
        context["attack_form"] = AttackForm(benchmark=benchmark)
    return render(request, "evaluation/grading_samples.html", context)


@login_required
@require_POST
def grading_sample_action(request: HttpRequest, slug: str, pk: int, action: str) -> HttpResponse:
    """Open, close or throw away a sample, or compute its figures anew."""
    user = publisher_of(request)
    sample = get_object_or_404(GradingSample, pk=pk, benchmark__slug=slug)
    try:
        messages.success(request, act(action, sample, user))
    except BadSample as error:
        messages.error(request, str(error))
    return redirect("evaluation:grading_samples", slug)


def act(action: str, sample: GradingSample, user: User) -> str:
    """Do one action and say what was done. Raises Http404 for an unknown one, BadSample."""
    if action == "open":
        open_sample(sample=sample, by=user)
        return "The sample is open: its graders find it under Grading."
    if action == "discard":
        discard_sample(sample=sample, by=user)
        return "The draft is thrown away."
    if action == "close":
        audit_judges(close_sample(sample=sample, by=user))
        return "The sample is closed; its figures stand on the page of the judge."
    if action != "compute":
        raise Http404
    if sample.state != SampleState.CLOSED:
        raise BadSample("Figures are computed once the sample is closed.")
    audit_judges(sample)
    return "The figures are computed anew."


@login_required
@require_POST
def judge_attack(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a judge mark answers that try to be marked up, within a budget."""
    require(request.user, Verb.RUN)
    assert isinstance(request.user, User)  # noqa: S101 - require lets nobody else through
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = AttackForm(request.POST, benchmark=benchmark)
    try:
        if not form.is_valid():
            field, errors = next(iter(form.errors.items()))
            raise RunRefused(f"{form.fields[field].label}: {errors[0]}")
        made = attack_judge(**form.cleaned_data, by=request.user)
    except RunRefused as error:
        messages.error(request, f"Not begun: {error}")
        return redirect("evaluation:grading_samples", slug)
    messages.success(request, "The attacks are queued; their rates stand on the judge's page.")
    return redirect("evaluation:run", made.pk)


@login_required
@require_POST
def judge_rule(request: HttpRequest, slug: str) -> HttpResponse:
    """Set from which kappa and how many answers on a judge is called calibrated."""
    user = publisher_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = JudgeRuleForm(request.POST)
    try:
        if not form.is_valid():
            field, errors = next(iter(form.errors.items()))
            raise BadSample(f"{form.fields[field].label}: {errors[0]}")
        set_judge_rule(benchmark=benchmark, **form.cleaned_data, by=user)
    except BadSample as error:
        messages.error(request, f"Not set: {error}")
    else:
        messages.success(request, "The rule is set; badges follow it at once.")
    return redirect("evaluation:grading_samples", slug)
