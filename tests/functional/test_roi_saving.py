"""The ROI editor in real Chromium: saving, conflicts, leaving."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from annotation.actions.videos import change_roi, override_roi
from annotation.domain.roi import Roi
from annotation.models import Revision
from tests import factories
from tests.functional.conftest import FRAME
from tests.functional.roi_editor import drag, open_editor, pixels

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def test_saving_makes_a_version_of_the_video_and_its_items(page, live_server, roi_item, reviewer):
    open_editor(page, live_server, roi_item)
    drag(page, '[data-handle="se"] .roi-target', 40, 20)
    page.locator("[data-reason]").fill("the whole sector")

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    roi_item.video.refresh_from_db()
    saved = Roi(
        roi_item.video.roi_x, roi_item.video.roi_y, roi_item.video.roi_w, roi_item.video.roi_h
    )
    assert saved.to_pixels(width=FRAME[0], height=FRAME[1]) == (100, 60, 240, 140)
    assert [factories.current(one).number for one in roi_item.video.items.all()] == [2, 2]
    assert not roi_item.video.items.filter(keep=True).exists()
    row = Revision.objects.get(target_kind="video")
    assert (row.actor, row.reason) == (reviewer.pseudonym, "the whole sector")
    expect(page.get_by_text("Changes of the box (1)")).to_be_visible()
    assert pixels(page) == [100, 60, 240, 140]


def test_what_is_drawn_saved_and_opened_again_is_drawn_equal(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    drag(page, '[data-handle="nw"] .roi-target', -33, -17)
    drawn = pixels(page)
    place = page.locator(".roi-board .roi-edge").evaluate(
        "(edge) => ['x', 'y', 'width', 'height'].map((name) => Number(edge.getAttribute(name)))"
    )

    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    open_editor(page, live_server, roi_item)

    assert pixels(page) == drawn
    again = page.locator(".roi-board .roi-edge").evaluate(
        "(edge) => ['x', 'y', 'width', 'height'].map((name) => Number(edge.getAttribute(name)))"
    )
    assert again == pytest.approx(place, abs=0.01)


def test_a_cosmetic_box_leaves_the_decisions(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")
    page.locator("[data-cosmetic]").check()

    page.locator("[data-save]").click()

    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    assert roi_item.video.items.filter(keep=True).count() == 2


def test_a_box_for_this_item_only(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")
    page.get_by_label("This item only").check()
    expect(page.locator("[data-save-label]")).to_have_text("Save for this item")

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("as item v2")
    roi_item.video.refresh_from_db()
    assert roi_item.video.version == 1
    assert factories.current(roi_item).roi_is_override
    expect(page.get_by_label("This item only")).to_be_checked()


def test_an_item_takes_the_box_of_its_video_again(page, live_server, roi_item, reviewer):
    own = Roi.from_pixels(0, 0, 64, 64, width=FRAME[0], height=FRAME[1])
    override_roi(item_id=roi_item.pk, base_version=1, roi=own, reason="", by=reviewer)
    open_editor(page, live_server, roi_item)
    assert pixels(page) == [0, 0, 64, 64]
    expect(page.locator("[data-save]")).to_be_disabled()

    page.get_by_label("Remove the own box").check()
    assert pixels(page) == [100, 60, 200, 120]
    page.locator("[data-save]").click()

    expect(page.locator("[data-save-note]")).to_contain_text("as item v3")
    assert not factories.current(roi_item).roi_is_override


def test_a_stale_box_shows_both_and_overwrites_nothing(page, live_server, roi_item, reviewer_2):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")
    theirs = Roi.from_pixels(0, 0, 320, 180, width=FRAME[0], height=FRAME[1])
    change_roi(video_id=roi_item.video_id, base_version=1, roi=theirs, reason="", by=reviewer_2)

    page.keyboard.press("Control+Enter")

    note = page.locator("[data-save-note]")
    expect(note).to_contain_text("Someone saved v2 while you edited v1.")
    for text in ("320 × 180 px at 0, 0", "200 × 120 px at 101, 60"):
        expect(note).to_contain_text(text)
    roi_item.video.refresh_from_db()
    assert roi_item.video.roi_w == 0.5
    page.get_by_role("button", name="Save mine as v3").click()
    expect(note).to_contain_text("as v3")


def test_a_dead_network_keeps_the_box(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")
    page.route("**/api/v1/videos/**", lambda route: route.abort())

    page.keyboard.press("Control+Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("The box is kept on this page")
    assert pixels(page) == [101, 60, 200, 120]
    page.unroute("**/api/v1/videos/**")  # it is tried again by itself
    expect(page.locator("[data-save-note]")).to_contain_text("as v2")


def test_a_box_that_is_not_saved_outlives_the_page_and_another_version(
    page, live_server, roi_item, reviewer_2, context
):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")
    page.close()
    theirs = Roi.from_pixels(0, 0, 320, 180, width=FRAME[0], height=FRAME[1])
    change_roi(video_id=roi_item.video_id, base_version=1, roi=theirs, reason="", by=reviewer_2)

    again = context.new_page()
    open_editor(again, live_server, roi_item)
    note = again.locator("[data-save-note]")
    expect(note).to_contain_text("drawn before the last version, is back")
    assert pixels(again) == [101, 60, 200, 120]
    again.keyboard.press("Control+Enter")
    expect(note).to_contain_text("Someone saved v2 while you edited v1.")
    again.get_by_role("button", name="Take v2").click()
    width = again.locator('input[data-name="w"][data-unit="px"]')
    expect(width).to_have_value("320")
    assert pixels(again) == [0, 0, 320, 180]


def test_leaving_asks_once_where_something_is_unsaved(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)
    page.keyboard.press("ArrowRight")

    page.keyboard.press("Escape")
    expect(page.locator("[data-save-note]")).to_contain_text("Press Esc again to leave")
    assert "/roi/" in page.url
    page.keyboard.press("Escape")

    page.wait_for_url(f"**/review/{roi_item.pk}/")


def test_leaving_without_a_change_asks_nothing(page, live_server, roi_item):
    open_editor(page, live_server, roi_item)

    page.keyboard.press("Escape")

    page.wait_for_url(f"**/review/{roi_item.pk}/")


def test_a_login_that_ends_is_renewed_beside_the_box(
    page, live_server, roi_item, reviewer, picture
):
    open_editor(page, live_server, roi_item)
    drag(page, '[data-handle="se"] .roi-target', 40, 20)
    Session.objects.all().delete()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-sign-in]")).to_contain_text("Your box waits on this machine")
    assert pixels(page) == [100, 60, 240, 140]
    picture("roi-signed-out")

    page.locator("#sign-in-password").fill("not this one")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in-error]")).to_contain_text("not accepted")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")

    expect(page.locator("[data-save-note]")).to_contain_text("as v2")
    expect(page.locator("[data-sign-in]")).to_be_hidden()
    assert Revision.objects.get(target_kind="video").actor == reviewer.pseudonym
    assert pixels(page) == [100, 60, 240, 140]
