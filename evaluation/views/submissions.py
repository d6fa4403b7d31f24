"""Submitting predictions, and following what becomes of them."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Benchmark, Release, User
from evaluation.actions.entries import EntryRefused
from evaluation.actions.submissions import (
    SubmissionRefused,
    approve_submission,
    receive_submission,
    reject_submission,
    withdraw_submission,
)
from evaluation.forms import SubmissionForm
from evaluation.queries.public import open_benchmark, pick_release, releases_of
from evaluation.queries.quota import quota_of
from evaluation.queries.submissions import (
    key_shown,
    progress_of,
    seen_by,
    submission_page,
    template_lines,
)

MARGIN = 1_048_576  # bytes of a form beside its files


def account_of(request: HttpRequest) -> User:
    """Return the signed-in account. Raises PermissionDenied."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


@csrf_exempt  # the token stands in the body, which is not read before its size is known
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the predictions of a model; too large a body is refused before it is read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    most = settings.SUBMISSION_MEGABYTES * 1_048_576 + MARGIN
    if not (length.isascii() and length.isdigit()) or int(length) > most:
        text = f"A submission has at most {settings.SUBMISSION_MEGABYTES} MB."
        return HttpResponse(text, status=413, content_type="text/plain; charset=utf-8")
    return _submit(request, open_benchmark(slug, request.user))


@csrf_protect
def _submit(request: HttpRequest, benchmark: Benchmark) -> HttpResponse:
    user = account_of(request)
    releases = Release.objects.filter(benchmark=benchmark)
    posted = request.method == "POST"
    form = SubmissionForm(
        request.POST if posted else None, request.FILES if posted else None, releases=releases
    )
    if posted and form.is_valid():
        try:
            fields = dict(form.cleaned_data)
            made = receive_submission(by=user, files=fields.pop("uploads"), **fields)
        except SubmissionRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect("evaluation:submission", made.pk)
    context = {
        "benchmark": benchmark,
        "release": releases.first(),
        "form": form,
        "quota": quota_of(user),
        "megabytes": settings.SUBMISSION_MEGABYTES,
        "has_judge": bool(settings.SUBMISSION_JUDGE),
    }
    return render(request, "evaluation/submit.html", context, status=400 if posted else 200)


@login_required
@require_safe
def template(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Stream the items of a release as lines to fill in, without their keys."""
    benchmark = open_benchmark(slug, request.user)
    release = pick_release(releases_of(benchmark), request.GET.get("release", ""))
    if release is None:
        raise Http404("This benchmark has no release yet.")
    name = f"{benchmark.slug}-{release.tag}.jsonl"
    return StreamingHttpResponse(
        template_lines(release),
        content_type="application/x-ndjson; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@login_required
@never_cache
@require_safe
def submissions(request: HttpRequest) -> HttpResponse:
    """List the reader's submissions; all of them for those who publish."""
    page = submission_page(account_of(request), request.GET.get("page", ""))
    return render(request, "evaluation/submissions.html", {"page": page})


@login_required
@never_cache
@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one submission: how far it is, how complete, and what was wrong with which row."""
    user = account_of(request)
    found = get_object_or_404(seen_by(user), pk=pk)
    entry = found.run.entries.order_by("-version").first() if found.run else None
    context = {
        "submission": found,
        "progress": progress_of(found),
        "figures": entry.figures if entry else None,
        "is_own": found.sender_id == user.pk,
        "key_last4": key_shown(found),
    }
    return render(request, "evaluation/submission.html", context)


@login_required
@require_POST
def submission_action(request: HttpRequest, pk: int, action: str) -> HttpResponse:
    """Withdraw, approve or reject one submission, then go back to it."""
    user = account_of(request)
    found = get_object_or_404(seen_by(user), pk=pk)
    reason = request.POST.get("reason", "").replace("\x00", "")[:300]
    try:
        if action == "withdraw":
            withdraw_submission(submission=found, by=user)
        elif action == "approve":
            approve_submission(submission=found, by=user, note=reason)
        elif action == "reject":
            reject_submission(submission=found, by=user, reason=reason)
        else:
            raise Http404
    except (SubmissionRefused, EntryRefused) as error:
        messages.error(request, str(error))
    return redirect("evaluation:submission", pk)
