"""A release's datasheet: as a page, as Markdown, as Croissant metadata with its questions."""

import json

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.models import Release
from evaluation.board import datasheet as sheet
from evaluation.board.croissant import metadata
from evaluation.board.questions_file import lines, sha256
from evaluation.queries.datasheet import facts_of
from evaluation.queries.public import open_benchmark, pick_release, releases_of


@require_safe
def datasheet(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """Show what a release is made of, how it was reviewed, what is known to be wrong with it."""
    release = _release(request, slug, tag)
    context = {
        "benchmark": release.benchmark,
        "release": release,
        "sections": sheet.sections(facts_of(release, at=timezone.now())),
        "nav_active": "leaderboard",
    }
    return render(request, "evaluation/datasheet.html", context)


@require_safe
def markdown(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """The same as a file that a paper can append."""
    release = _release(request, slug, tag)
    text = sheet.markdown(facts_of(release, at=timezone.now()))
    return HttpResponse(
        text,
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{slug}-{tag}-datasheet.md"'},
    )


@require_safe
def croissant(request: HttpRequest, slug: str, tag: str) -> HttpResponse:
    """The release as Croissant metadata."""
    release = _release(request, slug, tag)
    places = [release.benchmark.slug, release.tag]
    page, file = (
        request.build_absolute_uri(reverse(f"evaluation:{name}", args=places))
        for name in ("datasheet", "questions")
    )
    found = metadata(
        facts_of(release, at=timezone.now()), page=page, file=file, digest=sha256(release)
    )
    text = json.dumps(found, indent=2, ensure_ascii=False)
    return HttpResponse(text, content_type="application/ld+json; charset=utf-8")


@require_safe
def questions(request: HttpRequest, slug: str, tag: str) -> HttpResponseBase:
    """The kept items as a model is asked them, one line of JSON each, without keys."""
    release = _release(request, slug, tag)
    answer = StreamingHttpResponse(lines(release), content_type="application/jsonlines")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-{tag}-questions.jsonl"'
    return answer


def _release(request: HttpRequest, slug: str, tag: str) -> Release:
    """Return the release. Raises Http404 where it is unknown or closed to the reader."""
    release = pick_release(releases_of(open_benchmark(slug, request.user)), tag)
    if release is None:
        raise Release.DoesNotExist
    return release
