"""What helps at drawing a box, in real Chromium: suggestion, the model's clip, taking back."""

import hashlib
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation import media, roi_suggestions
from annotation.actions.quarantine import quarantine_video
from annotation.domain import roi_suggestion
from annotation.domain.roi import Roi
from tests import factories
from tests.functional.conftest import BLOCK, FRAME, START
from tests.functional.roi_editor import drag, open_editor, pixels

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SCAN = Roi.from_pixels(*BLOCK, width=FRAME[0], height=FRAME[1])


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the worker finds; a test may put something else there."""
    found = {"is": roi_suggestion.Suggestion(SCAN, 0.93, scan=SCAN)}
    monkeypatch.setattr(media, "bursts", lambda video, looked: None)
    monkeypatch.setattr(roi_suggestion, "suggest", lambda frames: found["is"])
    return found


def test_a_suggestion_is_shown_applied_by_a_key_and_saved_only_then(
    page: Page, live_server, roi_item, looked, picture
):
    open_editor(page, live_server, roi_item)
    bar, checks = page.locator("[data-suggestion]"), page.locator("[data-checks]")
    expect(checks).to_contain_text("stills")

    page.keyboard.press("g")

    expect(bar).to_contain_text("Suggested: 320 × 180 px at 160, 90, confidence 93 %")
    expect(page.locator(".roi-proposal")).to_be_visible()
    expect(checks).to_contain_text("Cuts the moving picture: move the right edge out by 180 px")
    picture("roi-suggestion")
    assert pixels(page) == [100, 60, 200, 120]
    expect(page.locator("[data-dirty]")).to_be_hidden()
    page.keyboard.press("d")
    expect(bar).to_be_hidden()
    expect(page.locator(".roi-proposal")).to_be_hidden()
    page.keyboard.press("a")  # nothing is proposed any more
    assert pixels(page) == [100, 60, 200, 120]

    page.keyboard.press("g")
    expect(bar).to_contain_text("Suggested")
    page.keyboard.press("a")

    assert pixels(page) == list(BLOCK)
    expect(page.locator("[data-dirty]")).to_be_visible()
    expect(checks).to_contain_text("The whole moving picture is inside")
    roi_item.video.refresh_from_db()
    assert roi_item.video.version == 1
    page.keyboard.press("z")
    assert pixels(page) == [100, 60, 200, 120]
    page.keyboard.press("g")
    page.keyboard.press("Escape")  # first takes the suggestion away, and leaves only then
    expect(bar).to_be_hidden()
    assert "/roi/" in page.url


def test_no_confident_suggestion_a_failure_and_no_network_are_told_apart(
    page: Page, live_server, roi_item, looked, picture
):
    open_editor(page, live_server, roi_item)
    bar = page.locator("[data-suggestion]")
    page.route("**/suggestion/", lambda route: route.abort())
    page.keyboard.press("g")
    expect(bar).to_contain_text("the server cannot be reached")
    page.unroute("**/suggestion/")

    looked["is"] = roi_suggestion.Suggestion(None, 0.2, "Nothing moves in this video.")
    page.get_by_role("button", name="Try again").click()
    expect(bar).to_contain_text("No confident suggestion. Nothing moves in this video.")
    picture("roi-no-suggestion")
    expect(page.locator(".roi-proposal")).to_be_hidden()

    roi_suggestions.place(roi_item.video).unlink()
    quarantine_video(video_id=roi_item.video_id, by=factories.account(role="reviewer"))
    page.keyboard.press("g")
    expect(bar).to_contain_text("No suggestion: The video is in quarantine")
    page.keyboard.press("m")
    expect(page.locator("[data-clip-said]")).to_contain_text("quarantine")
    expect(page.locator("[data-clip] video")).to_have_count(0)


def test_progress_is_shown_while_a_worker_looks(page: Page, live_server, roi_item, picture):
    answers = [
        (202, '{"state": "working", "done": 0, "total": 8}'),
        (202, '{"state": "working", "done": 5, "total": 8}'),
        (200, '{"state": "failed", "reason": "Gone.", "advice": "Put it back."}'),
    ]
    open_editor(page, live_server, roi_item)
    held: list[Any] = []
    page.route("**/suggestion/", lambda route: held.append(route))
    bar = page.locator("[data-suggestion]")

    page.keyboard.press("g")
    for place, text in enumerate(("A worker looks", "Looking at the video: 5 of 8", "Gone.")):
        page.wait_for_timeout(50)
        while len(held) <= place:
            page.wait_for_timeout(50)
        status, body = answers[place]
        held[place].fulfill(status=status, body=body, content_type="application/json")
        expect(bar).to_contain_text(text)
        picture(f"roi-looking-{place}")
    expect(bar).to_contain_text("Put it back.")
    expect(page.locator('[data-act="suggest"]')).to_have_attribute("aria-busy", "false")


def test_the_clip_that_plays_is_the_file_a_model_gets(page: Page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    drag(page, "[data-inside]", 41, 0)
    assert pixels(page) == [141, 60, 200, 120]

    page.keyboard.press("m")

    video, facts = page.locator("[data-clip] video"), page.locator("[data-clip-facts]")
    expect(page.locator("[data-clip-said]")).to_contain_text("of the box as drawn, which is not")
    page.wait_for_function("() => document.querySelector('[data-clip] video')?.currentTime > 0.2")
    assert video.evaluate("(v) => [v.videoWidth, v.videoHeight, v.muted, v.loop]") == [
        200,
        120,
        True,
        True,
    ]
    expect(facts).to_contain_text("200 × 120 px")
    expect(facts).to_contain_text("2.00 s30 frames at 15 a second")
    version = factories.current(roi_item)
    version.roi_x = 141 / FRAME[0]
    clip = media.clip(version)
    assert hashlib.sha256(clip.path.read_bytes()).hexdigest() in facts.inner_text()
    page.keyboard.press("ArrowRight")
    expect(video).to_have_count(0)
    expect(page.locator("[data-crop]")).to_be_visible()
    expect(page.locator("[data-clip-said]")).to_contain_text("The box has moved on")


def test_with_reduced_motion_the_clip_waits(page: Page, live_server, roi_item):
    page.emulate_media(reduced_motion="reduce")
    open_editor(page, live_server, roi_item)

    page.keyboard.press("m")
    expect(page.locator("[data-clip] video")).to_be_visible()
    page.wait_for_timeout(300)
    assert page.locator("[data-clip] video").evaluate("(v) => v.paused")

    page.keyboard.press("m")
    page.wait_for_function("() => !document.querySelector('[data-clip] video').paused")


def test_a_save_is_taken_back_with_what_it_did(page: Page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.get_by_text("Which items get a new version (2)").click()
    expect(page.locator("details[open]")).to_contain_text("MCQ 1, Free 1")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    assert not roi_item.video.items.filter(keep=True).exists()

    page.keyboard.press("z")

    expect(page.locator("[data-save-note]")).to_contain_text("the box from before, as v3")
    roi_item.video.refresh_from_db()
    assert roi_item.video.version == 3
    assert roi_item.video.roi_x == START.x
    assert roi_item.video.items.filter(keep=True).count() == 2


def test_keys_keep_their_place_on_a_cyrillic_layout(page: Page, live_server, roi_item, looked):
    open_editor(page, live_server, roi_item)
    press = """([key, code]) => document.activeElement.dispatchEvent(
        new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true }))"""

    page.evaluate(press, ["п", "KeyG"])
    expect(page.locator("[data-suggestion]")).to_contain_text("Suggested")
    page.evaluate(press, ["ф", "KeyA"])
    assert pixels(page) == list(BLOCK)
    page.evaluate(press, ["я", "KeyZ"])
    assert pixels(page) == [100, 60, 200, 120]
    page.evaluate(press, ["ь", "KeyM"])
    expect(page.locator("[data-clip] video")).to_be_visible()
