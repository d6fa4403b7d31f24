"""The public pages: home, leaderboard, its files, how ranks are made."""

import json
from collections import OrderedDict
from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from annotation.models import Benchmark, Release
from evaluation.board.columns import DEFAULT_SORT, View, column_choices
from evaluation.board.files import bibtex, board_csv, board_json
from evaluation.board.page import board_context, choices, judge_choices, people_of, rows_of
from evaluation.domain.judge_panel import Judge
from evaluation.queries.board import Board, board_of
from evaluation.queries.judge_standings import Calibrations, calibrations
from evaluation.queries.panels import members_of, panel_of
from evaluation.queries.public import open_benchmarks, open_releases, pick_release
from evaluation.views.freshness import at_rest, fresh_file, fresh_page

KEPT_TABLES = 128
_tables: OrderedDict[tuple[str, View, str], str] = OrderedDict()


@require_safe
@at_rest
def home(request: HttpRequest) -> HttpResponse:
    """List the open benchmarks; with just one go straight to its leaderboard."""
    benchmarks = open_benchmarks(request.user)
    if len(benchmarks) == 1:
        return redirect("evaluation:leaderboard", benchmarks[0].slug)
    context = {"benchmarks": benchmarks, "nav_active": "leaderboard"}
    shown = [(one.slug, one.name, one.description) for one in benchmarks]
    return fresh_page(request, shown, lambda: render(request, "evaluation/home.html", context))


@require_safe
def method(request: HttpRequest) -> HttpResponse:
    """Say how ranks are made."""
    return render(request, "evaluation/method.html", {"nav_active": "method"})


@require_safe
@at_rest
def leaderboard(request: HttpRequest, slug: str, tag: str = "") -> HttpResponse:
    """Show a release's leaderboard: the newest, `?release=`, or the permalink's `tag`."""
    benchmark, releases = open_releases(slug, request.user)
    release = pick_release(releases, tag or request.GET.get("release", ""))
    board, view, members = _board(request, release)
    judges: Calibrations = {}
    tags = [(one.pk, one.tag, one.hash, one.kept_mcq, one.kept_free) for one in releases]
    context = {
        "benchmark": benchmark,
        "releases": releases,
        "release": release,
        "view": view,
        "nav_active": "leaderboard",
    }
    if release and board:
        judges = calibrations(benchmark.pk)

    def make() -> HttpResponse:
        more: dict[str, object] = {}
        if release and board:
            more = _page_context(request, benchmark, release, board, view, judges)
            more["judge_choices"] = judge_choices(members)
        return render(request, "evaluation/leaderboard.html", context | more)

    seen = [board.key if board else "", view, members, *shown_of(benchmark), tags, str(judges)]
    return fresh_page(request, seen, make)


@require_safe
def leaderboard_json(request: HttpRequest, slug: str) -> HttpResponse:
    """The same view as JSON."""
    benchmark, release, board, view = _asked(request, slug)

    def make() -> HttpResponse:
        rows = [*rows_of(board, view), *people_of(board, view)] if board else []
        found = (
            board_json(benchmark, release, rows, condition=view.condition)
            if release
            else {"benchmark": benchmark.slug, "release": None, "entries": []}
        )
        text = json.dumps(found, indent=1, ensure_ascii=False)
        return HttpResponse(text, content_type="application/json")

    return fresh_file(request, [board.key if board else "", view, "json"], make)


@require_safe
def leaderboard_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same view as CSV."""
    benchmark, release, board, view = _asked(request, slug)

    def make() -> HttpResponse:
        rows = [*rows_of(board, view), *people_of(board, view)] if board else []
        name = f"{benchmark.slug}-{release.tag if release else 'empty'}-{view.condition}.csv"
        return HttpResponse(
            board_csv(rows),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return fresh_file(request, [board.key if board else "", view, "csv"], make)


def shown_of(benchmark: Benchmark) -> tuple[str, ...]:
    """Return what the page shows of the benchmark itself."""
    return benchmark.name, benchmark.description, benchmark.citation, benchmark.attribution


def _asked(request: HttpRequest, slug: str) -> tuple[Benchmark, Release | None, Board | None, View]:
    benchmark, releases = open_releases(slug, request.user)
    release = pick_release(releases, request.GET.get("release", ""))
    board, view, _ = _board(request, release)
    return benchmark, release, board, view


def _board(request: HttpRequest, release: Release | None) -> tuple[Board | None, View, list[Judge]]:
    """Return the board that was asked for, the view on it, and the members of the panel of
    judges; without a panel free responses stand by each row's own judge."""
    view = View.read(request.GET)
    if release is None:
        return None, replace(view, judge=""), []
    panel = panel_of(release, view.judge) if view.judge else None
    view = replace(view, judge=panel.rule.value if panel else "")
    return board_of(release, panel), view, members_of(release)


def _page_context(
    request: HttpRequest,
    benchmark: Benchmark,
    release: Release,
    board: Board,
    view: View,
    judges: Calibrations,
) -> dict[str, object]:
    permalink = reverse("evaluation:leaderboard_release", args=[benchmark.slug, release.tag])
    return {
        "choices": choices(board, view),
        "table": _table(board, view, judges),
        "permalink": permalink + view.query(),
        "embed_address": request.build_absolute_uri(
            reverse("evaluation:embed", args=[benchmark.slug]) + view.query(sort=DEFAULT_SORT)
        ),
        "column_choices": column_choices(view),
        "files_query": view.query(release=release.tag),
        "bibtex": bibtex(benchmark, release, request.build_absolute_uri(permalink)),
    }


def _table(board: Board, view: View, judges: Calibrations) -> SafeString:
    """Render table and cards once for a board, a view and how the judges stand; they depend on
    nothing else."""
    key = (board.key, view, str(judges))
    html = _tables.get(key)
    if html is None:
        context = board_context(board, view, judges) | {"view": view}
        html = render_to_string("evaluation/_board.html", context)
        _tables[key] = html
        while len(_tables) > KEPT_TABLES:
            _tables.popitem(last=False)
    return mark_safe(html)  # noqa: S308 - the output of a template that escapes
