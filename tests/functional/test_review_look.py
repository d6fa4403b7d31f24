"""The review workspace for everybody: accessible, in both themes, at each width."""

import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
WIDTHS = [(1440, 900), (1280, 800), (1024, 768), (390, 844)]


@pytest.fixture
def items(transactional_db):
    bench = factories.benchmark(name="Abdominal sweep")
    source = factories.source(bench, width=1920, height=1080)
    title = "A title that is much longer than its column is wide"
    video = factories.video(bench, of=source, title=title)
    for _ in range(12):
        factories.event(video)
    long = "supercalifragilistic" * 8
    return [factories.mcq_item(video, options=(long, "Rotate.")), factories.free_item(video)]


@pytest.fixture
def show(page: Page, live_server, sign_in, reviewer, items):
    sign_in(reviewer)

    def go(item, theme="dark", size=(1440, 900)):
        reviewer.theme = theme
        reviewer.save()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
        expect(page.locator("[data-saved]")).to_contain_text("All saved")

    return go


def faults(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def both_vote(item, *readers):
    for place, reader in enumerate(readers):
        cast_vote(
            review_id=uuid.uuid4(),
            item_id=item.pk,
            version_number=1,
            verdict="drop" if place else "keep",
            reasons=[1] if place else [],
            by=reader,
        )


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_before_and_after_the_vote(page: Page, show, items, theme, reviewer, reviewer_2):
    show(items[0], theme)
    assert faults(page) == []
    both_vote(items[0], reviewer, reviewer_2)
    show(items[0], theme)
    expect(page.locator("[data-evidence]")).to_contain_text("Models")
    assert faults(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_while_editing_with_the_keys_open_and_on_a_small_screen(
    page: Page, show, items, theme
):
    show(items[0], theme)
    page.keyboard.press("e")
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+?")
    assert faults(page) == []
    show(items[1], theme, (390, 844))
    assert faults(page) == []
    page.locator("[data-queue-open]").click()
    assert faults(page) == []


@pytest.mark.parametrize("size", WIDTHS)
def test_nothing_is_wider_than_the_screen(page: Page, show, items, size, reviewer, reviewer_2):
    for item in items:
        show(item, size=size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert overflowing(page) == []
    both_vote(items[0], reviewer, reviewer_2)
    show(items[0], size=size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert overflowing(page) == []


@pytest.mark.parametrize("role", ["reviewer", "maintainer"])
def test_the_bar_shows_the_counts_where_they_fit_and_the_account_at_any_width(
    page: Page, show, items, reviewer, role
):
    reviewer.role = role  # a maintainer has one page more
    show(items[0])
    for width in (1440, 1320, 1240, 1081, 1080, 1024, 1021, 1020, 921, 920, 761, 760, 500, 390):
        page.set_viewport_size({"width": width, "height": 800})
        counts = page.locator("[data-tally]")
        assert counts.count() == 2
        for one in counts.all():
            expect(one).to_be_visible(visible=width > 1020)
        avatar = page.locator(".top .avatar").bounding_box()
        assert avatar["x"] + avatar["width"] <= width, width


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_the_vote_is_at_hand_without_scrolling(page: Page, show, items, size):
    show(items[0], size=size)
    for verdict in ("Keep", "Drop", "Unsure", "Skip"):
        button = page.locator("[data-decide] .vote").filter(has_text=verdict)
        box = button.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= size[1]
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    bar = page.locator("[data-decide]").bounding_box()
    last = page.locator("#item .sealed").bounding_box()
    assert last["y"] + last["height"] <= bar["y"]


def test_clip_and_question_are_seen_together_on_a_tablet(page: Page, show, items):
    show(items[0], size=(1024, 768))
    for part in (".player", "#item .opts", "[data-decide]"):
        box = page.locator(part).first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 768, part


def test_a_drop_and_a_moved_window_fit_their_rows(page: Page, show, items, reviewer):
    edit_item(
        item_id=items[0].pk,
        base_version=1,
        changes={"start": 1.25, "end": 3.75},
        reason="window",
        by=reviewer,
    )
    show(items[0])
    page.keyboard.press("x")
    page.keyboard.press("3")
    expect(page.locator(".vote.drop")).to_contain_text("Dropped")
    for size in WIDTHS:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert leaving(page, ".decide > .votes", ".vote") == []
        assert leaving(page, ".vote", "*") == []
        assert leaving(page, ".facts dd", "*") == []
        assert leaving(page, ".decide", ".votes") == []
        assert leaving(page, "#item", ".vote, .facts *") == []


def leaving(page: Page, room: str, inside: str) -> list[str]:
    """What stands outside the room that it is in."""
    return page.evaluate(
        """([room, inside]) => [...document.querySelectorAll(room)].flatMap((outer) => {
             const edge = outer.getBoundingClientRect().right + 1;
             return [...outer.querySelectorAll(inside)]
               .filter((one) => one.getBoundingClientRect().right > edge && !one.closest('.clip'))
               .map((one) => one.outerHTML.slice(0, 120));
           })""",
        [room, inside],
    )


def overflowing(page: Page) -> list[str]:
    """What is seen of the item column stays inside it."""
    return page.evaluate(
        """() => {
             const column = document.querySelector('.item').getBoundingClientRect();
             return [...document.querySelectorAll('.item *')].filter((one) => {
               const box = one.getBoundingClientRect();
               return box.width && box.right > column.right + 1 && !one.closest('.vh');
             }).map((one) => one.outerHTML.slice(0, 120));
           }"""
    )


def test_controls_are_large_enough_to_touch(page: Page, show, items):
    show(items[0], size=(390, 844))
    for button in page.locator(".vote").all():
        assert button.bounding_box()["height"] >= 44
    small = page.evaluate(
        """() => [...document.querySelectorAll('.item button, .item a, .rail a')]
             .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
             .filter(([, box]) => box.width && (box.height < 20 || box.width < 20))
             .map(([html]) => html)"""
    )
    assert small == []


def test_no_page_flashes_white(page: Page, show, items):
    """The theme is in the first bytes of the page, before any script runs."""
    show(items[0])
    html = page.request.get(page.url).text()
    assert html.index('data-theme="dark"') < html.index("<script")
    assert html.index("color-scheme") < html.index("stylesheet")
