"""How a benchmark's items are to be judged, and how far its readers are."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.guidelines import write_guidelines
from annotation.domain.guidelines import LIMIT, as_html
from annotation.figures import figures
from annotation.forms import GuidelinesForm, first_fault
from annotation.models import Benchmark
from annotation.permissions import Verb
from annotation.views.allowed import account_for
from annotation.views.being_counted import being_counted


@login_required
@never_cache
@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """The guidelines as a page; with `?part` alone, for the panel beside an item."""
    account_for(request, Verb.REVIEW)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    context = {
        "benchmark": benchmark,
        "nav_active": "review",
        "html": mark_safe(as_html(benchmark.guidelines)),  # noqa: S308  cleaned by nh3
        "limit": LIMIT,
    }
    is_part = "part" in request.GET
    name = "annotation/_guidelines.html" if is_part else "annotation/guidelines.html"
    return render(request, name, context)


@login_required
@require_POST
def write(request: HttpRequest, slug: str) -> HttpResponse:
    """New guidelines, by a maintainer."""
    user = account_for(request, Verb.IMPORT)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = GuidelinesForm(request.POST)
    if form.is_valid():
        write_guidelines(benchmark=benchmark, text=form.cleaned_data["text"], by=user)
        messages.success(request, "The guidelines are saved.")
    else:
        messages.error(request, first_fault(form))
    return redirect("annotation:guidelines", slug)


@login_required
@never_cache
@require_safe
def readers(request: HttpRequest, slug: str) -> HttpResponse:
    """What each reader has done, and how long it took; for maintainers."""
    account_for(request, Verb.IMPORT)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    counted = figures(benchmark, "readers")
    if counted is None:
        return being_counted(request, benchmark)
    lines = {"lines": counted.values["readers"], "as_of": counted.as_of}
    context = {"benchmark": benchmark, "nav_active": "benchmark"} | lines
    return render(request, "annotation/readers.html", context)
