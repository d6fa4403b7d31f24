"""Finding items and doing something to many of them, by keyboard alone, in both themes."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.models import Item, SavedFilter
from tests import factories
from tests.functional.rest import at_rest
from tests.unit.annotation.queries.voting import vote

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@pytest.fixture
def bench(transactional_db):
    bench = factories.benchmark()
    video = factories.video(bench, category="Vascular", title="Aorta, long axis")
    for place in range(6):
        stem = "Where is the stone?" if place % 2 else "What does the operator do next?"
        factories.mcq_item(video, stem=stem, window=(5.0 + place, 15.0))
    return bench


def faults(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def both_themes(page: Page) -> list[str]:
    found = []
    for theme in ("dark", "light"):
        page.evaluate("(name) => document.documentElement.setAttribute('data-theme', name)", theme)
        found += faults(page)
    return found


def shown(page: Page, text: str) -> None:
    """Wait for the page that says so, and for its keys."""
    expect(page.get_by_text(text, exact=True)).to_be_visible()
    page.wait_for_load_state("load")


def states() -> list[str]:
    return list(Item.objects.order_by("position").values_list("state", flat=True))


def test_from_the_search_to_the_undo_by_keyboard(
    page: Page, live_server, bench, sign_in, adjudicator
):
    sign_in(adjudicator)
    page.goto(f"{live_server.url}/b/{bench.slug}/items/")
    shown(page, "6 items")
    page.keyboard.press("/")
    page.keyboard.type("stone")
    page.keyboard.press("Enter")
    shown(page, "3 items")

    page.keyboard.press("y")
    page.keyboard.type("Stones")
    page.keyboard.press("Enter")
    shown(page, "Kept as “Stones”.")
    assert SavedFilter.objects.get().query == "q=stone"
    expect(page.get_by_role("link", name="Stones", exact=True)).to_have_attribute(
        "aria-current", "true"
    )

    page.keyboard.press("n")
    page.keyboard.press("x")
    page.keyboard.press("Shift+ArrowDown")
    expect(page.locator("[data-picked]")).to_have_text("2 selected")
    assert both_themes(page) == []
    page.keyboard.press("d")
    page.keyboard.type("Drop")
    page.keyboard.press("Tab")
    page.keyboard.type("Asked twice.")
    page.keyboard.press("Enter")
    expect(page.locator(".bulk-count")).to_have_text("2 items.")
    page.wait_for_load_state("load")
    assert states() == ["todo"] * 6
    assert both_themes(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Applied", exact=True)).to_be_visible()
    assert states() == ["todo", "dropped", "todo", "dropped", "todo", "todo"]

    page.goto(f"{live_server.url}/b/{bench.slug}/items/")
    page.keyboard.press("z")
    expect(page.get_by_role("heading", name="Taken back", exact=True)).to_be_visible()
    assert states() == ["todo"] * 6


def test_all_that_match_and_a_phone(page: Page, live_server, bench, sign_in, adjudicator):
    sign_in(adjudicator)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/b/{bench.slug}/items/?q=operator")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.keyboard.press("Shift+a")
    expect(page.locator("[data-picked]")).to_have_text("All 3 selected")
    page.locator("#bulk-kind").select_option("category")
    page.locator("#bulk-category").fill("Abdomen")
    page.get_by_label("Why, or the question").fill("Wrong shelf.")
    assert both_themes(page) == []
    page.get_by_role("button", name="Count first").click()
    expect(page.locator(".bulk-count")).to_have_text("1 video with 6 items.")
    page.get_by_role("button", name="Apply to 1 video").click()
    expect(page.get_by_role("heading", name="Applied", exact=True)).to_be_visible()
    assert bench.videos.get().category == "Abdomen"
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_rows_pages_and_a_reader_without_a_selection(
    page: Page, live_server, bench, sign_in, reviewer
):
    video = bench.videos.get()
    for _ in range(50):
        factories.free_item(video)
    sign_in(reviewer)
    page.goto(f"{live_server.url}/b/{bench.slug}/items/")
    expect(page.locator("[data-row]")).to_have_count(50)
    expect(page.locator("#bulk-form")).to_have_count(0)
    page.keyboard.press("]")
    shown(page, "51 to 56")
    page.keyboard.press("[")
    shown(page, "1 to 50")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/review/{Item.objects.order_by('position')[1].pk}/**")


def test_the_last_decisions_are_one_key_away(page: Page, live_server, bench, sign_in, reviewer):
    first, second = bench.items.order_by("position")[:2]
    vote(first, reviewer, "keep")
    vote(second, reviewer, "drop")
    sign_in(reviewer)
    page.goto(f"{live_server.url}/b/{bench.slug}/items/")
    page.keyboard.press("h")
    expect(page.locator("[data-undo-entry]")).to_have_count(2)
    assert both_themes(page) == []
    page.keyboard.press("2")
    expect(page.locator("[data-undo-entry]")).to_have_count(1)
    expect(page.get_by_text("Taken back.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-row] .st-dropped")).to_have_count(1)
    expect(page.locator("[data-row] .st-kept")).to_have_count(0)
    assert states()[:2] == ["todo", "dropped"]
