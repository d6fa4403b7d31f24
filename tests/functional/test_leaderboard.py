"""The leaderboard in a real browser: every width, both themes, without a script, on paper."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from evaluation.actions.entries import publish_entry
from evaluation.baselines import settle_references
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
PATH = "/b/phantom/leaderboard/"
WIDTHS = (1440, 1024, 390)


@pytest.fixture
def board(live_server: Any) -> str:
    """Two models with both runs, one provisional, and the references."""
    bench = factories.benchmark(slug="phantom", name="Phantom", attribution="Made by code.")
    for number in range(8):
        vid = factories.video(bench)
        for question_type in ("Type1_ActionGoalReasoning", "Type2_ArtifactResolution"):
            window = (5.0, 9.0 + 4 * number)
            factories.kept(factories.mcq_item(vid, question_type=question_type, window=window))
            factories.kept(factories.free_item(vid, question_type=question_type, window=window))
    release = factories.release(bench)
    settle_references(release)
    kept = release.kept_mcq + release.kept_free
    for number, name in enumerate(("Gemini 3 Pro", "A model with a name that is long")):
        model = make.contestant(name, organisation="Somebody", open_weights=bool(number))
        for condition, step in (("video", 3 + number), ("blind", 2)):
            scores: list[float | None] = [
                (0 if place % step == 1 else 1) * (2 if place % 3 else 1)
                if place % 2
                else float(place % step != 0)
                for place in range(kept)
            ]
            if number:
                scores[-1] = None
            run = make.scored_run(release, scores, contestant=model, condition=condition)
            publish_entry(entry=compute_entry(run), by="import")
    return f"{live_server.url}{PATH}"


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("query", ["", "?condition=blind", "?condition=gain"])
def test_it_is_accessible_and_fits_every_width(
    board: str, page: Page, scheme: Any, query: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(board + query)
        too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not too_wide, f"{query} scrolls sideways at {width}"
        if width == WIDTHS[0 if scheme == "dark" else -1]:
            found = Axe().run(at_rest(page))
            assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ["model", "entry", "embed"])
def test_a_models_pages_are_accessible_and_fit_every_width(
    board: str, live_server: Any, page: Page, path: str
) -> None:
    page.goto(board)
    page.get_by_role("link", name="Gemini 3 Pro").first.click()
    if path == "entry":
        page.get_by_role("link", name="Permanent link to this entry").click()
    address = f"{live_server.url}/b/phantom/embed/" if path == "embed" else page.url
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(address)
            too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
            assert not too_wide, f"{path} scrolls sideways at {width}"
        found = Axe().run(at_rest(page))
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("path", ["/", "/method/", "/b/empty/leaderboard/"])
def test_the_pages_beside_it_are_accessible_too(
    board: str, live_server: Any, page: Page, path: str
) -> None:
    factories.benchmark(slug="empty", name="Empty")
    page.goto(live_server.url + path)
    found = Axe().run(at_rest(page))
    assert found.violations_count == 0, found.generate_report()


def test_it_works_without_a_script(board: str, browser: Browser) -> None:
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto(board)
    names = page.locator(".lb tbody .model b")
    expect(names.first).not_to_have_text("A model with a name that is long")
    page.get_by_role("link", name="Model", exact=True).click()
    expect(names.first).to_have_text("A model with a name that is long")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Model")
    page.get_by_role("link", name="Gain", exact=True).click()
    expect(page.locator(".lb-gain tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Video", exact=True).click()
    page.locator("summary", has_text="Release").click()
    page.locator(".lb-release .sheet a").click()
    expect(page).to_have_url(f"{board}r1/")
    page.locator("summary", has_text="Data").first.click()
    expect(page.locator(".lb-data table").first).to_be_visible()
    context.close()


def test_no_console_message_and_no_refused_style(board: str, page: Page) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(board)
    page.locator("summary", has_text="Cite").click()
    expect(page.locator(".lb-cite pre").first).to_contain_text("@misc{phantom-r1")
    assert said == []


def test_the_whiskers_are_drawn_from_figures(board: str, page: Page) -> None:
    page.goto(board)
    whisker = page.locator(".lb tbody tr:not(.ref) .mw svg").first
    label = whisker.get_attribute("aria-label") or ""
    assert "95 % interval" in label
    share = float(label.split(" ")[0])
    dot = whisker.locator("circle.cal-dot")
    assert float((dot.get_attribute("cx") or "").rstrip("%")) == pytest.approx(share, abs=0.06)


def test_on_paper_the_table_stands_without_tools(board: str, page: Page) -> None:
    page.goto(board)
    page.emulate_media(media="print")
    expect(page.locator(".lb-tools")).to_be_hidden()
    expect(page.locator(".lb")).to_be_visible()
