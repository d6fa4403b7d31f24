"""The next item's page is there before the reader asks for it, and says what is true then."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Item, KeySight
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
HOW_IT_CAME = "performance.getEntriesByType('navigation')[0].deliveryType"


def wait_until_sent(reader, item: Item) -> None:
    """Until the server has sent the page of `item`, which shows its key."""
    deadline = time.monotonic() + 60
    while not KeySight.objects.filter(reader=reader, item=item).exists():
        assert time.monotonic() < deadline, "nothing was read ahead"
        time.sleep(0.05)


def test_the_next_page_is_read_ahead_after_a_vote(page: Page, live_server, sign_in, reviewer):
    sign_in(reviewer)
    bench = factories.benchmark()
    video = factories.video(bench)
    first, second, _ = (factories.mcq_item(video) for _ in range(3))
    refused = []
    page.on("console", lambda said: refused.append(said.text) if "Policy" in said.text else None)
    page.goto(f"{live_server.url}/b/{bench.slug}/review/{first.pk}/")
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    assert not KeySight.objects.filter(item=second).exists()

    page.keyboard.press("k")
    expect(page.locator("[data-saved]")).to_contain_text("Saved")
    wait_until_sent(reviewer, second)
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(rf"/review/{second.pk}/"))
    expect(page.locator(f'[data-entry="{first.pk}"]')).to_contain_text("Kept")
    assert page.evaluate(HOW_IT_CAME) == "navigational-prefetch"
    assert not refused
