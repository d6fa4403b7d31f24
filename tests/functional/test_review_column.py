"""The item's column, fetched anew after each vote, while the reader goes on."""

import re

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Review
from tests.functional.test_review import bench, saved, workspace  # noqa: F401 - fixtures

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


def test_a_comment_after_the_vote_is_saved_too(page: Page, workspace):  # noqa: F811
    item = workspace()
    page.keyboard.press("k")
    saved(page)
    page.keyboard.press("c")
    page.keyboard.type("A clean example.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-comment]")).to_have_value("A clean example.")
    saved(page)
    page.reload()
    expect(page.locator("[data-comment]")).to_have_value("A clean example.")
    written = (
        Review.objects.filter(item=item).order_by("created_at").values_list("comment", flat=True)
    )
    assert list(written) == ["", "A clean example."]


def test_a_comment_that_is_typed_while_the_column_comes_anew_is_one_vote(page: Page, workspace):  # noqa: F811
    item = workspace()
    held = []
    page.route(re.compile(rf"/review/{item.pk}/item/"), lambda route: held.append(route))
    page.keyboard.press("k")
    saved(page)
    page.keyboard.press("c")
    page.keyboard.type("A clean")
    while not held:
        page.wait_for_timeout(20)
    for route in held:
        route.continue_()
    expect(page.locator("[data-evidence]")).to_be_visible()
    page.unroute_all()
    expect(page.locator("[data-comment]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-comment]")).not_to_be_focused()
    saved(page)
    written = (
        Review.objects.filter(item=item).order_by("created_at").values_list("comment", flat=True)
    )
    assert list(written) == ["", "A clean"]


def test_a_column_that_comes_late_does_not_hide_the_newer_vote(page: Page, workspace):  # noqa: F811
    item = workspace()
    held = []
    column = re.compile(rf"/review/{item.pk}/item/")
    page.route(column, lambda route: held.append(route) if not held else route.continue_())
    page.keyboard.press("k")
    while not held:
        page.wait_for_timeout(20)
    kept = held[0].fetch()  # made before the next vote
    page.keyboard.press("x")
    page.keyboard.press("1")
    held[0].fulfill(response=kept)
    saved(page)
    expect(page.locator("[data-evidence]")).to_be_visible()
    expect(page.locator('[data-verdict-button="drop"]')).to_have_attribute("aria-pressed", "true")
    assert [vote.verdict for vote in Review.objects.order_by("created_at")] == ["keep", "drop"]
