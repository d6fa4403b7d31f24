"""The ROI editor in real Chromium at any size, zoom and shape of frame, for everybody."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.functional.roi_editor import drag, offset, open_editor, pixels

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

    found = Axe().run(page, options=RULES).response["violations"]

    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert errors == []


def test_without_a_still_the_box_is_edited_on_a_schematic(page, live_server, roi_item, settings):
    (settings.MEDIA_STORE / "sources" / "picture.mp4").unlink()
    page.goto(f"{live_server.url}/b/{roi_item.benchmark.slug}/review/{roi_item.pk}/roi/")
    expect(page.locator(".schematic text")).to_contain_text("No still:")
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
    # As in full screen: the board alone, larger than before.
    page.evaluate(
        """() => Object.assign(document.querySelector("[data-board]").style,
            { position: "fixed", inset: "0", width: "100vw", height: "100vh", zIndex: "9" })"""
    )
    page.wait_for_timeout(150)
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
    drag(page, '[data-handle="se"] .roi-target', 50, 30)

    assert pixels(page) == [130, 80, 250, 150]


@pytest.mark.parametrize(("scale", "zoom"), [(1.25, 1), (2, 1), (1, 1.25), (1, 0.8)])
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
    finger.close()
