"""Guidelines: Markdown comes out as text to read, and as nothing that acts."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.guidelines import LIMIT, as_html

ALLOWED = re.compile(
    r"<(?:/?(?:p|h[2-6]|strong|em|s|del|code|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td)"
    r'|br|hr|a(?: href="(?:https?|mailto):[^"<>]*")?(?: rel="noopener noreferrer")?|/a)>'
)
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt&#58;alert(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "![a](https://example.org/pixel.png)",
    "<a href='https://example.org' onclick='x()'>a</a>",
    "[a](https://example.org 'onmouseover=alert(1)')",
    "```\n</code><script>x</script>\n```",
    "<svg/onload=x>",
    "<style>*{display:none}</style>",
    "[a]: javascript:x\n[a]",
    "<javascript:alert(1)>",
    "&lt;script&gt;",
    "<iframe src='https://example.org'>",
]


@pytest.mark.parametrize("markdown", HOSTILE)
def test_hostile_markdown_comes_out_as_text(markdown):
    left = ALLOWED.sub("", as_html(markdown))
    assert "<" not in left and ">" not in left


@given(st.text(alphabet="<>/a[]()!\"'`*_#|- \n:;&=javscript", max_size=120))
def test_no_text_makes_another_tag(markdown):
    left = ALLOWED.sub("", as_html(markdown))
    assert "<" not in left and ">" not in left


def test_what_guidelines_are_made_of():
    html = as_html("# How\n\nKeep **only**:\n\n1. one\n2. two\n\n[x](https://example.org)\n")
    assert "<h2>How</h2>" in html and "<strong>only</strong>" in html
    assert "<ol>" in html and html.count("<li>") == 2
    assert 'href="https://example.org"' in html and "noopener" in html
    table = as_html("| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "<th>a</th>" in table and "<td>2</td>" in table
    assert as_html("") == ""


def test_too_long_and_deeply_nested():
    with pytest.raises(ValueError, match="at most"):
        as_html("x" * (LIMIT + 1))
    assert as_html(">" * 20_000 + "x")
    assert as_html("[" * 20_000)
