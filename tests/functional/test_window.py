"""The window of an item on the timeline: dragging, keys, saving, conflicts."""

import pytest
from playwright.sync_api import Page, expect

from annotation.actions.items import edit_item
from tests import factories
from tests.functional.player import open_review, wait_playing, watch

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def drag(page: Page, selector: str, dx: float, dy: float = 0.0) -> None:
    box = page.locator(selector).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + dx / 2, y + dy / 2, steps=4)
    page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def edge(page: Page, name: str) -> float:
    value = page.locator(f'[data-edge="{name}"]').get_attribute("aria-valuenow")
    return float(value or "nan")


@pytest.mark.parametrize(("name", "other"), [("start", "end"), ("end", "start")])
def test_dragging_an_edge_moves_that_edge_alone(page, live_server, clip_item, name, other):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    was, stays = edge(page, name), edge(page, other)

    drag(page, f'[data-edge="{name}"]', 40 if name == "end" else -40)

    assert edge(page, other) == stays
    assert abs(edge(page, name) - was) > 0.1
    expect(page.locator("[data-draft]")).to_contain_text("not saved yet")


def test_an_edge_stops_before_the_other_and_at_the_video(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    drag(page, '[data-edge="start"]', 600)
    assert edge(page, "start") == pytest.approx(3.8, abs=0.001)
    drag(page, '[data-edge="start"]', -900)

    assert edge(page, "start") >= 0
    assert edge(page, "end") == 4.0


def test_keys_set_the_edges_to_the_playhead_and_nudge_them(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.keyboard.press("Space")
    page.evaluate("document.querySelector('[data-stage]').stage.player.seek(2.5)")

    page.keyboard.press("[")
    assert edge(page, "start") == pytest.approx(2.5, abs=0.01)
    page.evaluate("document.querySelector('[data-stage]').stage.player.seek(3.6)")
    page.keyboard.press("]")
    assert edge(page, "end") == pytest.approx(3.6, abs=0.01)
    page.keyboard.press("Shift+BracketLeft")
    page.keyboard.press("Shift+BracketRight")

    assert edge(page, "start") == pytest.approx(2.4, abs=0.01)
    assert edge(page, "end") == pytest.approx(3.7, abs=0.01)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowRight")
    assert edge(page, "end") == pytest.approx(4.6, abs=0.01)


def test_the_loop_follows_the_new_window(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    page.locator('[data-edge="end"]').focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)

    assert max(watch(page, 3)) < 3.1


def test_saving_the_window_makes_a_version(page, live_server, clip_item, reviewer):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    with page.expect_response("**/versions/") as saved:
        page.keyboard.press("w")

    assert saved.value.status == 201
    version = factories.current(clip_item)
    assert (version.number, version.start, version.end) == (2, 2.0, 4.1)
    assert version.author == reviewer
    expect(page.locator("[data-of]")).to_have_text("0:04.10")
    expect(page.locator("[data-draft]")).to_be_hidden()


def test_a_window_that_is_not_saved_outlives_a_reload(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    page.reload()
    wait_playing(page)

    assert edge(page, "end") == 4.1
    page.get_by_role("button", name="Put back").click()
    assert edge(page, "end") == 4.0


def test_a_window_that_is_not_saved_outlives_another_version_too(
    page, live_server, clip_item, reviewer_2
):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")
    edit_item(
        item_id=clip_item.pk, base_version=1, changes={"stem": "Why?"}, reason="w", by=reviewer_2
    )
    page.reload()
    wait_playing(page)

    draft = page.locator("[data-draft]")
    expect(draft).to_contain_text("on version 1, now is 2")
    page.keyboard.press("w")
    expect(draft.get_by_role("button", name="Keep both as v3")).to_be_focused()
    with page.expect_response("**/versions/"):
        page.keyboard.press("Enter")
    now = factories.current(clip_item)
    assert (now.number, now.stem, now.end) == (3, "Why?", 4.1)


def test_a_stale_window_shows_both_and_overwrites_nothing(
    page, live_server, clip_item, reviewer, reviewer_2
):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    edit_item(
        item_id=clip_item.pk, base_version=1, changes={"end": 3.5}, reason="earlier", by=reviewer_2
    )
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    page.keyboard.press("w")

    draft = page.locator("[data-draft]")
    expect(draft).to_contain_text("Someone saved v2 while you edited v1.")
    for text in ("theirs0:02.00 to 0:03.50", "yours0:02.00 to 0:04.10"):
        expect(draft).to_contain_text(text)
    assert factories.current(clip_item).end == 3.5
    with page.expect_response("**/versions/"):
        page.get_by_role("button", name="Save mine as v3").click()
    assert (factories.current(clip_item).number, factories.current(clip_item).end) == (3, 4.1)


def drag_to(page: Page, name: str, dx: float, *, alt: bool = False) -> float:
    """Drag an edge by pixels, perhaps with Alt; return where it stands."""
    if alt:
        page.keyboard.down("Alt")
    drag(page, f'[data-edge="{name}"]', dx)
    if alt:
        page.keyboard.up("Alt")
    return edge(page, name)


def pixels_of(page: Page, seconds: float) -> float:
    """How many pixels so many seconds are on the zoomed lane, from the window's own width."""
    width = page.locator(".tl-win").bounding_box()["width"]
    return seconds * width / (edge(page, "end") - edge(page, "start"))


def test_edges_snap_to_the_event_log_by_magnet_and_keys(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.keyboard.press("Space")
    assert page.locator(".tl-bound").count() >= 1
    expect(page.locator(".tl-bound.on")).to_have_count(1)  # an entry ends where the window starts
    page.keyboard.press("Alt+BracketLeft")
    page.keyboard.press("Control+Shift+BracketRight")
    assert (edge(page, "start"), edge(page, "end")) == (2.1, 5.0)
    expect(page.locator(".tl-bound.on")).to_have_count(0)

    near = pixels_of(page, 0.08)
    assert drag_to(page, "start", -near) == 2.0  # drawn to the boundary
    page.keyboard.press("Alt+BracketLeft")
    assert drag_to(page, "start", -near, alt=True) == pytest.approx(2.02, abs=0.015)

    page.keyboard.press("Shift+Quote")  # no such key
    assert edge(page, "end") == 5.0
    page.keyboard.press("Quote")
    page.keyboard.press("Semicolon")
    assert (edge(page, "start"), edge(page, "end")) == (2.0, 6.0)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("Control+ArrowRight")
    assert edge(page, "end") == 8.0
    page.keyboard.press("Control+ArrowLeft")
    assert (edge(page, "start"), edge(page, "end")) == (2.0, 6.0)


def test_numbers_move_an_edge_and_warnings_say_what_is_wrong(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    start, end = (page.locator(f'[data-window-edge="{name}"]') for name in ("start", "end"))
    said = page.locator("[data-window-said]")

    start.fill("0:03,70")
    start.press("Enter")
    assert (edge(page, "start"), edge(page, "end")) == (3.7, 4.0)
    expect(said).to_contain_text("Only 0.30 s: a model gets")
    expect(said).to_contain_text("No entry of the event log lies in it")
    start.fill("soon")
    start.press("Enter")
    expect(start).to_have_attribute("aria-invalid", "true")
    assert edge(page, "start") == 3.7
    start.press("k")  # a letter in a field is no vote
    start.fill("2")
    end.fill("0:99")
    end.press("Enter")
    assert (edge(page, "start"), edge(page, "end")) == (2.0, 14.0)  # as far as the segment goes
    expect(end).to_have_value("0:14.00")
    end.press("Shift+ArrowDown")
    page.get_by_role("button", name="End 0.1 s later").click()
    assert edge(page, "end") == 13.1
    expect(said).to_be_empty()
    assert not clip_item.reviews.exists()


def test_a_window_past_its_segment_is_warned_of(page, live_server, clip_item, reviewer):
    edit_item(item_id=clip_item.pk, base_version=1, changes={"end": 14.4}, reason="x", by=reviewer)

    open_review(page, live_server, clip_item)

    said = page.locator("[data-window-said]")
    expect(said).to_contain_text("Ends 0.40 s after its segment: end it at 0:14.00")


def test_beside_youtubes_player_an_edge_moves_alone_too(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)

    drag(page, '[data-edge="end"]', 30)

    assert edge(page, "start") == 5.0
    assert edge(page, "end") > 7.1
    page.keyboard.press("Control+Alt+BracketRight")
    assert edge(page, "start") == 5.0
    expect(page.locator('[data-window-edge="start"]')).to_have_value("0:05.00")


def test_css_zoom_of_200_percent_keeps_the_edge_under_the_pointer(page, live_server, clip_item):
    page.set_viewport_size({"width": 2880, "height": 1800})
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.evaluate("document.documentElement.style.zoom = '2'")
    page.wait_for_timeout(200)
    grip = page.locator('[data-edge="end"] .grip')
    before = grip.bounding_box()
    assert before is not None
    x, y = before["x"] + before["width"] / 2, before["y"] + before["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y, steps=3)
    held = grip.bounding_box()
    page.mouse.up()

    assert held is not None
    assert held["x"] + held["width"] / 2 == pytest.approx(x + 60, abs=3)
    assert edge(page, "start") == 2.0


def test_an_edge_is_held_when_the_window_changes_its_size(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    box = page.locator('[data-edge="end"]').bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.set_viewport_size({"width": 1024, "height": 768})
    page.wait_for_timeout(200)
    lane = page.locator("[data-timeline]").bounding_box()
    assert lane is not None
    aim = lane["x"] + lane["width"] - 30
    page.mouse.move(aim, lane["y"] + 105, steps=3)
    held = page.locator('[data-edge="end"] .grip').bounding_box()
    page.mouse.up()

    assert held is not None
    assert held["x"] + held["width"] / 2 == pytest.approx(aim, abs=9)  # perhaps snapped
    assert edge(page, "start") == 2.0
