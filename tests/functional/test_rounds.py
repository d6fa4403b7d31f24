"""Rounds in a real browser: two readers, leases, skips, training, and when a queue is finished."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Answer, Review, Turn
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")


@pytest.fixture
def items(transactional_db):
    vid = factories.video(factories.benchmark())
    return [factories.mcq_item(vid, stem=f"Question {number}?") for number in range(3)]


@pytest.fixture
def start(page: Page, live_server, sign_in):
    """Return a function that signs somebody in and asks for their next item; returns its id."""

    def go(user, bench) -> int:
        sign_in(user)
        page.goto(f"{live_server.url}/b/{bench.slug}/review/")
        return here(page)

    return go


def here(page: Page) -> int:
    page.wait_for_url(re.compile(r"/review/\d+/"))
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    return int(re.search(r"/review/(\d+)/", page.url).group(1))


def keep_and_go_on(page: Page) -> None:
    before = page.url
    page.keyboard.press("k")
    expect(page.locator("[data-saved]")).to_contain_text(SAVED)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)


def test_a_round_that_asks_for_answers_is_worked_by_keys(page: Page, start, items, reviewer):
    bench = items[0].benchmark
    factories.review_round(bench, items, [reviewer], mode="answer")
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    first = start(reviewer, bench)
    page.keyboard.press("g")
    expect(page.locator("[data-guide]")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator('[data-verdict-button="keep"]')).to_be_visible()
    keep_and_go_on(page)
    assert here(page) != first
    assert Answer.objects.get().item_id == first
    assert faults == []


def test_two_readers_never_share_an_item_that_wants_one_vote(
    page: Page, start, items, reviewer, reviewer_2, live_server
):
    bench = items[0].benchmark
    factories.review_round(bench, items, [reviewer, reviewer_2])
    first = start(reviewer, bench)
    expect(page.locator("[data-round-state=held]")).to_be_attached()
    other = start(reviewer_2, bench)
    assert other != first

    page.goto(f"{live_server.url}/b/{bench.slug}/review/{first}/")
    expect(page.locator("[data-holder]")).to_contain_text("Held by reviewer until")
    expect(page.get_by_text("Question")).not_to_have_count(0)
    page.keyboard.press("k")
    expect(page.locator('[data-verdict-button="keep"]')).to_be_hidden()
    assert not Review.objects.exists()

    page.keyboard.press("Enter")
    assert here(page) == other
    keep_and_go_on(page)
    assert here(page) not in (first, other)
    keep_and_go_on(page)
    page.wait_for_url(re.compile("/review/done/"))
    expect(page.locator("[data-rest=held]")).to_contain_text("1 item held by reviewer until")

    # The lease runs out: what was held comes back to whoever is left.
    Turn.objects.filter(state="held").update(lease_until=timezone.now() - timedelta(minutes=1))
    page.reload()
    page.get_by_role("link", name="Go on").click()
    assert here(page) == first
    keep_and_go_on(page)
    expect(page.locator("[data-rest=done]")).to_contain_text("You are done with")


def test_a_skip_tells_why_and_comes_back(page: Page, start, items, reviewer, picture):
    bench = items[0].benchmark
    factories.review_round(bench, items[:2], [reviewer])
    first = start(reviewer, bench)
    page.keyboard.press("s")
    expect(page.locator("[data-skip-reason=field]")).to_be_visible()
    page.keyboard.press("2")
    page.wait_for_url(lambda url: f"/review/{first}/" not in url)
    here(page)
    expect(page.locator("[data-queue]")).to_contain_text("Not my field")
    keep_and_go_on(page)
    assert here(page) == first  # after the rest of the queue
    expect(page.get_by_text("You skipped this item.")).to_be_visible()
    page.keyboard.press("s")
    page.keyboard.press("s")
    page.wait_for_url(re.compile("/review/done/"))
    expect(page.locator("[data-rest=skipped]")).to_contain_text("1 skipped by you")
    page.keyboard.press("Enter")
    assert here(page) == first
    keep_and_go_on(page)
    expect(page.locator("[data-rest=done]")).to_be_visible()
    picture("queue-finished")
    assert list(Review.objects.order_by("created_at").values_list("verdict", flat=True)) == [
        "skip",
        "keep",
        "skip",
        "keep",
    ]


def test_training_comes_first_with_feedback_and_settles_nothing(
    page: Page, start, items, reviewer, picture
):
    bench = items[0].benchmark
    round_ = factories.review_round(bench, items[:1], [reviewer], training_size=1)
    round_.items.create(
        item=items[2],
        position=0,
        is_training=True,
        expected_verdict="drop",
        feedback="The needle is outside of the box.",
    )
    assert start(reviewer, bench) == items[2].pk
    expect(page.get_by_text("Training.")).to_be_visible()
    page.keyboard.press("k")
    feedback = page.locator("[data-feedback]")
    expect(feedback).to_contain_text("Expected was drop; you said keep.")
    expect(feedback).to_contain_text("The needle is outside of the box.")
    picture("training-feedback")
    expect(page.locator("[data-evidence]")).to_have_count(0)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/review/{items[0].pk}/"))
    items[2].refresh_from_db()
    assert items[2].state == "todo"
