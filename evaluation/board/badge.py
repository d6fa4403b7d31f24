"""A model's standing as a small SVG picture for a README: its words, its interval, its rank."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from annotation.models import Benchmark
from evaluation.board.figure_text import points_text, rank_text, share_text
from evaluation.queries.board import Row

LETTER = 6.6  # pixels; the mean width of a letter of 11 px sans serif
PAD = 8
HEIGHT = 20
LONGEST = 60  # letters a half


def badge(benchmark: Benchmark, tag: str, row: Row | None, *, ranked: int) -> SafeString:
    """Return the picture; `ranked` models stand in the ranking. Without a `row` it says that
    nothing is published."""
    left = f"{benchmark.name} {tag}".strip()[:LONGEST]
    right = standing_words(row, ranked)[:LONGEST] if row else "no published entry"
    first, second = (round(2 * PAD + LETTER * len(text)) for text in (left, right))
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}"'
        ' role="img" aria-label="{2}: {3}"><title>{2}: {3}</title>'
        '<rect width="{0}" height="{1}" rx="3" fill="#12161a"/>'
        '<path d="M{4} 0h{5}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{5}z" fill="#0a5c87"/>'
        '<g font-family="Verdana,DejaVu Sans,Arial,sans-serif" font-size="11"'
        ' text-anchor="middle" fill="#fff">'
        '<text x="{6}" y="14" textLength="{7}">{2}</text>'
        '<text x="{8}" y="14" textLength="{9}">{3}</text></g></svg>',
        first + second,
        HEIGHT,
        left,
        right,
        first,
        second - 3,
        first / 2,
        first - 2 * PAD,
        first + second / 2,
        second - 2 * PAD,
    )


def standing_words(row: Row, ranked: int) -> str:
    """Return "rank 1–2 of 4, MCQ 66.3 % (60.0–72.5)"; free response where there is no MCQ."""
    parts = [f"rank {rank_text(row.rank)} of {ranked}"] if row.rank else []
    for kind, name, text, unit in (
        ("mcq", "MCQ", share_text, " %"),
        ("free", "free", points_text, " of 2"),
    ):
        if row.share(kind) is not None:
            figures = row.figures[kind]
            low, high = figures["ci"] or (None, None)
            span = f" ({text(low)}–{text(high)})" if figures["ci"] else ""
            parts.append(f"{name} {text(figures['mean'])}{unit}{span}")
            break
    if row.head.provisional:
        parts.append("provisional")
    return ", ".join(parts) or "no figure"
