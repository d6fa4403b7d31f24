"""The file player, transport, timeline and window of the review page in real Chromium."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.actions.items import edit_item
from annotation.models import Item
from tests import factories
from tests.functional.conftest import BLOCK, FRAME
from tests.functional.player import look, loops_in, open_review, wait_playing, wait_until, watch

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def item(stored_file: str, sign_in: Any, reviewer: Any) -> Item:
    """An MCQ with the window 2 to 4 s of a video that starts at second 5 of the file."""
    sign_in(reviewer)
    bench = factories.benchmark()
    source = factories.source(bench, kind="file", key=stored_file, width=FRAME[0], height=FRAME[1])
    x, y, w, h = (BLOCK[0] / 640, BLOCK[1] / 360, BLOCK[2] / 640, BLOCK[3] / 360)
    vid = factories.video(bench, of=source, start=5.0, end=19.0, roi_x=x, roi_y=y, roi_w=w, roi_h=h)
    for start in (0.0, 6.0, 9.0):
        factories.event(vid, start=start, end=start + 2)
    factories.free_item(vid, window=(6.0, 8.0))
    return factories.mcq_item(vid, window=(2.0, 4.0))


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


def test_the_window_loops(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    times = watch(page, 5.5)

    assert min(times) > 1.9
    assert max(times) < 4.05
    assert loops_in(times) in (2, 3)


def test_the_loop_off_plays_on_to_the_end_of_the_video_and_stops_there(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    page.keyboard.press("l")
    page.evaluate("document.querySelector('[data-stage]').stage.player.seek(13)")

    wait_until(page, "!player.playing")
    assert look(page, "player.time") == pytest.approx(14, abs=0.15)


def test_a_frame_is_a_frame(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)
    page.wait_for_timeout(600)
    page.keyboard.press(",")
    wait_until(page, "!player.playing")
    at = look(page, "player.time")

    for _ in range(5):
        page.keyboard.press(".")

    assert look(page, "player.time") == pytest.approx(at + 5 / 25, abs=0.012)


def test_home_goes_to_the_start_of_the_window(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)
    page.keyboard.press("Space")

    page.keyboard.press("Home")

    assert look(page, "player.time") == pytest.approx(2, abs=0.01)


def test_an_event_is_lit_while_it_happens_and_jumps_there(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)
    rows = page.locator("[data-event-list] li")
    expect(page.locator("[data-event-count]")).to_have_text(
        "3 events from the narration; the window spans 0"
    )

    rows.nth(1).click()

    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    assert 5.9 < look(page, "player.time") < 7  # outside the window it plays on


def test_a_press_on_a_lane_seeks_there(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)
    page.keyboard.press("Space")
    box = page.locator("[data-timeline]").bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + 58 + (box["width"] - 58) * 0.5, box["y"] + 12)

    assert look(page, "player.time") == pytest.approx(7, abs=0.1)


@pytest.mark.parametrize(("name", "other"), [("start", "end"), ("end", "start")])
def test_dragging_an_edge_moves_that_edge_alone(page, live_server, item, name, other):
    open_review(page, live_server, item)
    wait_playing(page)
    was, stays = edge(page, name), edge(page, other)

    drag(page, f'[data-edge="{name}"]', 40 if name == "end" else -40)

    assert edge(page, other) == stays
    assert abs(edge(page, name) - was) > 0.1
    expect(page.locator("[data-draft]")).to_contain_text("not saved yet")


def test_an_edge_stops_before_the_other_and_at_the_video(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    drag(page, '[data-edge="start"]', 600)
    assert edge(page, "start") == pytest.approx(3.8, abs=0.001)
    drag(page, '[data-edge="start"]', -900)

    assert edge(page, "start") >= 0
    assert edge(page, "end") == 4.0


def test_keys_set_the_edges_to_the_playhead_and_nudge_them(page, live_server, item):
    open_review(page, live_server, item)
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


def test_the_loop_follows_the_new_window(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    page.locator('[data-edge="end"]').focus()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(300)

    assert max(watch(page, 3)) < 3.1


def test_saving_the_window_makes_a_version(page, live_server, item, reviewer):
    open_review(page, live_server, item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    with page.expect_response("**/versions/") as saved:
        page.keyboard.press("w")

    assert saved.value.status == 201
    version = factories.current(item)
    assert (version.number, version.start, version.end) == (2, 2.0, 4.1)
    assert version.author == reviewer
    expect(page.locator("[data-of]")).to_have_text("0:04.10")
    expect(page.locator("[data-draft]")).to_be_hidden()


def test_a_window_that_is_not_saved_outlives_a_reload(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    page.reload()
    wait_playing(page)

    assert edge(page, "end") == 4.1
    page.get_by_role("button", name="Put back").click()
    assert edge(page, "end") == 4.0


def test_a_stale_window_shows_both_and_overwrites_nothing(
    page, live_server, item, reviewer, reviewer_2
):
    open_review(page, live_server, item)
    wait_playing(page)
    edit_item(
        item_id=item.pk, base_version=1, changes={"end": 3.5}, reason="earlier", by=reviewer_2
    )
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")

    page.keyboard.press("w")

    draft = page.locator("[data-draft]")
    expect(draft).to_contain_text("Someone saved v2 while you edited v1.")
    expect(draft).to_contain_text("0:02.00 to 0:03.50 theirs, 0:02.00 to 0:04.10 yours")
    assert factories.current(item).end == 3.5
    with page.expect_response("**/versions/"):
        page.get_by_role("button", name="Save mine as v3").click()
    assert (factories.current(item).number, factories.current(item).end) == (3, 4.1)


def test_the_models_view_crops_the_playing_video(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    page.keyboard.press("m")

    expect(page.locator("[data-do=model]")).to_have_attribute("aria-checked", "true")
    places = page.locator("[data-player]").evaluate(
        """(box) => [box, ...box.querySelectorAll("[data-screen], video")].map((element) => {
            const { left, top, width, height } = element.getBoundingClientRect();
            return [left, top, width, height];
        })"""
    )
    (left, top, width, height), screen, video = places
    assert screen == pytest.approx([left, top, width, height], abs=0.6)  # the ROI is 16:9 too
    assert video == pytest.approx(
        [left - width / 2, top - height / 2, width * 2, height * 2], abs=0.6
    )
    assert look(page, "player.playing")


def test_a_missing_file_has_its_card_and_can_be_tried_again(page, live_server, item, settings):
    path = settings.MEDIA_STORE / "sources" / "picture.mp4"
    aside = path.with_name("aside.mp4")
    path.rename(aside)
    open_review(page, live_server, item)
    card = page.locator('[data-fault="file_missing"]')
    expect(card).to_contain_text("2 items are affected")

    aside.rename(path)
    page.get_by_role("button", name="Try again").click()

    wait_playing(page)
    expect(card).to_have_count(0)


def test_the_timeline_is_drawn_again_when_its_width_changes(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(150)
        inside = page.locator("[data-timeline]").evaluate(
            """(svg) => {
                const box = svg.getBoundingClientRect();
                return [...svg.querySelectorAll("[role=slider]")].every((handle) => {
                    const { left, right } = handle.querySelector(".grip").getBoundingClientRect();
                    return left >= box.left - 5 && right <= box.right + 5;
                });
            }"""
        )
        assert inside
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_sound_is_off(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    assert page.locator("video").evaluate("(video) => video.muted")


def test_reporting_by_key(page, live_server, item):
    open_review(page, live_server, item)
    wait_playing(page)

    page.keyboard.press("f")
    page.get_by_role("button", name="Does not play").click()

    expect(page.locator("[data-report-said]")).to_have_text("Reported, thank you.")
    item.video.source.refresh_from_db()
    assert item.video.source.state == "blocked"
