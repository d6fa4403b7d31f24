"""A vote is never lost: dead network, expired login, stale version, two tabs."""

import re
import uuid

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.actions.items import edit_item
from annotation.models import Review
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")


@pytest.fixture
def bench(transactional_db):
    bench = factories.benchmark()
    video = factories.video(bench)
    for _ in range(3):
        factories.mcq_item(video)
    return bench


@pytest.fixture
def item(page: Page, live_server, sign_in, reviewer, bench):
    sign_in(reviewer)
    item = bench.items.first()
    page.goto(f"{live_server.url}/b/{bench.slug}/review/{item.pk}/")
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    return item


def line(page: Page):
    return page.locator("[data-saved]")


def test_a_vote_outlives_a_dead_network(page: Page, context, item, picture):
    context.set_offline(True)
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    picture("votes-not-sent")
    expect(page.locator(".sealed")).to_be_visible()
    page.keyboard.press("z")
    page.keyboard.press("x")
    page.keyboard.press("3")
    expect(line(page)).to_contain_text("Not saved, 3 kept")
    assert not Review.objects.exists()

    context.set_offline(False)
    expect(line(page)).to_contain_text(SAVED)
    votes = {vote.verdict: vote for vote in Review.objects.filter(item=item)}
    assert votes["keep"].undone_at is not None
    assert votes["drop"].reasons == [3] and votes["drop"].undone_at is None
    expect(page.locator("[data-evidence]")).to_be_visible()


def test_a_vote_that_came_too_soon_is_sent_again(page: Page, item, settings):
    """Too many in a minute is no refusal: the server says when, the vote waits in the browser."""
    settings.API_WRITES_A_MINUTE = 1
    page.keyboard.press("k")
    expect(line(page)).to_contain_text(SAVED)
    page.keyboard.press("u")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    expect(line(page)).to_have_attribute("title", re.compile(r"Too many.*in ([12]\d|30) s"))
    assert Review.objects.count() == 1

    settings.API_WRITES_A_MINUTE = 300
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.filter(item=item, verdict="unsure").exists()


def test_next_waits_for_a_connection(page: Page, context, item):
    context.set_offline(True)
    page.keyboard.press("n")
    expect(line(page)).to_contain_text("No connection; all saved")
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text("No connection; 1 vote is kept here")
    assert page.url.endswith(f"/{item.pk}/")

    context.set_offline(False)
    expect(line(page)).to_contain_text(SAVED)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/review/(?!{item.pk}/)"))


def test_a_vote_whose_answer_was_lost_is_stored_once(page: Page, context, item):
    answers = []

    def lose_the_first(route):
        answer = route.fetch()
        answers.append(answer.status)
        if len(answers) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    context.route("**/votes/**", lose_the_first)
    page.keyboard.press("k")
    expect(line(page)).to_contain_text(SAVED)
    assert answers == [200, 200]
    assert Review.objects.count() == 1


def test_a_vote_outlives_a_server_that_fails(page: Page, context, item):
    failures = []

    def fail_twice(route):
        if len(failures) < 2:
            failures.append(route.request.url)
            route.fulfill(status=503, body="busy")
        else:
            route.continue_()

    context.route("**/votes/**", fail_twice)
    page.keyboard.press("k")
    expect(line(page)).to_contain_text(SAVED)
    assert len(set(failures)) == 1, "sent again under its own id"
    assert Review.objects.count() == 1


def test_a_vote_outlives_the_page(page: Page, context, item):
    blocked = "**/votes/**"
    context.route(blocked, lambda route: route.abort())
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text("No connection; 1 vote is kept here")
    page.reload()
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    context.unroute(blocked)
    page.reload()
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().item == item


def test_a_vote_outlives_an_expired_login(page: Page, item, picture):
    Session.objects.all().delete()
    page.keyboard.press("k")
    bar = page.locator("[data-sign-in]")
    expect(bar).to_contain_text("You were signed out. 1 vote waits on this machine")
    picture("signed-out")
    assert not Review.objects.exists()

    page.locator("#sign-in-password").fill("not the pass phrase")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in-error]")).to_contain_text("not accepted")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text(SAVED)
    expect(page.locator("[data-evidence]")).to_be_visible()
    assert Review.objects.get().item == item


def test_a_vote_outlives_a_role_that_was_taken_away(page: Page, item, reviewer):
    reviewer.role = ""
    reviewer.save()
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    reviewer.role = "reviewer"
    reviewer.save()
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().item == item


