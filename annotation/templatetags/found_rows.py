"""The rows of items found: fifty on a page, joined here since a template would take longer than
the search."""

from collections.abc import Iterator

from django import template
from django.template.defaultfilters import floatformat, truncatechars
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Benchmark
from annotation.queries.find import Found
from annotation.templatetags.queue_list import ICON

register = template.Library()
SHOWN = 120  # characters of a question
ROW = (
    "<tr data-row>{}"
    '<td class="nowrap">{}</td>'
    '<td class="says"><a href="{}{}/" data-open>{}</a></td>'
    '<td class="nowrap"><span class="badge type" title="{}">{}</span></td>'
    "<td>{}{}</td>"
    '<td class="num nowrap">{}, {} s</td>'
    '<td class="nowrap"><span class="state {}">' + ICON + "{}</span></td>{}</tr>\n"
)
PICK = (
    '<td class="pick"><input type="checkbox" name="item" value="{}" form="bulk-form"'
    ' aria-label="Select {} of {}"></td>'
)
SETTLED = '<td class="nowrap settled">{}{}</td>'
ASIDE = ' <span class="small dim">{}</span>'


@register.simple_tag
def found_rows(rows: list[Found], benchmark: Benchmark, *, picks: bool) -> SafeString:
    """The rows; with `picks` those of an adjudicator, who selects them and sees what is settled."""
    base = reverse("annotation:review", args=[benchmark.slug, 0]).removesuffix("0/")
    return format_html_join("", ROW, (tuple(cells(row, base, picks=picks)) for row in rows))


def cells(row: Found, base: str, *, picks: bool) -> Iterator[object]:
    entry, item = row.entry, row.item
    yield format_html(PICK, entry.id, entry.name, item.video.title) if picks else ""
    yield from (entry.name, base, entry.id, truncatechars(entry.text, SHOWN))
    yield from (entry.type.title, entry.type.code, item.video.title)
    yield format_html(ASIDE, item.video.category) if item.video.category else ""
    yield from (entry.clock, floatformat(row.length, 1), entry.look.class_name)
    yield from ("", entry.look.icon, entry.look.word)
    yield settled(row) if picks else ""


def settled(row: Found) -> SafeString:
    source = row.item.get_keep_source_display().lower() if row.item.keep_source else ""
    by = format_html(ASIDE, f"by {source}") if source else ""
    return format_html(SETTLED, row.item.get_state_display(), by)
