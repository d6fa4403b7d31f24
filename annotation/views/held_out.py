"""The held-out part of a benchmark: which items it has, adding to it, putting back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.examples import MOST_EXAMPLES
from annotation.actions.held_out import (
    HoldingRefused,
    draw_held_out,
    held_out_items,
    set_held_out,
)
from annotation.forms import HeldOutForm, first_fault
from annotation.models import Benchmark, User
from annotation.permissions import Verb
from annotation.queries.examples import example_items
from annotation.views.allowed import account_for

A_PAGE = 100


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def held_out(request: HttpRequest, slug: str) -> HttpResponse:
    """List what is held out; a form holds more out, by keys or by a draw, or puts back."""
    user = account_for(request, Verb.PUBLISH)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    if request.method == "POST":
        return _change(request, benchmark, user)
    items = held_out_items(benchmark).only("key", "text", "kind", "benchmark_id")
    context = {
        "benchmark": benchmark,
        "nav_active": "benchmark",
        "page": Paginator(items, A_PAGE).get_page(request.GET.get("page", "")),
        "total": benchmark.items.count(),
        "examples": example_items(benchmark).only("key", "text", "benchmark_id"),
        "most_examples": MOST_EXAMPLES,
    }
    return render(request, "annotation/held_out.html", context)


def _change(request: HttpRequest, benchmark: Benchmark, user: User) -> HttpResponse:
    form = HeldOutForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Nothing changed: {first_fault(form)}")
        return redirect("annotation:held_out", benchmark.slug)
    said = form.cleaned_data
    try:
        if said["do"] == "draw":
            changed = draw_held_out(
                benchmark=benchmark,
                share=said["percent"] / 100,
                seed=said["seed"],
                reason=said["reason"],
                by=user,
            )
        else:
            changed = set_held_out(
                benchmark=benchmark,
                keys=said["keys"].splitlines(),
                held_out=said["do"] == "hold",
                reason=said["reason"],
                by=user,
            )
    except HoldingRefused as error:
        messages.error(request, str(error))
    else:
        done = "put back" if said["do"] == "back" else "held out"
        messages.success(request, f"{changed:,} items {done}.")
    return redirect("annotation:held_out", benchmark.slug)
