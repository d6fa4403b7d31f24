"""Keys that a reader has moved, in a real browser, on a Cyrillic layout too."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.domain.key_map import MOVABLE, PLACES
from annotation.models import Review
from tests import factories
from tests.functional.player import open_review, wait_playing
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
CYRILLIC = {"KeyK": "л", "KeyX": "ч", "KeyP": "з", "Slash": ".", "Period": "ю", "KeyZ": "я"}


@pytest.fixture
def item(transactional_db):
    return factories.mcq_item(factories.video(factories.benchmark()))


@pytest.fixture
def review(page: Page, live_server, sign_in, reviewer, item):
    sign_in(reviewer)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def go(**keys):
        reviewer.keys = keys
        reviewer.save()
        page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
        expect(page.locator("[data-saved]")).to_contain_text("All saved")

    yield go
    assert faults == []


def press_cyrillic(page: Page, code: str, **held):
    page.evaluate(
        """(init) => document.body.dispatchEvent(new KeyboardEvent('keydown', init))""",
        {"code": code, "key": CYRILLIC[code], "bubbles": True, "cancelable": True, **held},
    )


def saved(page: Page):
    expect(page.locator("[data-saved]")).to_contain_text(re.compile(r"^Saved \d\d:\d\d:\d\d$"))


def test_a_moved_key_acts_in_its_new_place_alone(page: Page, review, item):
    review(KeyK="KeyP", KeyX="Shift+KeyI")
    expect(page.locator('[data-verdict-button="keep"] kbd')).to_have_text("P")
    expect(page.locator('[data-verdict-button="drop"] kbd')).to_have_text("⇧I")
    page.keyboard.press("k")
    page.wait_for_timeout(200)
    assert not Review.objects.exists()
    page.keyboard.press("p")
    saved(page)
    assert Review.objects.get().verdict == "keep"
    expect(page.locator('[data-verdict-button="keep"] kbd')).to_have_text("P")  # rendered anew
    page.keyboard.press("Shift+?")
    dialog = page.locator("#keys-dialog")
    line = dialog.locator("dt", has=page.locator("kbd", has_text=re.compile("^P$")))
    expect(line.locator("+ dd")).to_have_text("keep")


def test_on_a_cyrillic_layout_keys_are_places(page: Page, review, item):
    review()
    press_cyrillic(page, "KeyX")
    expect(page.locator('[data-verdict-button="drop"][data-armed]')).to_be_visible()
    press_cyrillic(page, "KeyK")
    saved(page)
    assert Review.objects.get().verdict == "keep"
    press_cyrillic(page, "Slash")  # types a full stop there: the search opens all the same
    expect(page.locator("[data-queue] input[type=search]")).to_be_focused()


def test_moved_keys_on_a_cyrillic_layout(page: Page, review, item):
    review(KeyK="KeyP")
    press_cyrillic(page, "KeyP")
    saved(page)
    assert Review.objects.get().verdict == "keep"


def test_every_movable_key_is_in_use_and_every_used_key_is_known(
    page: Page, review, item, live_server, settings, sign_in, adjudicator, context
):
    read = """async (path) => (await import(path)).registered().flatMap((one) => one.keys)"""
    module = f"{settings.STATIC_URL}ui/keys.js"
    review()
    used = set(page.evaluate(read, module))
    context.clear_cookies()
    sign_in(adjudicator)
    slug = item.benchmark.slug
    for path in (
        "adjudication/",
        "adjudication/?show=threads",
        "items/",
        f"review/{item.pk}/roi/",
    ):
        page.goto(f"{live_server.url}/b/{slug}/{path}")
        page.wait_for_load_state()  # modules have run by then
        used |= set(page.evaluate(read, module))
    assert set(MOVABLE) <= used
    fixed = {f"Digit{digit}" for digit in range(10)}
    assert {key for key in used if PLACES.fullmatch(key)} - fixed <= set(MOVABLE)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_page_takes_presses_warns_and_saves(page: Page, live_server, sign_in, reviewer, theme):
    reviewer.theme = theme
    reviewer.save()
    sign_in(reviewer)
    page.goto(f"{live_server.url}/account/keys/")
    keep = page.locator("#key-KeyK")
    keep.focus()
    page.keyboard.press("x")
    expect(keep).to_have_value("KeyX")
    expect(page.locator("#fault-KeyK")).to_have_text("also for: drop; select a row")
    expect(page.locator("#fault-KeyX")).to_have_text("also for: keep")
    expect(page.locator("[data-save]")).to_be_disabled()
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    keep.focus()
    page.keyboard.press("Shift+I")
    expect(keep).to_have_value("Shift+KeyI")
    page.keyboard.press("1")  # digits stay
    expect(page.locator("[data-save]")).to_be_disabled()
    page.keyboard.press("p")
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_contain_text("Saved.")
    reviewer.refresh_from_db()
    assert reviewer.keys == {"KeyK": "KeyP"}
    assert json.loads(page.locator("html").get_attribute("data-moved-keys")) == {"KeyK": "KeyP"}
    page.get_by_role("button", name="Put all back").click()
    expect(keep).to_have_value("KeyK")


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_it_fits(page: Page, live_server, sign_in, reviewer, width):
    sign_in(reviewer)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/account/keys/")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def press_place(page: Page, code: str):
    """Press a key as a Cyrillic keyboard does: the browser itself decides who hears it."""
    keyboard = page.context.new_cdp_session(page)
    sign = CYRILLIC[code]
    for kind in ("keyDown", "keyUp"):
        keyboard.send("Input.dispatchKeyEvent", {"type": kind, "code": code, "key": sign})


@pytest.mark.parametrize("driver", ["file", "youtube"])
def test_a_cyrillic_keyboard_decides_while_a_clip_plays(
    page: Page, live_server, request, driver, reviewer
):
    if driver == "file":
        item = request.getfixturevalue("clip_item")
    else:
        item = request.getfixturevalue("item_with")(takes_focus=True)
    open_review(page, live_server, item)
    wait_playing(page)
    if driver == "youtube":  # the frame has taken the focus, and a click gives it again
        page.locator("[data-stage] iframe").click(position={"x": 20, "y": 20})
        page.wait_for_function("() => !(document.activeElement instanceof HTMLIFrameElement)")
    press_place(page, "KeyX")
    expect(page.locator('[data-verdict-button="drop"][data-armed]')).to_be_visible()
    press_place(page, "KeyK")
    saved(page)
    assert Review.objects.get(item=item).verdict == "keep"
