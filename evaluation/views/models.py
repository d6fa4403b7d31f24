"""The public page of a model: its figures by slice, its history, its frozen entries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotation.models import Benchmark
from evaluation.board.model_page import SHORT_HASH, cell, entry_bibtex, histories, slice_tables
from evaluation.models import Contestant
from evaluation.queries.judge_standings import calibration_of, calibrations
from evaluation.queries.model_entries import (
    PublishedEntry,
    entries_of,
    entry_by_hash,
    marks_of,
    model_of,
)
from evaluation.queries.public import open_benchmark
from evaluation.views.freshness import at_rest, fresh_page
from evaluation.views.leaderboard import shown_of

Found = tuple[PublishedEntry | None, dict[str, object]]  # what is shown, and beside it


@require_safe
@at_rest
def model(request: HttpRequest, slug: str, model_slug: str) -> HttpResponse:
    """Show a model on a benchmark: its newest video entry in whole, and all that came before."""
    benchmark = open_benchmark(slug, request.user)
    contestant = model_of(model_slug)

    def found() -> Found:
        entries = entries_of(benchmark, contestant)
        standing = [entry for entry in entries if entry.replaced_by is None]
        newest = next((one for one in standing if one.condition == "video"), None)
        shown = newest or next(iter(standing), None)
        return shown, {"entries": entries, "histories": histories(entries)}

    return _page(request, benchmark, contestant, found, "evaluation/model.html")


@require_safe
@at_rest
def entry(request: HttpRequest, slug: str, prefix: str) -> HttpResponse:
    """Show one frozen entry under the beginning of its hash: the address that a paper cites."""
    benchmark = open_benchmark(slug, request.user)
    contestant, pk = entry_by_hash(benchmark, prefix)

    def found() -> Found:
        return next(one for one in entries_of(benchmark, contestant) if one.pk == pk), {}

    return _page(request, benchmark, contestant, found, "evaluation/entry.html")


def _page(
    request: HttpRequest,
    benchmark: Benchmark,
    contestant: Contestant,
    find: Callable[[], Found],
    template: str,
) -> HttpResponse:
    def make() -> HttpResponse:
        shown, context = find()
        found = {"benchmark": benchmark, "model": contestant, "shown": shown, **context}
        if shown:
            found |= _shown_context(request, benchmark, contestant, shown)
            found["judge"] = calibration_of(shown.figures.get("judge"), judges)
        return render(request, template, found | {"nav_active": "leaderboard"})

    judges = calibrations(benchmark.pk)
    about = (
        str(judges),
        contestant.name,
        contestant.organisation,
        contestant.open_weights,
        contestant.note,
        contestant.is_reference,
        contestant.is_human,
    )
    marks = marks_of(benchmark, contestant)
    seen = [marks, about, shown_of(benchmark)]
    return fresh_page(request, seen, make, lambda: marks_of(benchmark, contestant) == marks)


def _shown_context(
    request: HttpRequest, benchmark: Benchmark, contestant: Contestant, shown: PublishedEntry
) -> dict[str, object]:
    permalink = reverse("evaluation:entry", args=[benchmark.slug, shown.hash[:SHORT_HASH]])
    badge = reverse("evaluation:badge", args=[benchmark.slug, contestant.slug])
    address = request.build_absolute_uri(permalink)
    return {
        "cells": {kind: cell(shown.figures, kind) for kind in ("mcq", "free")},
        "tables": slice_tables(shown.figures),
        "permalink": permalink,
        "badge": badge,
        "badge_address": request.build_absolute_uri(badge),
        "page_address": request.build_absolute_uri(
            reverse("evaluation:model", args=[benchmark.slug, contestant.slug])
        ),
        "bibtex": entry_bibtex(benchmark, contestant, shown, address),
    }
