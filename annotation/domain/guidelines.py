"""Guidelines: Markdown of a maintainer, as HTML that is safe to show.

Two walls: markdown-it writes no raw HTML and no script links, and nh3 lets through what is
named here and nothing else.
"""

import nh3
from markdown_it import MarkdownIt

LIMIT = 50_000  # characters
TEXT_TAGS = {"p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "a", "strong", "em", "s", "del", "code"}
BLOCK_TAGS = {"pre", "blockquote", "ul", "ol", "li"}
TABLE_TAGS = {"table", "thead", "tbody", "tr", "th", "td"}
SCHEMES = {"http", "https", "mailto"}


def as_html(markdown: str) -> str:
    """Return `markdown` as HTML; headings begin at the second level, pictures are left out.

    Raises ValueError where it is longer than LIMIT.
    """
    if len(markdown) > LIMIT:
        raise ValueError(f"guidelines have at most {LIMIT} characters")
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    parser.enable(["table", "strikethrough"]).disable("image")
    tokens = parser.parse(markdown)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    html = parser.renderer.render(tokens, parser.options, {})
    return nh3.clean(
        html,
        tags=TEXT_TAGS | BLOCK_TAGS | TABLE_TAGS,
        attributes={"*": set(), "a": {"href"}},
        url_schemes=SCHEMES,
        link_rel="noopener noreferrer",
    )
