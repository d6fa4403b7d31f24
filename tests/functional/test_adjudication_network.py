"""Decisions of an adjudicator outlive a dead network and an ended session, in a real browser."""

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import BrowserContext, Page, expect

from annotation.models import Item, Revision
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def items(transactional_db, reviewer, reviewer_2):
    made = factories.benchmark()
    items = [factories.mcq_item(factories.video(made)) for _ in range(2)]
    for item in items:
        vote(item, reviewer, "keep")
        vote(item, reviewer_2, "drop", reasons=[1])
    return items


@pytest.fixture
def cases(page: Page, live_server, sign_in, adjudicator, items):
    """Open the page; return its cases in the order of `items`."""
    sign_in(adjudicator)
    page.goto(f"{live_server.url}/b/{items[0].benchmark.slug}/adjudication/")
    expect(page.locator("[data-case]").first).to_have_attribute("aria-current", "true")
    return [page.locator(f"#item-{item.pk}") for item in items]


def decisions() -> list[tuple[int, str, str]]:
    found = Revision.objects.filter(verb__in=("adjudicate", "return_item"))
    return sorted(found.values_list("target_id", "verb", "reason"))


def test_a_decision_waits_for_the_network_and_arrives_once(
    page: Page, context: BrowserContext, cases, items
):
    first, second = cases
    second.get_by_label("Reason, or question").fill("Half a reason")
    words = first.get_by_label("Reason, or question")
    words.fill("Where does it end?")
    # The server hears it and the answer is lost: what is sent again is a replay.
    page.route("**/adjudication/*/", lambda route: (route.fetch(), route.abort()), times=1)
    first.get_by_role("button", name="Return").click()
    expect(first.get_by_role("alert")).to_contain_text("the server cannot be reached")
    expect(words).to_have_value("Where does it end?")

    context.set_offline(True)
    first.get_by_role("button", name="Send again").click()
    expect(first.get_by_role("alert")).to_contain_text("the server cannot be reached")
    expect(words).to_have_value("Where does it end?")

    context.set_offline(False)
    first.get_by_role("button", name="Send again").click()
    expect(first.get_by_role("alert")).to_have_text("Returned to its readers.")
    expect(second.get_by_label("Reason, or question")).to_have_value("Half a reason")
    assert decisions() == [(items[0].pk, "return_item", "Where does it end?")]


def test_a_decision_goes_out_after_signing_in_again(page: Page, cases, items):
    first, second = cases
    first.get_by_label("Reason, or question").fill("Seen at the end.")
    second.get_by_label("Reason, or question").fill("Not in the box.")
    Session.objects.all().delete()
    first.get_by_role("button", name="Keep").click()
    second.get_by_role("button", name="Drop").click()
    bar = page.locator("[data-sign-in]")
    expect(bar).to_contain_text("Your decision waits on this machine")
    expect(second.get_by_role("alert")).to_contain_text("you are signed out")
    expect(first.get_by_label("Reason, or question")).to_have_value("Seen at the end.")

    bar.locator("[name=login]").evaluate("(field) => field.value = 'reviewer'")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in-error]")).to_contain_text("signed in as reviewer")
    assert decisions() == [], "nothing goes out as somebody else's"

    bar.locator("[name=login]").evaluate("(field) => field.value = 'adjudicator'")
    page.context.clear_cookies(name="sessionid")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing waits for an adjudicator")).to_be_visible()
    assert decisions() == [
        (items[0].pk, "adjudicate", "Seen at the end."),
        (items[1].pk, "adjudicate", "Not in the box."),
    ]
    assert [Item.objects.get(pk=item.pk).keep for item in items] == [True, False]


def test_a_decision_on_the_page_of_the_item_goes_out_later_too(
    page: Page, context: BrowserContext, live_server, sign_in, adjudicator, reviewer, items
):
    item = factories.mcq_item(factories.video(items[0].benchmark))
    vote(item, reviewer, "drop", reasons=[1])
    vote(item, adjudicator, "keep")
    sign_in(adjudicator)
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    page.locator("#vote-comment").fill("Plainly seen.")
    context.set_offline(True)
    page.get_by_role("button", name="Decide: keep").click()
    expect(page.locator("[data-conflict]")).to_contain_text("The server cannot be reached.")
    expect(page.locator("#vote-comment")).to_have_value("Plainly seen.")

    context.set_offline(False)
    Session.objects.all().delete()
    page.get_by_role("button", name="Send again").click()
    expect(page.locator("[data-sign-in]")).to_contain_text("Your decision waits")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-against]")).to_have_count(0)
    assert decisions() == [(item.pk, "adjudicate", "Plainly seen.")]
