"""Shows an item to the public as an example, or takes it back."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from annotation.actions.examples import ExampleRefused, show_as_example, take_back_example
from annotation.forms import ExampleForm, first_fault
from annotation.models import Benchmark
from annotation.permissions import Verb
from annotation.views.allowed import account_for


@login_required
@require_POST
def change(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the item of this key, or take it back, and return to the page of what is held out."""
    user = account_for(request, Verb.ADMINISTER)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = ExampleForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Nothing changed: {first_fault(form)}")
        return redirect("annotation:held_out", benchmark.slug)
    said = form.cleaned_data
    act = show_as_example if said["do"] == "show" else take_back_example
    try:
        item = act(benchmark=benchmark, key=said["key"], reason=said["reason"], by=user)
    except ExampleRefused as error:
        messages.error(request, str(error))
    else:
        done = "is shown to the public" if item.is_example else "is shown no more"
        messages.success(request, f"{item.key} {done}.")
    return redirect("annotation:held_out", benchmark.slug)
