"""The lines of the queue: hundreds on a page, so they are joined here and not by a template,
which would take longer than all else that the page is made of."""

from collections.abc import Iterable

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from annotation.models import Benchmark
from annotation.queries.queue import Entry, Group

register = template.Library()
ICON = '<svg class="i{}" aria-hidden="true"><use href="#i-{}"/></svg>'
ENTRY = (
    '<li><a class="q{}" href="{}{}/{}" data-entry="{}"{}>'
    + ICON
    + '<span class="t clip">{}</span><span class="m">'
    '<span class="badge type" title="{}">{}</span><span>{}</span><span>{}</span>'
    '<span class="push {}" data-state-word>{}</span></span></a></li>\n'
)
GROUP = (
    '<div><button type="button" class="group" id="group-{0}" aria-expanded="{1}"'
    ' aria-controls="group-list-{0}" data-group="{0}" data-src="{2}{0}/{3}">'
    + ICON.format("", "right")
    + '<span class="clip">{4}</span><span class="push dimmer nowrap">'
    "<span data-group-done>{5}</span> / {6}</span></button>\n"
    '<ul id="group-list-{0}" aria-label="{4}"{7}>{8}</ul></div>\n'
)
HERE = SafeString(' aria-current="true"')
HIDDEN = SafeString(" hidden")


@register.simple_tag
def queue_entries(
    entries: Iterable[Entry], benchmark: Benchmark, query: str, here: int | None = None
) -> SafeString:
    """The lines of items; `query` keeps the filter, `here` is the item that is open."""
    base = reverse("annotation:review", args=[benchmark.slug, 0]).removesuffix("0/")
    rows = (
        (
            " done" if entry.is_done else "",
            *(base, entry.id, query, entry.id),
            HERE if entry.id == here else "",
            *(f" {entry.look.class_name}", entry.look.icon, entry.text),
            *(entry.type.title, entry.type.code, entry.name, entry.clock),
            *(entry.look.class_name, entry.look.word),
        )
        for entry in entries
    )
    return format_html_join("", ENTRY, rows)


@register.simple_tag
def queue_groups(
    groups: Iterable[Group], benchmark: Benchmark, query: str, here: int | None = None
) -> SafeString:
    """The videos of the queue, each with its lines where they are listed."""
    base = reverse("annotation:queue_group", args=[benchmark.slug, 0]).removesuffix("0/")
    made = [
        format_html(
            GROUP,
            group.video_id,
            "false" if group.entries is None else "true",
            *(base, query, group.title, group.done, group.total),
            HIDDEN if group.entries is None else "",
            queue_entries(group.entries, benchmark, query, here) if group.entries else "",
        )
        for group in groups
    ]
    return SafeString("".join(made))
