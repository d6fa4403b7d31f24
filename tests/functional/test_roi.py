"""The ROI editor in real Chromium: mouse, keys, number fields, preview, film."""

import pytest
from playwright.sync_api import expect

from tests.functional.conftest import BLOCK
from tests.functional.roi_editor import colour, drag, open_editor, pixels, type_into

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def test_the_editor_starts_from_the_box_on_a_still(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    assert pixels(page) == [100, 60, 200, 120]
    expect(page.locator("[data-size]")).to_have_text("200 × 120 px")
    expect(page.locator("[data-shape]")).to_have_text("10.4 % of the frame, 1.67 : 1")
    expect(page.locator("[data-save]")).to_be_disabled()
    expect(page.locator("[data-film] button")).to_have_count(6)
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


def test_a_handle_moves_only_its_edges(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    for handle, expected in HANDLES.items():
        drag(page, f'[data-handle="{handle}"] .roi-target', -20, -10)
        assert pixels(page) == expected, handle
        page.keyboard.press("r")


def test_a_drag_inside_moves_the_box_and_keeps_its_size(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    drag(page, "[data-inside]", 35, 24)

    assert pixels(page) == [135, 84, 200, 120]


def test_the_box_stops_at_the_frame(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    drag(page, "[data-inside]", 900, 900)
    assert pixels(page) == [440, 240, 200, 120]
    drag(page, '[data-handle="nw"] .roi-target', 900, 900)
    assert pixels(page) == [624, 344, 16, 16]
    drag(page, '[data-handle="nw"] .roi-target', -900, -900)
    assert pixels(page) == [0, 0, 640, 360]
    expect(page.locator("[data-checks]")).to_contain_text("The whole frame")


def test_keys_move_and_resize(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Alt+ArrowDown")
    assert pixels(page) == [101, 70, 200, 120]
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowDown")
    assert pixels(page) == [101, 70, 199, 121]
    expect(page.locator("[data-checks]")).to_contain_text("Odd size")


def test_tab_walks_the_handles_and_arrows_move_their_edge(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
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


def test_undo_and_reset(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
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


def test_number_fields_move_the_box(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    for name, unit, text, expected in TYPED:
        field = type_into(page, name, unit, text)
        assert pixels(page) == expected, (name, text)
        field.blur()
        page.keyboard.press("r")


def test_a_number_that_is_none_is_refused_in_place(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    for text in ("left", "", "-4", "1e2", "9999"):
        field = type_into(page, "x", "px", text)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[data-field-error]")).to_have_text("x must be a number from 0 to 640.")
    assert page.locator('input[data-name="x"][data-unit="share"]').input_value() == "0.1563"
    expect(page.locator("[data-dirty]")).to_be_hidden()


def test_keys_are_silent_in_a_field(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    field = page.locator('input[data-name="x"][data-unit="px"]')
    field.focus()

    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.keyboard.press("Escape")

    assert "/roi/" in page.url
    expect(field).not_to_be_focused()
    expect(page.locator("[data-size]")).to_have_text("200 × 120 px")
    expect(page.locator("[data-dirty]")).to_be_hidden()


def test_the_preview_is_the_crop(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    for name, value in zip("xywh", BLOCK, strict=True):
        type_into(page, name, "px", str(value))

    corners = [colour(page, x, y) for x in (0.02, 0.98) for y in (0.03, 0.97)]
    type_into(page, "x", "px", "0")
    outside = colour(page, 0.02, 0.5)

    assert all(red > 180 and green < 60 and blue < 60 for red, green, blue in corners)
    assert max(outside) < 40


def test_the_film_tells_where_the_picture_goes_on_beyond_the_box(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.wait_for_function("() => !document.querySelector('[data-film] [data-state=loading]')")
    expect(page.locator("[data-film] em").first).to_have_text("edge")

    for name, value in {"x": 150, "y": 80, "w": 340, "h": 200}.items():
        type_into(page, name, "px", str(value))

    expect(page.locator("[data-film] em").first).to_have_text("in")
    expect(page.locator("[data-checks]")).to_contain_text("inside the box in 6 of 6 stills")


def test_another_time_keeps_the_box(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    drag(page, "[data-inside]", 10, 0)

    page.locator("[data-film] button").last.click()
    expect(page.locator("[data-time]")).to_have_value("0:15.04")
    page.keyboard.press(".")
    expect(page.locator("[data-time]")).to_have_value("0:15.08")

    assert pixels(page) == [110, 60, 200, 120]
