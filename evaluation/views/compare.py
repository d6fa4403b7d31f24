"""Two published entries side by side: aggregates and examples for everybody, all items for
maintainers."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe

from annotation.models import Benchmark, Release
from annotation.permissions import Verb, has_permission
from evaluation.board.compare import (
    CompareView,
    asked_run,
    comparison_csv,
    items_context,
    kind_card,
    name_of,
)
from evaluation.board.examples import examples_of
from evaluation.domain.comparing import KINDS, NotComparable
from evaluation.models.run import Condition
from evaluation.queries.board import Board, Head, board_of
from evaluation.queries.comparison import compare_entries
from evaluation.queries.public import open_benchmark, pick_release, releases_of
from evaluation.views.freshness import at_rest, fresh_file, fresh_page
from evaluation.views.leaderboard import shown_of


@require_safe
@at_rest
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare `?a=` and `?b=`, numbers of runs with published entries; default the two best."""
    benchmark, release, board, heads, pair = _asked(request, slug)
    may_see = has_permission(request.user, Verb.SEE_RUNS)
    examples = examples_of(release, pair) if release and pair and not may_see else []
    context = {
        "benchmark": benchmark,
        "release": release,
        "heads": [(head.run_id, name_of(head), _mark(head)) for head in heads],
        "examples": examples,
        "nav_active": "compare",
    }

    def make() -> HttpResponse:
        more = _context(request, release, pair, may_see=may_see) if release and pair else {}
        return render(request, "evaluation/compare.html", context | more)

    if may_see:
        response = make()
        add_never_cache_headers(response)
        return response
    seen = [board.key if board else "", *shown_of(benchmark), examples]
    return fresh_page(request, seen, make)


@require_safe
def compare_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The differences as CSV."""
    benchmark, release, _, _, pair = _asked(request, slug)
    if release is None or pair is None:
        raise Http404("There is nothing to compare.")
    a, b = pair
    try:
        found = compare_entries(release, a, b)
    except NotComparable as error:
        raise Http404(str(error)) from None
    name = f"{benchmark.slug}-{release.tag}-{a.run_id}-{b.run_id}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    may_see = has_permission(request.user, Verb.SEE_RUNS)
    text = comparison_csv(found, a, b, single_items=may_see)
    kind = "text/csv; charset=utf-8"
    return fresh_file(
        request, [a.hash, b.hash], lambda: HttpResponse(text, content_type=kind, headers=headers)
    )


Pair = tuple[Head, Head]


def _mark(head: Head) -> str:
    return "people" if head.human else "reference" if head.reference else ""


def _asked(
    request: HttpRequest, slug: str
) -> tuple[Benchmark, Release | None, Board | None, list[Head], Pair | None]:
    benchmark = open_benchmark(slug, request.user)
    release = pick_release(releases_of(benchmark), request.GET.get("release", ""))
    if release is None:
        return benchmark, None, None, [], None
    board = board_of(release)
    rows = board.rows
    best = [row.head for row in board.of(Condition.VIDEO) if not row.head.reference]
    heads = sorted((row.head for row in rows), key=lambda h: (h.reference, name_of(h).casefold()))
    runs = {head.run_id: head for head in heads}
    chosen = []
    for name in ("a", "b"):
        wanted = asked_run(request.GET.get(name, ""))
        if wanted is None or (wanted and wanted not in runs):
            raise Http404("No such entry is published on this release.")
        chosen.append(runs.get(wanted))
    rest = iter([head for head in dict.fromkeys((*best, *heads)) if head not in chosen])
    a, b = (head or next(rest, None) for head in chosen)
    return benchmark, release, board, heads, (a, b) if a and b else None


def _context(request: HttpRequest, release: Release, pair: Pair, *, may_see: bool) -> dict:
    a, b = pair
    tag = request.GET.get("release", "") and release.tag
    view = CompareView.read(request.GET, release=tag, a=a.run_id, b=b.run_id)
    found: dict[str, Any] = {"a": a, "b": b, "name_a": name_of(a), "name_b": name_of(b)}
    found |= {"view": view, "swapped": view.query(a=view.b, b=view.a, item=0, page=1)}
    found["permalink"] = CompareView(a.run_id, b.run_id, release.tag).query()
    try:
        comparison = compare_entries(release, a, b)
    except NotComparable as error:
        return found | {"not_comparable": str(error)}
    cards = [kind_card(comparison, kind, single_items=may_see) for kind in KINDS]
    found["cards"] = [card for card in cards if card]
    found["answered"] = comparison.answered
    if may_see and found["cards"]:
        if view.kind not in comparison.differences:
            view = CompareView.read(
                {**request.GET.dict(), "kind": found["cards"][0]["kind"]},
                release=tag,
                a=a.run_id,
                b=b.run_id,
            )
        found |= {"view": view, **items_context(comparison, view, pair)}
        for card in found["cards"]:
            card["links"] = [
                (*quadrant, view.query(kind=card["kind"], show=quadrant[0], page=1, item=0))
                for quadrant in card["quadrants"]
            ]
    return found
