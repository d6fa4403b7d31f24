"""The benchmark, adjudication and release pages in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.actions.releases import make_release
from annotation.models import Item
from tests import factories
from tests.functional.rest import at_rest
from tests.unit.annotation.queries.voting import move_box, move_window, vote

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
WIDTHS = [(1440, 900), (1024, 768), (390, 844)]
PAGES = ["", "adjudication/", "releases/compare/?from=r1&show=out", "releases/compare/?from=r1"]


@pytest.fixture
def bench(transactional_db, reviewer, reviewer_2, adjudicator):
    """Four items to settle on four sources, and a release before the votes."""
    made = factories.benchmark(name="Abdominal sweep, a name that goes on for quite a while")
    items = []
    for place in range(4):
        source = factories.source(made, state=["ok", "removed", "blocked", "embedding_off"][place])
        video = factories.video(made, of=source, category=f"Category {place} with a long name")
        items.append(factories.kept(factories.mcq_item(video, stem=f"Question {place}? " * 8)))
        factories.kept(factories.free_item(video, window=(40, 60.4)))
    make_release(benchmark=made, tag="r1", notes="As imported.", by=adjudicator)
    move_window(items[0], reviewer, 5, 10)
    move_window(items[0], reviewer_2, 9, 15)
    move_box(items[1], reviewer, 0, 0, 0.5, 0.5)
    move_box(items[1], reviewer_2, 0.2, 0.2, 0.5, 0.5)
    for item in items:
        vote(item, reviewer, "keep", comment="supercalifragilistic" * 12)
        vote(item, reviewer_2, "drop", reasons=[1, 4, 6])
    return made


@pytest.fixture
def show(page: Page, live_server, sign_in, bench):
    def go(user, path="", theme="dark", size=(1440, 900)):
        user.theme = theme
        user.save()
        sign_in(user)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.goto(f"{live_server.url}/b/{bench.slug}/{path}")

    return go


def ready(page: Page) -> None:
    """The script has read the keys: the first case is the current one."""
    expect(page.locator("[data-case]").first).to_have_attribute("aria-current", "true")


def faults(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


@pytest.mark.parametrize("path", PAGES)
def test_accessible_and_never_wider_than_the_screen(page: Page, show, maintainer, path):
    for theme, size in zip(("dark", "dark", "light"), WIDTHS, strict=True):
        show(maintainer, path, theme, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        if size != WIDTHS[1]:
            assert faults(page) == []


def test_the_navigation_leads_here(page: Page, show, reviewer):
    show(reviewer)
    expect(page.get_by_role("navigation", name="Main").get_by_text("Benchmark")).to_have_attribute(
        "aria-current", "page"
    )
    page.get_by_role("link", name="Continue review").click()
    page.get_by_role("navigation", name="Main").get_by_text("Benchmark").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Abdominal sweep, a name that goes on for quite a while"
    )


def test_settled_by_keys_alone_and_taken_back(page: Page, show, adjudicator, bench):
    show(adjudicator, "adjudication/")
    cases = page.locator("[data-case]")
    expect(cases).to_have_count(4)
    ready(page)
    page.keyboard.press("n")
    expect(cases.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("j")
    first = int(cases.nth(0).get_attribute("id").removeprefix("item-"))

    page.keyboard.press("c")
    page.keyboard.type("Xk is what I mean")  # letters of keys are letters here
    page.keyboard.press("Enter")
    expect(cases).to_have_count(4)
    page.keyboard.press("x")
    expect(page.get_by_role("status")).to_contain_text("Dropped.")
    expect(cases).to_have_count(3)
    assert Item.objects.get(pk=first).keep is False

    ready(page)
    page.keyboard.press("z")
    expect(page.get_by_role("status")).to_contain_text("taken back")
    expect(cases).to_have_count(4)
    assert Item.objects.get(pk=first).state == "disagreement"


def test_a_decision_without_words_is_not_sent(page: Page, show, adjudicator, bench):
    show(adjudicator, "adjudication/")
    ready(page)
    page.keyboard.press("k")
    expect(page.locator("[name=words]").first).to_be_focused()
    assert Item.objects.filter(benchmark=bench, state="disagreement").count() == 4


def test_returned_with_a_question(page: Page, show, adjudicator, reviewer, bench):
    show(adjudicator, "adjudication/")
    ready(page)
    item_id = page.locator("[data-case]").first.get_attribute("id").removeprefix("item-")
    page.keyboard.press("c")
    page.keyboard.type("Where does the action end?")
    page.keyboard.press("Enter")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("Returned to its readers.")

    show(reviewer, f"review/{item_id}/")
    expect(page.locator(".item")).to_contain_text("Where does the action end?")
    expect(page.locator(".item")).to_contain_text("Evidence opens after your vote.")


def test_every_key_has_one_meaning_and_is_listed(page: Page, show, adjudicator):
    failed = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    show(adjudicator, "adjudication/")
    ready(page)
    page.keyboard.press("Shift+?")
    expect(page.locator("#keys-dialog")).to_contain_text("return to the readers with a question")
    assert faults(page) == []
    assert failed == []


def test_a_release_is_frozen_and_taken_away(page: Page, show, maintainer):
    show(maintainer)
    page.get_by_text("Freeze a release").click()
    page.get_by_label("Tag").fill("r2")
    page.get_by_label("Notes").fill("Windows moved.")
    page.get_by_role("button", name="Freeze 4 kept items").click()
    expect(page.get_by_role("status")).to_contain_text("r2 is frozen: 4 items kept.")
    with page.expect_download() as download:
        page.get_by_role("link", name="r2 in the published layout, zip").click()
    assert download.value.suggested_filename.endswith("-r2.zip")
    page.get_by_role("link", name="Compare two").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What changed")
    expect(page.locator(".page-head")).to_contain_text("r1 to r2: 4 items")


def test_it_works_without_a_script(browser, live_server, client_for, bench, adjudicator):
    context = browser.new_context(java_script_enabled=False)
    cookie = client_for(adjudicator).cookies["sessionid"]
    context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/b/{bench.slug}/adjudication/")
    first = page.locator("[data-case]").first
    first.get_by_label("Reason, or question").fill("Seen at the end.")
    first.get_by_role("button", name="Keep").click()
    expect(page.get_by_role("status")).to_contain_text("Kept.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("taken back")
    context.close()
