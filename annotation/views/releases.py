"""Releases: making one, taking one away as a file, and comparing two."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.actions.releases import TAG, ReleaseRefused, make_release
from annotation.exporter import ExportRefused
from annotation.forms import ReleaseForm, first_fault
from annotation.models import Benchmark, Release
from annotation.permissions import Verb
from annotation.queries.release_diff import Side, diff
from annotation.queries.releases import releases
from annotation.release_files import lines, zipped
from annotation.views.allowed import account_for


@login_required
@require_POST
def make(request: HttpRequest, slug: str) -> HttpResponse:
    """Freeze the benchmark as it stands."""
    user = account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    form = ReleaseForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"Not frozen: {first_fault(form)}")
        return redirect("annotation:benchmark", slug)
    try:
        release = make_release(benchmark=benchmark, **form.cleaned_data, by=user)
    except ReleaseRefused as error:
        messages.error(request, str(error))
    else:
        kept = release.kept_mcq + release.kept_free
        messages.success(request, f"{release.tag} is frozen: {kept} items kept.")
    return redirect("annotation:benchmark", slug)


def release_to_export(request: HttpRequest, slug: str, tag: str) -> Release:
    """Return the release. Raises PermissionDenied, Http404."""
    account_for(request, Verb.IMPORT)
    return release_or_404(get_object_or_404(Benchmark, slug=slug), tag)


def release_or_404(benchmark: Benchmark, tag: str) -> Release:
    """Return the release. What cannot be a tag is not asked for: a NUL would be an error."""
    if not TAG.fullmatch(tag):
        raise Http404("No release has such a tag.")
    found = Release.objects.select_related("benchmark", "created_by")
    return get_object_or_404(found, benchmark=benchmark, tag=tag)


@login_required
@never_cache
@require_safe
def export_zip(request: HttpRequest, slug: str, tag: str) -> HttpResponseBase:
    """A release in the published layout, as one zip."""
    release = release_to_export(request, slug, tag)
    try:
        packed = zipped(release)
    except ExportRefused as error:
        messages.error(request, str(error))
        return redirect("annotation:benchmark", slug)
    return FileResponse(packed, as_attachment=True, filename=f"{slug}-{tag}.zip")


@login_required
@never_cache
@require_safe
def export_lines(request: HttpRequest, slug: str, tag: str) -> StreamingHttpResponse:
    """A release as lines of JSON, each item with its provenance."""
    release = release_to_export(request, slug, tag)
    answer = StreamingHttpResponse(lines(release), content_type="application/x-ndjson")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-{tag}.jsonl"'
    return answer


@login_required
@never_cache
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """What changed between two releases; an empty end is the benchmark as it stands."""
    account_for(request, Verb.ADJUDICATE)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    listed = releases(benchmark)
    old_tag = request.GET.get("from", listed[0].tag if listed else "")
    old, new = (side(benchmark, tag) for tag in (old_tag, request.GET.get("to", "")))
    context = {
        "benchmark": benchmark,
        "nav_active": "benchmark",
        "releases": listed,
        "diff": diff(old, new, show=request.GET.get("show", ""), page=request.GET.get("page", "")),
    }
    return render(request, "annotation/release_diff.html", context)


def side(benchmark: Benchmark, tag: str) -> Side:
    return Side(benchmark, release_or_404(benchmark, tag) if tag else None)
