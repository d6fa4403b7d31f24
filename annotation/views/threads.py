"""Threads on items: the reader's own questions, and the posts that open, answer and settle."""

import uuid
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.conflicts import IdTaken
from annotation.actions.threads import add_comment, open_thread, resolve_thread
from annotation.domain.edits import BadEdit
from annotation.forms import CommentForm, SettleForm, ThreadForm, first_fault
from annotation.models import Item, Thread
from annotation.permissions import Verb
from annotation.queries.threads import questions_seen, questions_to
from annotation.views.allowed import account_for
from annotation.views.to_scripts import wants_json


@login_required
@never_cache
@require_safe
def questions(request: HttpRequest) -> HttpResponse:
    """The threads that ask the reader, and those that the reader opened."""
    user = account_for(request, Verb.REVIEW)
    page = questions_to(user, request.GET.get("page", ""))
    context = {
        "page": page,
        "threads": questions_seen(user, page),
        "nav_active": "questions",
        "new_id": uuid.uuid4,  # called for each form: sending one twice stores it once
    }
    return render(request, "annotation/questions.html", context)


@login_required
@require_POST
def start(request: HttpRequest, slug: str, item_id: int) -> HttpResponse:
    """Open a thread on an item."""
    user = account_for(request, Verb.REVIEW)
    item = get_object_or_404(Item, pk=item_id, benchmark__slug=slug)
    form = ThreadForm(request.POST)
    if not form.is_valid():
        return refused(request, first_fault(form))
    said = form.cleaned_data
    return carried_out(
        request,
        lambda: open_thread(
            thread_id=said["id"],
            item_id=item.pk,
            text=said["text"],
            asked=said["asked"],
            by=user,
        ),
        "The thread is open.",
    )


@login_required
@require_POST
def comment(request: HttpRequest, thread_id: uuid.UUID) -> HttpResponse:
    """Answer in a thread."""
    user = account_for(request, Verb.REVIEW)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return refused(request, first_fault(form))
    said = form.cleaned_data
    return carried_out(
        request,
        lambda: add_comment(comment_id=said["id"], thread_id=thread_id, text=said["text"], by=user),
        "Your answer is saved.",
    )


@login_required
@require_POST
def settle(request: HttpRequest, thread_id: uuid.UUID) -> HttpResponse:
    """Resolve a thread, or open it again."""
    user = account_for(request, Verb.REVIEW)
    form = SettleForm(request.POST)
    if not form.is_valid():
        return refused(request, first_fault(form))
    resolved = form.cleaned_data["resolved"] == "yes"
    return carried_out(
        request,
        lambda: resolve_thread(thread_id=thread_id, resolved=resolved, by=user),
        "Resolved." if resolved else "Open again.",
    )


def carried_out(request: HttpRequest, act: Callable[[], object], done: str) -> HttpResponse:
    """Do it; say what became of it, as JSON to a script, else on the page it came from."""
    try:
        act()
    except Thread.DoesNotExist:
        raise Http404("No such thread.") from None
    except BadEdit as error:
        return refused(request, "; ".join(error.errors.values()))
    except IdTaken as error:
        return refused(request, str(error))
    if wants_json(request):
        return JsonResponse({"saved": done})
    messages.success(request, done)
    return back(request)


def refused(request: HttpRequest, why: str) -> HttpResponse:
    if wants_json(request):
        return JsonResponse({"detail": why}, status=400)
    messages.error(request, f"Not saved: {why}")
    return back(request)


def back(request: HttpRequest) -> HttpResponse:
    """Return to the page that the form stood on."""
    place = request.POST.get("back", "")
    is_ours = place.startswith("/") and url_has_allowed_host_and_scheme(place, allowed_hosts=None)
    return HttpResponseRedirect(place) if is_ours else redirect("annotation:questions")
