"""What a reader sees when YouTube does not play: errors, silence, blocked autoplay."""

import pytest
from playwright.sync_api import expect

from annotation.models import Revision, Source
from tests.functional.player import calls, open_review, wait_playing

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


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
def test_each_error_has_its_card(page, live_server, item_with, ways, reason, actions, picture):
    open_review(page, live_server, item_with(**ways))

    expect(page.locator(f'[data-fault="{reason}"]')).to_be_visible()
    picture(f"error-{reason}")

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

    expect(page.locator('[data-fault="unreachable"]')).to_be_visible()
    youtube.script = "ok"
    page.get_by_role("button", name="Try again").click()

    wait_playing(page)


def test_a_player_that_says_nothing_counts_as_unreachable(page, live_server, item_with):
    open_review(page, live_server, item_with(silent=True))

    expect(page.locator('[data-fault="unreachable"]')).to_be_visible()


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


def test_a_removed_video_is_reported_from_its_card(page, live_server, item_with, reviewer):
    item = item_with(error=100)
    open_review(page, live_server, item)

    page.get_by_role("button", name="Report it").click()

    expect(page.locator("[data-report-said]")).to_have_text("Reported, thank you.")
    assert Source.objects.get(pk=item.video.source_id).state == "removed"
    assert Revision.objects.filter(verb="source_finding", actor=reviewer.pseudonym).exists()
