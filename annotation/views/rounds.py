"""Review rounds for those who lead them: the list, a new one, one with its readers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.actions.round_items import MOST_ITEMS, choose_items
from annotation.actions.round_locks import BadRound
from annotation.actions.round_readers import add_readers
from annotation.actions.rounds import make_round, open_round
from annotation.models import Benchmark, Round, User
from annotation.permissions import Verb
from annotation.queries.round_agreement import self_agreement
from annotation.queries.round_choice import Estimate, chosen, estimate
from annotation.queries.round_progress import (
    may_read,
    reader_lines,
    round_line,
    round_lines,
    training_of,
)
from annotation.round_forms import ReadersForm, RoundForm, SettingsForm, TrainingForm
from annotation.views.allowed import account_for


@login_required
@never_cache
@require_safe
def rounds(request: HttpRequest, slug: str) -> HttpResponse:
    """The rounds of a benchmark, the newest first."""
    account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    context = {
        "benchmark": benchmark,
        "nav_active": "benchmark",
        "lines": round_lines(benchmark),
    }
    return render(request, "annotation/rounds.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """A form for a round, with what it takes; sent, it makes the draft, and opens it if asked."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = RoundForm(
        request.POST or None,
        user=user,
        benchmark=benchmark,
        accounts=may_read(),
        initial={"name": f"Round {benchmark.rounds.count() + 1}"},
    )
    only_estimate = "part" in request.POST
    if request.method == "POST" and not only_estimate and form.is_valid():
        made = made_of(form, benchmark, user, opens=request.POST.get("intent") == "open")
        if made is not None:
            messages.success(request, f"The round “{made.name}” is {made.state}.")
            return redirect("annotation:round", slug, made.pk)
    context = {
        "benchmark": benchmark,
        "nav_active": "benchmark",
        "form": form,
        "estimate": estimate_of(form, benchmark, user),
    }
    name = "annotation/_round_estimate.html" if only_estimate else "annotation/round_new.html"
    return render(request, name, context)


def estimate_of(form: RoundForm, benchmark: Benchmark, user: User) -> Estimate | None:
    """Return what the round of a form takes; None while the form cannot be understood."""
    if not form.is_bound or not form.is_valid():
        return None
    return estimate(user, benchmark, form.cleaned_data, most=MOST_ITEMS)


def made_of(form: RoundForm, benchmark: Benchmark, user: User, *, opens: bool) -> Round | None:
    """Make the round of a valid form; None where it is refused, which the form then says."""
    said = form.cleaned_data
    try:
        with transaction.atomic():
            made = make_round(benchmark=benchmark, settings=form.settings(), by=user)
            choose_items(round_id=made.pk, items=chosen(user, benchmark, said), by=user)
            ids = [reader.pk for reader in said["readers"]]
            if ids:
                add_readers(round_id=made.pk, reader_ids=ids, by=user)
            return open_round(round_id=made.pk, by=user) if opens else made
    except BadRound as error:
        for name, text in error.errors.items():
            form.add_error(name if name in form.fields else None, f"{text}.")
        return None


@login_required
@never_cache
@require_safe
def one(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A round: its progress, its readers, how they agree with themselves, what may be changed."""
    account_for(request, Verb.ADJUDICATE)
    round_ = get_object_or_404(
        Round.objects.select_related("benchmark", "created_by"), pk=pk, benchmark__slug=slug
    )
    line = round_line(round_)
    readers = reader_lines(line)
    there = {reader.row.reader_id for reader in readers}
    settings = {
        "name": round_.name,
        "votes_wanted": round_.votes_wanted,
        "repeats": round(100 * round_.repeat_share, 1),
        "instructions": round_.instructions,
    }
    context = {
        "benchmark": round_.benchmark,
        "nav_active": "benchmark",
        "round": round_,
        "line": line,
        "readers": readers,
        "training": training_of(round_),
        "agreement": self_agreement(round_),
        "settings_form": SettingsForm(initial=settings),
        "readers_form": ReadersForm(accounts=[one for one in may_read() if one.pk not in there]),
        "training_form": TrainingForm(),
    }
    return render(request, "annotation/round.html", context)
