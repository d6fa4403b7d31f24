"""The fragment on the audit page that tells leaky from clean items in every model's score."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.models import Release
from annotation.permissions import Verb, require
from evaluation.queries.leaky_split import leaky_split


@require_safe
@never_cache
def audit_models(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """Show published entries on leaky and on clean MCQs; 404 before an audit of the release."""
    require(request.user, Verb.ADJUDICATE)
    release = get_object_or_404(Release, benchmark__slug=slug, tag=tag)
    splits = leaky_split(release)
    if splits is None:
        raise Http404("This release was not audited yet.")
    return render(request, "evaluation/_leaky_split.html", {"splits": splits})
