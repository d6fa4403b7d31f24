"""The ROI editor in real Chromium: mouse, keys, number fields, zoom, saving."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from annotation.actions.videos import change_roi
from annotation.domain.roi import Roi
from annotation.models import Item, Revision
from tests import factories
from tests.functional.conftest import BLOCK, FRAME

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
START = Roi.from_pixels(100, 60, 200, 120, width=FRAME[0], height=FRAME[1])


@pytest.fixture
def item(stored_file: str, sign_in: Any, reviewer: Any, worker_at_once: None) -> Item:
    """A kept MCQ of a video of 640 x 360, its box at 100, 60 of 200 x 120 pixels."""
    sign_in(reviewer)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key=stored_file, width=FRAME[0], height=FRAME[1])
    box = dict(zip(("roi_x", "roi_y", "roi_w", "roi_h"), START.fractions, strict=True))
    vid = factories.video(bench, of=source, start=2.0, end=18.0, **box)
    factories.kept(factories.free_item(vid, window=(6.0, 8.0)))
    return factories.kept(factories.mcq_item(vid, window=(2.0, 4.0)))


def open_editor(page: Page, live_server: Any, item: Item) -> None:
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/roi/")
    expect(page.locator("[data-still]")).to_be_visible()
    page.wait_for_function("() => document.querySelector('[data-still]').naturalWidth > 0")


def pixels(page: Page) -> list[int]:
    """The box as the number fields show it."""
    fields = (page.locator(f'input[data-name="{side}"][data-unit="px"]') for side in "xywh")
    return [int(field.input_value()) for field in fields]


def drag(page: Page, selector: str, dx: float, dy: float) -> None:
    """Drag by pixels of the source, wherever and however large the picture stands."""
    scale = page.locator("[data-still]").evaluate("(still) => still.getBoundingClientRect().width")
    scale /= FRAME[0]
    box = page.locator(selector).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx * scale / 2, y + dy * scale / 2, steps=3)
    page.mouse.move(x + dx * scale, y + dy * scale, steps=3)
    page.mouse.up()


def colour(page: Page, x: float, y: float) -> list[int]:
    """The colour of the preview at a share of its size."""
    return page.locator("[data-crop]").evaluate(
        """(canvas, [x, y]) => [...canvas.getContext("2d").getImageData(
            Math.floor(canvas.width * x), Math.floor(canvas.height * y), 1, 1).data].slice(0, 3)""",
        [x, y],
    )


def test_the_editor_starts_from_the_box_on_a_still(page, live_server, item):
    open_editor(page, live_server, item)

    assert pixels(page) == [100, 60, 200, 120]
    expect(page.locator("[data-size]")).to_have_text("200 × 120 px")
    expect(page.locator("[data-shape]")).to_have_text("10.4 % of the frame, 1.67 : 1")
    expect(page.locator("[data-save]")).to_be_disabled()
    expect(page.locator("[data-film] button")).to_have_count(5)
    expect(page.locator("iframe, video")).to_have_count(0)


HANDLES = {
    "nw": [80, 50, 220, 130],
    "n": [100, 50, 200, 130],
    "ne": [100, 50, 180, 130],
    "e": [100, 60, 180, 120],
    "se": [100, 60, 180, 110],
    "s": [100, 60, 200, 110],
    "sw": [80, 60, 220, 110],
    "w": [80, 60, 220, 120],
}


def test_a_handle_moves_only_its_edges(page, live_server, item):
    open_editor(page, live_server, item)

    for handle, expected in HANDLES.items():
        drag(page, f'[data-handle="{handle}"] .roi-target', -20, -10)
        assert pixels(page) == expected, handle
        page.keyboard.press("r")


def test_a_drag_inside_moves_the_box_and_keeps_its_size(page, live_server, item):
    open_editor(page, live_server, item)

    drag(page, "[data-inside]", 35, 24)

    assert pixels(page) == [135, 84, 200, 120]


def test_the_box_stops_at_the_frame(page, live_server, item):
    open_editor(page, live_server, item)

    drag(page, "[data-inside]", 900, 900)
    assert pixels(page) == [440, 240, 200, 120]
    drag(page, '[data-handle="nw"] .roi-target', 900, 900)
    assert pixels(page) == [624, 344, 16, 16]
    drag(page, '[data-handle="nw"] .roi-target', -900, -900)
    assert pixels(page) == [0, 0, 640, 360]
    expect(page.locator("[data-checks]")).to_contain_text("The whole frame")


def test_keys_move_and_resize(page, live_server, item):
    open_editor(page, live_server, item)

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Alt+ArrowDown")
    assert pixels(page) == [101, 70, 200, 120]
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    assert pixels(page) == [101, 70, 199, 121]
    expect(page.locator("[data-checks]")).to_contain_text("Odd size")


def test_tab_walks_the_handles_and_arrows_move_their_edge(page, live_server, item):
    open_editor(page, live_server, item)
    page.locator('[data-handle="nw"]').focus()
    walked = []
    for _ in range(8):
        walked.append(page.evaluate("document.activeElement.dataset.handle"))
        page.keyboard.press("Tab")

    page.locator('[data-handle="e"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+ArrowRight")

    assert walked == ["nw", "n", "ne", "e", "se", "s", "sw", "w"]
    assert pixels(page) == [100, 60, 211, 120]


def test_undo_and_reset(page, live_server, item):
    open_editor(page, live_server, item)
    drag(page, "[data-inside]", 10, 0)
    drag(page, '[data-handle="e"] .roi-target', 20, 0)

    page.keyboard.press("z")
    assert pixels(page) == [110, 60, 200, 120]
    page.keyboard.press("r")
    assert pixels(page) == [100, 60, 200, 120]
    expect(page.locator("[data-dirty]")).to_be_hidden()
    page.keyboard.press("z")
    assert pixels(page) == [110, 60, 200, 120]


TYPED = [
    ("x", "px", "150", [150, 60, 200, 120]),
    ("w", "px", "320", [100, 60, 320, 120]),
    ("y", "share", "0.5", [100, 180, 200, 120]),
    ("h", "share", "0,25", [100, 60, 200, 90]),
    ("x", "px", "600", [440, 60, 200, 120]),
    ("w", "share", "0.99", [100, 60, 540, 120]),
]


def type_into(page: Page, name: str, unit: str, text: str) -> Any:
    field = page.locator(f'input[data-name="{name}"][data-unit="{unit}"]')
    field.fill(text)
    field.press("Enter")
    return field


def test_number_fields_move_the_box(page, live_server, item):
    open_editor(page, live_server, item)

    for name, unit, text, expected in TYPED:
        field = type_into(page, name, unit, text)
        assert pixels(page) == expected, (name, text)
        field.blur()
        page.keyboard.press("r")


def test_a_number_that_is_none_is_refused_in_place(page, live_server, item):
    open_editor(page, live_server, item)

    for text in ("left", "", "-4", "1e2", "9999"):
        field = type_into(page, "x", "px", text)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[data-field-error]")).to_have_text("x must be a number from 0 to 640.")
    assert page.locator('input[data-name="x"][data-unit="share"]').input_value() == "0.1563"
    expect(page.locator("[data-dirty]")).to_be_hidden()


def test_keys_are_silent_in_a_field(page, live_server, item):
    open_editor(page, live_server, item)
    field = page.locator('input[data-name="x"][data-unit="px"]')
    field.focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.keyboard.press("Escape")

    assert "/roi/" in page.url
    expect(field).not_to_be_focused()
    expect(page.locator("[data-size]")).to_have_text("200 × 120 px")
    expect(page.locator("[data-dirty]")).to_be_hidden()


def test_the_preview_is_the_crop(page, live_server, item):
    open_editor(page, live_server, item)
    for name, value in zip("xywh", BLOCK, strict=True):
        type_into(page, name, "px", str(value))

    corners = [colour(page, x, y) for x in (0.02, 0.98) for y in (0.03, 0.97)]
    type_into(page, "x", "px", "0")
    outside = colour(page, 0.02, 0.5)

    assert all(red > 180 and green < 60 and blue < 60 for red, green, blue in corners)
    assert max(outside) < 40


def test_the_film_tells_where_the_picture_goes_on_beyond_the_box(page, live_server, item):
    open_editor(page, live_server, item)
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-film] em')].every((e) => e.textContent !== '…')"
    )
    expect(page.locator("[data-film] em").first).to_have_text("edge")

    for name, value in {"x": 150, "y": 80, "w": 340, "h": 200}.items():
        type_into(page, name, "px", str(value))

    expect(page.locator("[data-film] em").first).to_have_text("in")
    expect(page.locator("[data-checks]")).to_contain_text("inside the box in 5 of 5 stills")


def test_another_time_keeps_the_box(page, live_server, item):
    open_editor(page, live_server, item)
    drag(page, "[data-inside]", 10, 0)

    page.locator("[data-film] button").last.click()
    expect(page.locator("[data-time]")).to_have_value("0:14.72")
    page.keyboard.press(".")
    expect(page.locator("[data-time]")).to_have_value("0:14.76")

    assert pixels(page) == [110, 60, 200, 120]


def test_saving_makes_a_version_of_the_video_and_its_items(page, live_server, item, reviewer):
    open_editor(page, live_server, item)
    drag(page, '[data-handle="se"] .roi-target', 40, 20)
    page.locator("[data-reason]").fill("the whole sector")

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    item.video.refresh_from_db()
    saved = Roi(item.video.roi_x, item.video.roi_y, item.video.roi_w, item.video.roi_h)
    assert saved.to_pixels(width=FRAME[0], height=FRAME[1]) == (100, 60, 240, 140)
    assert [factories.current(one).number for one in item.video.items.all()] == [2, 2]
    assert not item.video.items.filter(keep=True).exists()
    row = Revision.objects.get(target_kind="video")
    assert (row.actor, row.reason) == (reviewer.pseudonym, "the whole sector")
    expect(page.get_by_text("Changes of the box (1)")).to_be_visible()
    assert pixels(page) == [100, 60, 240, 140]


def test_what_is_drawn_saved_and_opened_again_is_drawn_equal(page, live_server, item):
    open_editor(page, live_server, item)
    drag(page, '[data-handle="nw"] .roi-target', -33, -17)
    drawn = pixels(page)
    place = page.locator(".roi-board .roi-edge").evaluate(
        "(edge) => ['x', 'y', 'width', 'height'].map((name) => Number(edge.getAttribute(name)))"
    )

    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    open_editor(page, live_server, item)

    assert pixels(page) == drawn
    again = page.locator(".roi-board .roi-edge").evaluate(
        "(edge) => ['x', 'y', 'width', 'height'].map((name) => Number(edge.getAttribute(name)))"
    )
    assert again == pytest.approx(place, abs=0.01)


def test_a_cosmetic_box_leaves_the_decisions(page, live_server, item):
    open_editor(page, live_server, item)
    page.keyboard.press("ArrowRight")
    page.locator("[data-cosmetic]").check()

    page.locator("[data-save]").click()

    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    assert item.video.items.filter(keep=True).count() == 2


def test_a_box_for_this_item_only(page, live_server, item):
    open_editor(page, live_server, item)
    page.keyboard.press("ArrowRight")
    page.get_by_label("This item only").check()
    expect(page.locator("[data-save-label]")).to_have_text("Save for this item")

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("as item v2")
    item.video.refresh_from_db()
    assert item.video.version == 1
    assert factories.current(item).roi_is_override
    expect(page.get_by_label("This item only")).to_be_checked()


def test_a_stale_box_shows_both_and_overwrites_nothing(page, live_server, item, reviewer_2):
    open_editor(page, live_server, item)
    page.keyboard.press("ArrowRight")
    theirs = Roi.from_pixels(0, 0, 320, 180, width=FRAME[0], height=FRAME[1])
    change_roi(video_id=item.video_id, base_version=1, roi=theirs, reason="", by=reviewer_2)

    page.keyboard.press("Control+Enter")

    note = page.locator("[data-save-note]")
    expect(note).to_contain_text("Someone saved v2 while you edited.")
    expect(note).to_contain_text("320 × 180 px at 0, 0 theirs, 200 × 120 px at 101, 60 yours")
    item.video.refresh_from_db()
    assert item.video.roi_w == 0.5
    page.get_by_role("button", name="Save mine as v3").click()
    expect(note).to_contain_text("as v3")


def test_a_dead_network_keeps_the_box(page, live_server, item):
    open_editor(page, live_server, item)
    page.keyboard.press("ArrowRight")
    page.route("**/api/v1/videos/**", lambda route: route.abort())

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("The box is kept on this page.")
    assert pixels(page) == [101, 60, 200, 120]
    page.unroute("**/api/v1/videos/**")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-save-note]")).to_contain_text("as v2")


def test_leaving_asks_once_where_something_is_unsaved(page, live_server, item):
    open_editor(page, live_server, item)
    page.keyboard.press("ArrowRight")

    page.keyboard.press("Escape")
    expect(page.locator("[data-save-note]")).to_contain_text("Press Esc again to leave")
    assert "/roi/" in page.url
    page.keyboard.press("Escape")

    page.wait_for_url(f"**/review/{item.pk}/")


def test_leaving_without_a_change_asks_nothing(page, live_server, item):
    open_editor(page, live_server, item)

    page.keyboard.press("Escape")

    page.wait_for_url(f"**/review/{item.pk}/")


def test_without_a_still_the_box_is_edited_on_a_schematic(page, live_server, item, settings):
    (settings.MEDIA_STORE / "sources" / "picture.mp4").unlink()
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/roi/")
    expect(page.locator(".schematic text")).to_contain_text("No still:")
    shape = page.locator(".schematic rect").bounding_box()
    assert shape is not None
    assert shape["width"] / shape["height"] == pytest.approx(16 / 9, abs=0.01)

    page.keyboard.press("ArrowRight")

    assert pixels(page) == [101, 60, 200, 120]


def test_another_shape_of_frame_is_letterboxed(page, live_server, item):
    item.video.source.width, item.video.source.height = 480, 360
    item.video.source.save()
    open_editor(page, live_server, item)

    board = page.locator("[data-board]").bounding_box()
    still = page.locator("[data-still]").bounding_box()

    assert board is not None
    assert still is not None
    assert still["height"] == pytest.approx(board["height"], abs=1)
    assert still["width"] == pytest.approx(board["height"] * 4 / 3, abs=1)
    assert still["x"] - board["x"] == pytest.approx((board["width"] - still["width"]) / 2, abs=1)


def offset(page: Page) -> list[float]:
    """How far the drawn box is from where the picture says it should be, CSS pixels."""
    return page.evaluate(
        """() => {
            const still = document.querySelector("[data-still]").getBoundingClientRect();
            const edge = document.querySelector(".roi-inside").getBoundingClientRect();
            const share = (name) => Number(document.querySelector(
                `input[data-name="${name}"][data-unit="px"]`).value);
            return [edge.left - still.left - (share("x") / 640) * still.width,
                edge.top - still.top - (share("y") / 360) * still.height,
                edge.width - (share("w") / 640) * still.width,
                edge.height - (share("h") / 360) * still.height];
        }"""
    )


def test_the_box_stays_on_the_picture_when_its_size_changes(page, live_server, item):
    open_editor(page, live_server, item)
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
    browser: Browser, live_server, item, reviewer, client_for, scale, zoom
):
    # Browser zoom makes pixels denser and the viewport smaller by the same factor.
    size = {"width": round(1440 / zoom), "height": round(900 / zoom)}
    context = browser.new_context(device_scale_factor=scale * zoom, viewport=size)
    cookie = client_for(reviewer).cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page = context.new_page()
    open_editor(page, live_server, item)

    drag(page, '[data-handle="e"] .roi-target', 31, 0)
    drag(page, "[data-inside]", -12, 9)

    assert pixels(page) == [88, 69, 231, 120]
    assert offset(page) == pytest.approx([0, 0, 0, 0], abs=0.6)
    context.close()


def test_handles_are_large_enough_for_a_finger(browser: Browser, live_server, item, context):
    finger = browser.new_context(
        has_touch=True, is_mobile=True, viewport={"width": 820, "height": 1180}
    )
    finger.add_cookies(context.cookies())
    page = finger.new_page()
    open_editor(page, live_server, item)

    sizes = page.locator("[data-handle]").evaluate_all(
        """(handles) => handles.map((handle) => [".roi-hit", ".roi-target"].map(
            (part) => handle.querySelector(part).getBoundingClientRect().width))"""
    )

    assert all(hit >= 44 and target >= 24 for hit, target in sizes)
    finger.close()
