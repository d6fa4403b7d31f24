"""The YouTube player in real Chromium, against a stand-in with the real one's ways."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Item, Revision, Source
from tests import factories
from tests.functional.player import (
    calls,
    look,
    loops_in,
    open_review,
    wait_playing,
    wait_until,
    watch,
)
from tests.standins.youtube import Clip, YouTube

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
ID = "dQ-_4567890"


@pytest.fixture
def item_with(youtube: YouTube) -> Callable[..., Item]:
    """Return a function that makes an item on a YouTube video that behaves as `Clip` says."""

    def make(window: tuple[float, float] = (5.0, 7.0), *, key: str = ID, **ways: Any) -> Item:
        bench = factories.benchmark()
        vid = factories.video(bench, of=factories.source(bench, key=key), start=30.25, end=90.25)
        factories.event(vid)
        factories.mcq_item(vid, window=(40.0, 50.0))
        youtube.clips[key] = Clip(**ways)
        return factories.mcq_item(vid, window=window)

    return make


@pytest.fixture(autouse=True)
def signed_in(sign_in: Any, reviewer: Any) -> None:
    sign_in(reviewer)


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

    assert address.startswith(f"{youtube.frame_origin}/embed/{ID}?")
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


@pytest.mark.parametrize(
    ("ways", "reason", "actions"),
    [
        ({"error": 2}, "bad_id", ["report"]),
        ({"error": 5}, "player", ["retry", "still", "open"]),
        ({"error": 100}, "removed", ["report", "still"]),
        ({"error": 101}, "embedding_off", ["open", "still", "report"]),
        ({"error": 150}, "embedding_off", ["open", "still", "report"]),
        ({"error": 153}, "referrer", ["retry", "still", "open"]),
    ],
)
def test_each_error_has_its_card(page, live_server, item_with, ways, reason, actions):
    open_review(page, live_server, item_with(**ways))

    expect(page.locator(f'[data-fault="{reason}"]')).to_be_visible()

    buttons = page.locator("[data-fault] button")
    assert [b.get_attribute("data-card") for b in buttons.all()] == actions
    assert page.locator("[data-screen]").evaluate("(e) => getComputedStyle(e).visibility") == (
        "hidden"
    )


def test_error_5_is_tried_once_more_and_then_plays(page, live_server, item_with):
    open_review(page, live_server, item_with(error=5, failing=1))

    wait_playing(page)

    assert len(calls(page, "loadVideoById")) == 1
    assert "endSeconds" not in calls(page, "loadVideoById")[0][1]
    expect(page.locator("[data-fault]")).to_have_count(0)


def test_without_a_referrer_the_card_says_153(page, live_server, item_with):
    page.add_init_script(
        """addEventListener("DOMContentLoaded", () => {
            const meta = document.createElement("meta");
            Object.assign(meta, { name: "referrer", content: "no-referrer" });
            document.head.append(meta);
        })"""
    )

    open_review(page, live_server, item_with())

    expect(page.locator('[data-fault="referrer"]')).to_be_visible()


def test_our_own_headers_let_the_player_play(page, live_server, item_with):
    response = page.goto(f"{live_server.url}/accounts/login/")
    assert response is not None
    assert response.headers["referrer-policy"] == "strict-origin-when-cross-origin"


@pytest.mark.parametrize("script", ["refused", "silent"])
def test_a_blocked_script_is_told_within_seconds_and_can_be_tried_again(
    page, live_server, item_with, youtube, script
):
    item = item_with()
    youtube.script = script
    open_review(page, live_server, item)

    expect(page.locator('[data-fault="unreachable"]')).to_be_visible(timeout=7000)
    youtube.script = "ok"
    page.get_by_role("button", name="Try again").click()

    wait_playing(page)


def test_a_player_that_says_nothing_counts_as_unreachable(page, live_server, item_with):
    open_review(page, live_server, item_with(silent=True))

    expect(page.locator('[data-fault="unreachable"]')).to_be_visible(timeout=7000)


def test_blocked_autoplay_asks_for_space_and_space_plays(page, live_server, item_with):
    open_review(page, live_server, item_with(autoplay_blocks=1))
    expect(page.locator('[data-fault="autoplay"]')).to_contain_text("Press Space to play")

    page.keyboard.press("Space")

    wait_playing(page)
    expect(page.locator("[data-player]")).to_have_attribute("data-state", "ready")


def test_autoplay_blocked_again_shows_the_player_to_be_pressed(page, live_server, item_with):
    open_review(page, live_server, item_with(autoplay_blocks=2))
    expect(page.locator('[data-fault="autoplay"]')).to_be_visible()

    page.keyboard.press("Space")

    expect(page.locator("[data-player]")).to_have_attribute("data-state", "ready")


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


def test_a_removed_video_is_reported_from_its_card(page, live_server, item_with, reviewer):
    item = item_with(error=100)
    open_review(page, live_server, item)

    page.get_by_role("button", name="Report it").click()

    expect(page.locator("[data-report-said]")).to_have_text("Reported, thank you.")
    assert Source.objects.get(pk=item.video.source_id).state == "removed"
    assert Revision.objects.filter(verb="source_finding", actor=reviewer.pseudonym).exists()


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
