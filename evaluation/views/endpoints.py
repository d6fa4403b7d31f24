"""Submitting a server that our engine asks."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotation.models import Release
from evaluation.actions.endpoints import receive_endpoint
from evaluation.actions.submissions import SubmissionRefused
from evaluation.forms import EndpointForm
from evaluation.queries.public import open_benchmark
from evaluation.queries.quota import quota_of
from evaluation.views.submissions import account_of


@sensitive_post_parameters("key")
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit_endpoint(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the address and the key of a server; nothing is called in the request."""
    user, benchmark = account_of(request), open_benchmark(slug, request.user)
    releases = Release.objects.filter(benchmark=benchmark)
    posted = request.method == "POST"
    form = EndpointForm(request.POST if posted else None, releases=releases)
    if posted and form.is_valid():
        try:
            made = receive_endpoint(by=user, **form.cleaned_data)
        except SubmissionRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect("evaluation:submission", made.pk)
    context = {
        "benchmark": benchmark,
        "release": releases.first(),
        "form": form,
        "quota": quota_of(user),
    }
    status = 400 if posted else 200
    return render(request, "evaluation/submit_endpoint.html", context, status=status)
