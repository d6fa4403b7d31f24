"""The file player, its transport and its timeline in real Chromium."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from annotation.actions.quarantine import quarantine_video
from tests.functional.player import look, loops_in, open_review, wait_playing, wait_until, watch
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def test_the_window_loops(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    times = watch(page, 5.5)

    assert min(times) > 1.9
    assert max(times) < 4.05
    assert loops_in(times) in (2, 3)


def test_without_the_loop_it_plays_to_the_end_of_the_video(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    page.keyboard.press("l")
    page.evaluate("document.querySelector('[data-stage]').stage.player.seek(13)")

    wait_until(page, "!player.playing")
    assert look(page, "player.time") == pytest.approx(14, abs=0.15)


def test_a_frame_is_a_frame(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.wait_for_timeout(600)
    page.keyboard.press(",")
    wait_until(page, "!player.playing")
    at = look(page, "player.time")

    for _ in range(5):
        page.keyboard.press(".")

    assert look(page, "player.time") == pytest.approx(at + 5 / 25, abs=0.012)


def test_home_goes_to_the_start_of_the_window(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.keyboard.press("Space")

    page.keyboard.press("Home")

    assert look(page, "player.time") == pytest.approx(2, abs=0.01)


def test_an_event_is_lit_while_it_happens_and_jumps_there(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    rows = page.locator("[data-event-list] li")
    expect(page.locator("[data-event-count]")).to_have_text(
        "3 events from the narration; the window spans 0"
    )

    rows.nth(1).click()

    expect(rows.nth(1)).to_have_attribute("aria-current", "true")
    assert 5.9 < look(page, "player.time") < 7  # outside the window it plays on


def test_a_press_on_a_lane_seeks_there(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.keyboard.press("Space")
    box = page.locator("[data-timeline]").bounding_box()
    assert box is not None

    page.mouse.click(box["x"] + 58 + (box["width"] - 58) * 0.5, box["y"] + 12)

    assert look(page, "player.time") == pytest.approx(7, abs=0.1)


def test_the_models_view_crops_the_playing_video(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
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


def test_a_missing_file_has_its_card_and_can_be_tried_again(page, live_server, clip_item, settings):
    path = settings.MEDIA_STORE / "sources" / "picture.mp4"
    aside = path.with_name("aside.mp4")
    path.rename(aside)
    open_review(page, live_server, clip_item)
    card = page.locator('[data-fault="file_missing"]')
    expect(card).to_contain_text("2 items are affected")

    aside.rename(path)
    page.get_by_role("button", name="Try again").click()

    wait_playing(page)
    expect(card).to_have_count(0)


def test_the_timeline_is_drawn_again_when_its_width_changes(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
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


def test_the_sound_is_off(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    assert page.locator("video").evaluate("(video) => video.muted")


def test_no_key_reports_by_chance(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)
    source = clip_item.video.source

    page.keyboard.press("f")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator("#report")).to_be_hidden()
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("Space")

    wait_until(page, "player && !player.playing")
    before = source.state
    source.refresh_from_db()
    assert source.state == before


def test_reporting_by_key(page, live_server, clip_item):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    page.keyboard.press("f")
    page.get_by_role("button", name="does not play").click()
    expect(page.locator("[data-report-said]")).to_contain_text("Press again to report")
    page.get_by_role("button", name="does not play").click()

    expect(page.locator("[data-report-said]")).to_have_text("Reported, thank you.")
    clip_item.video.source.refresh_from_db()
    assert clip_item.video.source.state == "blocked"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_and_without_errors(page, live_server, clip_item, reviewer, theme):
    reviewer.theme = theme
    reviewer.save()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: line.type == "error" and errors.append(line.text))
    open_review(page, live_server, clip_item)
    wait_playing(page)
    page.locator('[data-edge="end"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("f")

    found = Axe().run(at_rest(page), options=RULES).response["violations"]

    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert errors == []


def test_the_file_that_a_model_gets_plays_in_the_players_place(
    page, live_server, clip_item, reviewer, worker_at_once
):
    open_review(page, live_server, clip_item)
    wait_playing(page)

    page.keyboard.press("Shift+KeyM")

    clip = page.locator("[data-model-clip]")
    expect(clip).to_contain_text("320 × 180 px, 30 frames at 15 a second, 2.00 s")
    page.wait_for_function(
        "() => document.querySelector('[data-model-clip] video').currentTime > 0.1"
    )
    assert clip.locator("video").evaluate("(v) => [v.videoWidth, v.videoHeight, v.muted]") == [
        320,
        180,
        True,
    ]
    assert look(page, "player.playing") is False
    expect(page.locator("[data-screen]")).to_be_hidden()
    page.keyboard.press("Space")
    wait_playing(page)
    expect(clip).to_be_hidden()
    expect(page.locator("[data-screen]")).to_be_visible()

    quarantine_video(video_id=clip_item.video_id, by=reviewer)
    page.keyboard.press("Shift+KeyM")
    expect(clip).to_contain_text("No clip: The video is in quarantine")
