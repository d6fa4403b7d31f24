"""Lines that are joined in Python and not by a template escape what they show all the same."""

from annotation.domain.question_texts import type_label
from annotation.models import Benchmark, Item, Video
from annotation.queries.find import Found
from annotation.queries.queue import Entry, Group
from annotation.templatetags.found_rows import found_rows
from annotation.templatetags.queue_list import queue_entries, queue_groups

HOSTILE = "\"><script>alert(1)</script>{0}{x}'&"
BENCH = Benchmark(slug="b")


def entry(**fields) -> Entry:
    said = {"id": 7, "kind": "mcq", "number": 1, "text": HOSTILE, "start": 71.0, "state": "kept"}
    return Entry(type=type_label(HOSTILE), **said | fields)


def test_a_group_shows_its_lines_escaped_and_keeps_the_filter():
    shown = [Group(3, HOSTILE, 1, 2, [entry()]), Group(4, "Closed", 0, 5)]
    html = queue_groups(shown, BENCH, "?show=todo&q=<b>", 7)
    assert "<script>" not in html and "<b>" not in html
    assert 'href="/b/b/review/7/?show=todo&amp;q=&lt;b&gt;"' in html
    assert 'data-src="/b/b/review/videos/4/?show=todo&amp;q=&lt;b&gt;"' in html
    assert html.count('aria-current="true"') == 1
    assert html.count(" hidden>") == 1 and html.count('aria-expanded="true"') == 1
    assert 'class="q done"' in html and "{0}{x}" in html


def test_no_line_is_the_open_one_elsewhere():
    html = queue_entries([entry(state="todo")], BENCH, "")
    assert "aria-current" not in html and 'class="q"' in html


def test_rows_found_show_what_is_settled_to_adjudicators_alone():
    video = Video(title=HOSTILE, category=HOSTILE)
    row = Found(entry(), Item(pk=7, video=video, state="kept", keep_source="votes"), 2.25)
    plain, full = (found_rows([row], BENCH, picks=picks) for picks in (False, True))
    for html in (plain, full):
        assert "<script>" not in html and 'href="/b/b/review/7/"' in html and "2.3 s" in html
    assert "settled" not in plain and "bulk-form" not in plain
    assert 'value="7" form="bulk-form"' in full and "by votes" in full
