"""The YouTube player in real Chromium, against a stand-in with the real one's ways."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation import source_access
from annotation.models import Source
from annotation.source_access import ClipUnavailable
from tests.functional.conftest import YOUTUBE_ID
from tests.functional.player import (
    calls,
    look,
    loops_in,
    open_review,
    wait_playing,
    wait_until,
    watch,
)

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def test_the_window_loops_without_a_storm_of_seeks(page: Page, live_server, item_with):
    open_review(page, live_server, item_with((5.0, 7.0)))
    wait_playing(page)
    seeks = len(calls(page, "seekTo"))

    times = watch(page, 7)

    assert max(times) < 7.3
    assert min(times) > 4.5
    assert loops_in(times) in (3, 4)
    assert len(calls(page, "seekTo")) - seeks <= 4


def test_source_time_is_item_time_plus_the_start_of_the_video(page, live_server, item_with):
    open_review(page, live_server, item_with((5.0, 7.0)))
    wait_playing(page)

    assert calls(page, "seekTo")[0] == ["seekTo", 35.25, True]
    assert 4.5 < look(page, "player.time") < 7.3
    expect(page.locator("[data-of]")).to_have_text("0:07.00")


def test_a_clip_shorter_than_the_hold_off_loops(page, live_server, item_with):
    open_review(page, live_server, item_with((5.0, 5.42)))
    wait_playing(page)

    times = watch(page, 4)

    assert max(times) < 5.42 + 0.45  # a report may be a quarter of a second late
    assert loops_in(times) >= 3


def test_a_seek_that_lands_on_an_earlier_keyframe_does_not_seek_again(page, live_server, item_with):
    # The source has keyframes at 34 s and 36 s; the window starts at 35.25 s.
    open_review(page, live_server, item_with((5.0, 7.0), keyframes=2.0))
    wait_playing(page)
    before = len(calls(page, "seekTo"))

    times = watch(page, 7)

    assert min(times) < 4.2
    assert max(times) < 7.4
    assert len(calls(page, "seekTo")) - before <= 4


def test_a_window_that_ends_with_its_source_loops_by_state_0(page, live_server, item_with):
    open_review(page, live_server, item_with((5.0, 7.5), duration=37.0))
    wait_playing(page)

    times = watch(page, 6)

    assert loops_in(times) >= 2
    assert look(page, "player.playing")


def test_how_the_player_is_asked_for(page, live_server, item_with, youtube):
    open_review(page, live_server, item_with())
    wait_playing(page)
    frame = page.locator("[data-screen] iframe")

    address = frame.get_attribute("src") or ""

    assert address.startswith(f"{youtube.frame_origin}/embed/{YOUTUBE_ID}?")
    for part in ("enablejsapi=1", "playsinline=1", "mute=1", "rel=0", "disablekb=1", "start=35"):
        assert part in address
    assert f"origin={live_server.url.replace(':', '%3A').replace('/', '%2F')}" in address
    assert frame.get_attribute("tabindex") == "-1"


def test_the_switch_plays_from_the_other_host(page, live_server, item_with, youtube, settings):
    settings.YOUTUBE_FRAME_ORIGIN = youtube.script_origin
    open_review(page, live_server, item_with())
    wait_playing(page)

    expect(page.locator("[data-screen] iframe")).to_have_attribute(
        "src", re.compile(f"^{youtube.script_origin}/embed/")
    )


def test_a_frame_that_takes_the_focus_gives_it_back_and_keys_work(page, live_server, item_with):
    open_review(page, live_server, item_with(takes_focus=True))
    page.locator('[data-speed="1"]').focus()
    wait_playing(page)
    page.wait_for_function("() => document.activeElement?.matches('[data-speed=\"1\"]')")

    page.keyboard.press("l")

    wait_until(page, "!player.looping")


def test_a_click_on_the_player_does_not_take_the_keys_away(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)
    page.locator("[data-player]").click(position={"x": 30, "y": 30})
    page.wait_for_function("() => document.activeElement?.tagName !== 'IFRAME'")

    page.keyboard.press("Space")

    wait_until(page, "!player.playing")


def test_nothing_lies_over_a_playing_player(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)

    tops = page.locator("[data-player]").evaluate(
        """(box) => [0.05, 0.5, 0.95].flatMap((x) => [0.05, 0.5, 0.95].map((y) => {
            const { left, top, width, height } = box.getBoundingClientRect();
            return document.elementFromPoint(left + width * x, top + height * y).tagName;
        }))"""
    )

    assert set(tops) == {"IFRAME"}


def test_the_page_going_out_of_sight_pauses(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)

    page.evaluate(
        """() => {
            Object.defineProperty(document, "hidden", { value: true, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )

    wait_until(page, "!player.playing")


def test_frames_are_stepped_while_the_clock_lags(page, live_server, item_with):
    open_review(page, live_server, item_with(tell_ms=400, seek_ms=300))
    wait_playing(page)
    page.keyboard.press(",")
    wait_until(page, "!player.playing")
    page.wait_for_timeout(1000)
    at = look(page, "player.time")

    for _ in range(6):
        page.keyboard.press(".")

    assert look(page, "player.time") == pytest.approx(at + 6 / 30, abs=0.02)


def test_speed_goes_up_and_down_by_keys(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)

    page.keyboard.press("-")
    expect(page.locator('[data-speed="0.5"]')).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("=")
    page.keyboard.press("=")

    expect(page.locator('[data-speed="1.5"]')).to_have_attribute("aria-pressed", "true")
    assert look(page, "player.rate") == 1.5


def test_the_models_view_shows_a_still_in_the_players_place(page, live_server, item_with):
    open_review(page, live_server, item_with())
    wait_playing(page)

    page.keyboard.press("m")

    expect(page.locator("[data-instead]")).to_contain_text("still", ignore_case=True)
    wait_until(page, "!player.playing")
    assert page.locator("[data-screen]").evaluate("(e) => getComputedStyle(e).visibility") == (
        "hidden"
    )
    page.keyboard.press("Space")
    wait_playing(page)
    expect(page.locator("[data-do=model]")).to_have_attribute("aria-checked", "false")


def test_an_outline_lies_over_the_paused_player_only_where_it_was_allowed(
    page, live_server, item_with
):
    item = item_with()
    item.benchmark.allow_player_outline = True
    item.benchmark.save()
    Source.objects.update(width=1280, height=720)
    open_review(page, live_server, item)
    wait_playing(page)
    outline = page.locator("[data-player] .outline")
    expect(outline).to_have_count(0)

    page.keyboard.press("m")

    expect(outline).to_have_count(1)
    wait_until(page, "!player.playing")
    assert outline.evaluate("(e) => getComputedStyle(e).pointerEvents") == "none"
    page.keyboard.press("Space")
    wait_playing(page)
    expect(outline).to_have_count(0)


def test_a_player_that_tells_late_that_it_plays_stays_paused(page, live_server, item_with):
    item = item_with()
    item.benchmark.allow_player_outline = True
    item.benchmark.save()
    Source.objects.update(width=1280, height=720)
    open_review(page, live_server, item)
    wait_playing(page)

    page.evaluate(
        """() => {
            document.querySelector("[data-stage]").stage.showModel(true);
            YT.made[0].options.events.onStateChange({ data: YT.PlayerState.PLAYING });
        }"""
    )

    expect(page.locator("[data-player] .outline")).to_have_count(1)
    wait_until(page, "!player.playing")
    page.keyboard.press("Space")
    wait_playing(page)


def test_what_cannot_be_cut_is_told_in_the_players_place(
    page, live_server, item_with, monkeypatch, worker_at_once
):
    def unreachable(source):
        raise ClipUnavailable("YouTube asks for a sign-in.", "Supply the file.")

    monkeypatch.setattr(source_access, "open_source", unreachable)
    open_review(page, live_server, item_with())
    wait_playing(page)

    page.get_by_role("button", name="Model's file").click()

    clip = page.locator("[data-model-clip]")
    expect(clip).to_contain_text("No clip: YouTube asks for a sign-in. Supply the file.")
    expect(page.locator("[data-screen]")).to_be_hidden()
    page.get_by_role("button", name="Model's file").click()
    expect(clip).to_be_hidden()
    expect(page.locator("[data-screen]")).to_be_visible()
