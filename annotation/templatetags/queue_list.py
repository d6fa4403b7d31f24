"""The lines of the queue: hundreds on a page, so they are joined here and not by a template,
which would take longer than all else that the page is made of."""

from collections.abc import Iterable
from functools import cache, lru_cache

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from annotation.domain.question_texts import TypeLabel
from annotation.models import Benchmark
from annotation.queries.queue import DONE, LOOKS, Entry, Group

register = template.Library()
ICON = '<svg class="i{}" aria-hidden="true"><use href="#i-{}"/></svg>'
# What a state says is filled in once a process, the rest in each line.
ENTRY = (
    '<li><a class="q{done}" href="{{}}{{}}/{{}}" data-entry="{{}}"{{}}>'
    + ICON.format(" {look.class_name}", "{look.icon}")
    + '<span class="t clip">{{}}</span><span class="m">{{}}<span>{{}}</span><span>{{}}</span>'
    '<span class="push {look.class_name}" data-state-word>{look.word}</span></span></a></li>\n'
)
BADGE = '<span class="badge type" title="{}">{}</span>'
GROUP = (
    '<div><button type="button" class="group" id="group-{0}" aria-expanded="{1}"'
    ' aria-controls="group-list-{0}" data-group="{0}" data-src="{2}{0}/{3}">'
    + ICON.format("", "right")
    + '<span class="clip">{4}</span><span class="push dimmer nowrap">'
    "<span data-group-done>{5}</span> / {6}</span></button>\n"
    '<ul id="group-list-{0}" aria-label="{4}"{7}>{8}</ul></div>\n'
)
NOTHING = SafeString("")
HERE = SafeString(' aria-current="true"')
CLOSED, OPEN = SafeString("false"), SafeString("true")
HIDDEN = SafeString(" hidden")


@cache
def line_of(state: str) -> str:
    """The line of an item in a state, with places for what is its own."""
    return ENTRY.format(look=LOOKS[state], done=" done" if state in DONE else "")


@lru_cache(maxsize=256)
def badge(label: TypeLabel) -> SafeString:
    return format_html(BADGE, label.title, label.code)


@register.simple_tag
def queue_entries(
    entries: Iterable[Entry], benchmark: Benchmark, query: str, here: int | None = None
) -> SafeString:
    """The lines of items; `query` keeps the filter, `here` is the item that is open."""
    base = reverse("annotation:review", args=[benchmark.slug, 0]).removesuffix("0/")
    shown = conditional_escape(base), conditional_escape(query)
    return SafeString("".join([entry_line(entry, *shown, here) for entry in entries]))


def entry_line(entry: Entry, base: SafeString, query: SafeString, here: int | None) -> SafeString:
    """The line of one item; numbers need no escaping, which takes longer than all else here."""
    number = SafeString(entry.id)
    return format_html(
        line_of(entry.state),
        *(base, number, query, number),
        HERE if entry.id == here else NOTHING,
        *(entry.text, badge(entry.type), entry.name, SafeString(entry.clock)),
    )


@register.simple_tag
def queue_groups(
    groups: Iterable[Group], benchmark: Benchmark, query: str, here: int | None = None
) -> SafeString:
    """The videos of the queue, each with its lines where they are listed."""
    base = reverse("annotation:queue_group", args=[benchmark.slug, 0]).removesuffix("0/")
    shown = conditional_escape(base), conditional_escape(query)
    made = [
        format_html(
            GROUP,
            SafeString(group.video_id),
            CLOSED if group.entries is None else OPEN,
            *(*shown, group.title, SafeString(group.done), SafeString(group.total)),
            HIDDEN if group.entries is None else NOTHING,
            queue_entries(group.entries, benchmark, query, here) if group.entries else NOTHING,
        )
        for group in groups
    ]
    return SafeString("".join(made))
