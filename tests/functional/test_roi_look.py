"""The ROI editor in real Chromium at any size, zoom and shape of frame, for everybody."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.functional.rest import at_rest
from tests.functional.roi_editor import drag, middle, offset, open_editor, pixels, scale_of

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_and_without_errors(page, live_server, roi_item, reviewer, theme):
    reviewer.theme = theme
    reviewer.save()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: line.type == "error" and errors.append(line.text))
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")

    found = Axe().run(at_rest(page), options=RULES).response["violations"]

    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert errors == []


def test_without_a_still_the_box_is_edited_on_a_schematic(
    page, live_server, roi_item, settings, picture
):
    (settings.MEDIA_STORE / "sources" / "picture.mp4").unlink()
    page.goto(f"{live_server.url}/b/{roi_item.benchmark.slug}/review/{roi_item.pk}/roi/")
    expect(page.locator(".schematic text")).to_contain_text("No still:")
    picture("roi-no-still")
    shape = page.locator(".schematic rect").bounding_box()
    assert shape is not None
    assert shape["width"] / shape["height"] == pytest.approx(16 / 9, abs=0.01)

    page.keyboard.press("ArrowRight")

    assert pixels(page) == [101, 60, 200, 120]


def test_another_shape_of_frame_is_letterboxed(page, live_server, roi_item):
    roi_item.video.source.width, roi_item.video.source.height = 480, 360
    roi_item.video.source.save()
    open_editor(page, live_server, roi_item)

    board = page.locator("[data-board]").bounding_box()
    still = page.locator("[data-still]").bounding_box()

    assert board is not None
    assert still is not None
    assert still["height"] == pytest.approx(board["height"], abs=1)
    assert still["width"] == pytest.approx(board["height"] * 4 / 3, abs=1)
    assert still["x"] - board["x"] == pytest.approx((board["width"] - still["width"]) / 2, abs=1)


def test_the_box_stays_on_the_picture_when_its_size_changes(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    drag(page, "[data-inside]", 30, 20)

    for width, height in ((1024, 768), (390, 844), (1920, 1080), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(150)
        assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(
        """() => document.addEventListener("click", () =>
            document.querySelector("[data-board]").requestFullscreen(), { once: true })"""
    )
    page.locator(".roi-keys p").click()
    page.wait_for_function("() => document.fullscreenElement")
    page.wait_for_timeout(150)
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
    drag(page, '[data-handle="se"] .roi-target', 50, 30)

    assert pixels(page) == [130, 80, 250, 150]


def test_a_drag_goes_on_when_the_window_changes_its_size(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    x, y = middle(page, '[data-handle="se"] .roi-target')
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 20, y + 10, steps=3)

    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_timeout(200)
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
    still, scale = page.locator("[data-still]").bounding_box(), scale_of(page)
    assert still is not None
    page.mouse.move(still["x"] + 360 * scale, still["y"] + 220 * scale, steps=3)
    page.mouse.up()

    assert pixels(page) == pytest.approx([100, 60, 260, 160], abs=1)
    page.keyboard.press("z")  # one drag, one step
    assert pixels(page) == [100, 60, 200, 120]


def test_css_zoom_of_200_percent_moves_nothing(page, live_server, roi_item):
    page.set_viewport_size({"width": 2880, "height": 1800})
    open_editor(page, live_server, roi_item)
    page.evaluate("document.documentElement.style.zoom = '2'")
    page.wait_for_timeout(200)

    drag(page, '[data-handle="e"] .roi-target', 31, 0)
    drag(page, "[data-inside]", -12, 9)

    assert pixels(page) == [88, 69, 231, 120]
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=1.2)


@pytest.mark.parametrize(("scale", "zoom"), [(1.25, 1), (2, 1), (1, 2), (1, 0.8)])
def test_zoom_and_dense_screens_move_nothing(
    browser: Browser, live_server, roi_item, reviewer, client_for, scale, zoom
):
    # Browser zoom makes pixels denser and the viewport smaller by the same factor.
    size = {"width": round(1440 / zoom), "height": round(900 / zoom)}
    context = browser.new_context(device_scale_factor=scale * zoom, viewport=size)
    cookie = client_for(reviewer).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page = context.new_page()
    open_editor(page, live_server, roi_item)

    drag(page, '[data-handle="e"] .roi-target', 31, 0)
    drag(page, "[data-inside]", -12, 9)

    assert pixels(page) == [88, 69, 231, 120]
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
    context.close()


def test_handles_are_large_enough_for_a_finger(browser: Browser, live_server, roi_item, context):
    finger = browser.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 820, "height": 1180}
    )
    finger.add_cookies(context.cookies())
    page = finger.new_page()
    open_editor(page, live_server, roi_item)

    sizes = page.locator("[data-handle]").evaluate_all(
        """(handles) => handles.map((handle) => [".roi-hit", ".roi-target"].map(
            (part) => handle.querySelector(part).getBoundingClientRect().width))"""
    )

    assert all(hit >= 44 and target >= 24 for hit, target in sizes)
    x, y = middle(page, '[data-handle="e"] .roi-target')
    x += 16  # beside what is drawn, within reach of a finger
    touch = finger.new_cdp_session(page)
    scale = scale_of(page)
    for kind, across in (
        ("touchStart", 0),
        ("touchMove", 20),
        ("touchMove", 40),
        ("touchEnd", None),
    ):
        points = [] if across is None else [{"x": x + across * scale, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert pixels(page) == [100, 60, 240, 120]
    finger.close()