def test_votes_wait_for_their_own_reader(
    page: Page, context, live_server, sign_in, reviewer, reviewer_2, bench, item
):
    context.route("**/votes/**", lambda route: route.abort())
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    context.unroute("**/votes/**")

    context.clear_cookies()
    sign_in(reviewer_2)
    page.goto(f"{live_server.url}/b/{bench.slug}/review/{item.pk}/")
    expect(line(page)).to_contain_text("All saved")
    page.wait_for_timeout(300)
    assert not Review.objects.exists()

    context.clear_cookies()
    sign_in(reviewer)
    page.goto(f"{live_server.url}/b/{bench.slug}/review/{item.pk}/")
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().reviewer == reviewer


def test_a_stale_vote_is_told_and_not_counted(page: Page, item, reviewer_2):
    edit_item(
        item_id=item.pk,
        base_version=1,
        changes={"stem": "Another question?"},
        reason="new",
        by=reviewer_2,
    )
    page.keyboard.press("k")
    note = page.locator("[data-conflict]")
    expect(note).to_contain_text("Keep was not saved. The item changed since v1: v2 stands now.")
    expect(page.locator(".stem")).to_have_text("Another question?")
    assert not Review.objects.exists()
    page.keyboard.press("k")
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().item_version.number == 2


def test_a_vote_cast_elsewhere_with_the_same_id_is_told(page: Page, context, item, reviewer_2):
    taken = uuid.uuid4()
    Review.objects.create(
        id=taken, item=item, item_version=item.current, reviewer=reviewer_2, verdict="keep"
    )
    page.evaluate(f"crypto.randomUUID = () => '{taken}'")
    page.keyboard.press("u")
    expect(page.locator("[data-conflict]")).to_contain_text("Unsure was not saved")
    assert Review.objects.count() == 1


def test_two_tabs_agree_and_send_what_waits_once(page: Page, context, live_server, bench, item):
    other = context.new_page()
    other.goto(f"{live_server.url}/b/{bench.slug}/review/{item.pk}/")
    elsewhere = context.new_page()
    elsewhere.goto(f"{live_server.url}/b/{bench.slug}/review/{bench.items.last().pk}/")
    for tab in (other, elsewhere):
        expect(line(tab)).to_contain_text("All saved")
    sent = []
    context.on(
        "request",
        lambda request: sent.append(request.url) if request.method == "PUT" else None,
    )
    context.route("**/votes/**", lambda route: route.abort())
    page.bring_to_front()
    page.keyboard.press("k")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    context.unroute("**/votes/**")
    sent.clear()
    for tab in (page, other, elsewhere):  # all of them find a connection at once
        tab.evaluate("dispatchEvent(new Event('online'))")

    expect(other.locator("[data-evidence]")).to_be_visible()
    expect(other.locator('[data-verdict-button="keep"]')).to_have_attribute("aria-pressed", "true")
    expect(other.locator('[data-tally="you"]')).to_contain_text("1 / 3")
    expect(elsewhere.locator(f'[data-entry="{item.pk}"]')).to_contain_text("Kept")
    expect(line(page)).to_contain_text(SAVED)
    assert len([url for url in sent if "/votes/" in url]) == 1
    assert Review.objects.count() == 1


def test_a_refused_vote_keeps_its_comment(page: Page, item, reviewer_2):
    page.keyboard.press("c")
    page.keyboard.type("Worth keeping these words.")
    page.keyboard.press("Escape")
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "New?"}, reason="new", by=reviewer_2
    )
    page.keyboard.press("u")
    expect(page.locator("[data-conflict]")).to_contain_text("Unsure was not saved")
    expect(page.locator("[data-comment]")).to_have_value("Worth keeping these words.")


def test_a_vote_never_goes_out_as_another_account_of_the_same_tab(
    page: Page, context, item, client_for, reviewer_2, live_server
):
    cookie = client_for(reviewer_2).cookies["sessionid"]
    context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    page.keyboard.press("k")
    expect(page.locator("[data-sign-in]")).to_contain_text("1 vote waits on this machine")
    assert not Review.objects.exists()
    context.clear_cookies(name="sessionid")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().reviewer.get_username() == "reviewer"


def test_an_undo_never_goes_out_as_another_account_of_the_same_browser(
    page: Page, context, item, client_for, reviewer_2, live_server
):
    page.keyboard.press("k")
    expect(line(page)).to_contain_text(SAVED)
    cookie = client_for(reviewer_2).cookies["sessionid"]
    context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])
    page.keyboard.press("z")
    expect(page.locator("[data-sign-in]")).to_contain_text("waits on this machine")
    assert Review.objects.get().undone_at is None
    context.clear_cookies(name="sessionid")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text(SAVED)
    assert Review.objects.get().undone_at is not None
