"""The room in which clinicians grade answers, blind to model and judge."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.actions.seal import note_key_shown
from annotation.models import User
from annotation.permissions import Verb, require
from evaluation.board.grading import answer_context
from evaluation.models import GradingSeat, SampledAnswer
from evaluation.models.grading import SampleState
from evaluation.queries.grading_room import desk, find_answer, must_answer_first, seats_of


def grader_of(request: HttpRequest) -> User:
    """Return the signed-in clinician. Raises PermissionDenied for others."""
    require(request.user, Verb.REVIEW)
    assert isinstance(request.user, User)  # noqa: S101 - require lets nobody else through
    return request.user


def seat_or_404(user: User, sample_id: int) -> GradingSeat:
    """Return the grader's seat of a sample that was opened. Raises Http404."""
    seats = GradingSeat.objects.select_related("sample__benchmark", "sample__release")
    # By the number itself: a foreign key does not bear one that no column holds.
    seat = seats.filter(grader=user, sample__id__exact=sample_id).first()
    if seat is None or seat.sample.state == SampleState.DRAFT:
        raise Http404("You grade no such sample.")
    return seat


@login_required
@never_cache
@require_safe
def grading(request: HttpRequest) -> HttpResponse:
    """Where grading starts: the only sample that waits, or a choice."""
    user = grader_of(request)
    seats = seats_of(user)
    if len(seats) == 1:
        return redirect("evaluation:grading_next", seats[0].sample_id)
    context = {"desks": [desk(seat) for seat in seats], "nav_active": "grading"}
    return render(request, "evaluation/grading_home.html", context)


@login_required
@never_cache
@require_safe
def grading_next(request: HttpRequest, pk: int) -> HttpResponse:
    """To the next answer that waits, or to what is left where none does."""
    user = grader_of(request)
    seat = seat_or_404(user, pk)
    now = desk(seat)
    after = request.GET.get("after", "")
    start = int(after) if after.isascii() and after.isdigit() and len(after) < 19 else None
    found = None
    if seat.sample.state == SampleState.OPEN:
        found = now.next(after=start, skipped="skipped" in request.GET)
    if found is not None:
        return redirect("evaluation:grading_answer", pk, found)
    context = {"desk": now, "sample": seat.sample, "benchmark": seat.sample.benchmark}
    return render(request, "evaluation/grading_done.html", context)


@login_required
@never_cache
@require_safe
def grading_answer(request: HttpRequest, pk: int, answer_id: int) -> HttpResponse:
    """The page of one answer, with the clip that it is about."""
    user = grader_of(request)
    seat = seat_or_404(user, pk)
    now = desk(seat)
    if all(place.answer_id != answer_id for place in now.places):
        raise Http404("This answer is not yours to grade.")
    if seat.sample.state != SampleState.OPEN:
        return redirect("evaluation:grading_next", pk)
    try:
        shown = find_answer(seat.sample, answer_id)
    except SampledAnswer.DoesNotExist:
        raise Http404("There is no such answer.") from None
    context: dict[str, Any] = {"sample": seat.sample, "benchmark": seat.sample.benchmark}
    if must_answer_first(user, shown.version):
        context |= {"desk": now, "item": shown.version.item}
        return render(request, "evaluation/grading_sealed.html", context)
    if shown.version.item.current is not None:
        note_key_shown(version=shown.version.item.current, by=user)
    context |= answer_context(user, now, shown)
    return render(request, "evaluation/grading.html", context)
