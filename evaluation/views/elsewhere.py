"""What other sites may show of a leaderboard: a table in a frame, and a badge."""

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from evaluation.board.badge import badge as drawn_badge
from evaluation.board.columns import View, types_of
from evaluation.board.note import short_names
from evaluation.board.page import rows_of
from evaluation.board.table import table_rows
from evaluation.models.run import ON_BOARD, Condition, condition_label
from evaluation.queries.board import board_of
from evaluation.queries.model_entries import model_of
from evaluation.queries.public import open_benchmark, pick_release, releases_of
from evaluation.views.freshness import fresh_file

MOST_ROWS = 100
ROWS = 20
THEMES = ("dark", "light")
FRAMED = {"frame-ancestors": ["*"], "script-src": ["'none'"], "frame-src": ["'none'"]}


@require_safe
@xframe_options_exempt
@csp_replace(FRAMED)  # type: ignore[arg-type]  # its types know no view with a path
def embed(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the ranked rows of a release in a frame of any site: no script, no cookie, no form.

    `?release=`, `?condition=`, `?rows=` (1 to 100) and `?theme=` (dark or light; else the
    reader's system decides).
    """
    benchmark = open_benchmark(slug, request.user)
    release = pick_release(releases_of(benchmark), request.GET.get("release", ""))
    board = board_of(release) if release else None
    view = View.read(request.GET)
    theme = request.GET.get("theme", "")

    def make() -> HttpResponse:
        rows = rows_of(board, view) if board else []
        ranked = [row for row in rows if row.head.condition == _condition(view.condition)]
        ranked = [row for row in ranked if not row.head.reference][: _asked_rows(request)]
        types = {kind: short_names(types_of(ranked, kind)) for kind in ("mcq", "free")}
        context = {
            "benchmark": benchmark,
            "release": release,
            "condition": condition_label(_condition(view.condition)),
            "rows": table_rows(ranked, _condition(view.condition), types),
            "theme": theme if theme in THEMES else "",
        }
        return render(request, "evaluation/embed.html", context)

    return fresh_file(request, [board.key if board else "", view, benchmark.name], make)


@require_safe
def badge(request: HttpRequest, slug: str, model_slug: str) -> HttpResponse:
    """Draw a model's standing; `?release=` and `?condition=` as on the leaderboard."""
    benchmark = open_benchmark(slug, request.user)
    model = model_of(model_slug)
    release = pick_release(releases_of(benchmark), request.GET.get("release", ""))
    board = board_of(release) if release else None
    condition = _condition(View.read(request.GET).condition)
    under = [row for row in (board.rows if board else ()) if row.head.condition == condition]
    own = next((row for row in under if row.head.model_id == model.pk), None)
    ranked = sum(row.rank is not None for row in under)

    def make() -> HttpResponse:
        drawn = drawn_badge(benchmark, release.tag if release else "", own, ranked=ranked)
        return HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")

    return fresh_file(request, [board.key if board else "", benchmark.name, condition], make)


def _condition(asked: str) -> str:
    """A gain is no condition of a run: its models are those that saw the video."""
    return asked if asked in ON_BOARD else str(Condition.VIDEO)


def _asked_rows(request: HttpRequest) -> int:
    asked = request.GET.get("rows", "")
    if not (asked.isascii() and asked.isdigit() and len(asked) <= 4):
        return ROWS
    return min(max(int(asked), 1), MOST_ROWS)
