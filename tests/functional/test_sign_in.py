"""The sign-in page in a real browser: it says when this network keeps YouTube away."""

import copy

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.actions import addresses
from tests import factories
from tests.functional.rest import at_rest
from tests.standins.oidc import PERSON, Issuer, use

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@pytest.fixture
def on_youtube(transactional_db):
    factories.source(factories.benchmark())


def test_it_asks_nothing_where_no_video_is_on_youtube(page: Page, live_server, youtube):
    page.goto(f"{live_server.url}/accounts/login/")
    expect(page.locator("#id_login")).to_be_editable()
    expect(page.locator("[data-youtube-test]")).to_have_count(0)


def test_it_says_nothing_where_youtube_is_reached(page: Page, live_server, youtube, on_youtube):
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.goto(f"{live_server.url}/accounts/login/")

    expect(page.locator("[data-youtube-test=reached]")).to_be_attached()
    expect(page.get_by_text("Clips may not play here.")).to_be_hidden()
    assert faults == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_it_warns_where_youtube_is_kept_away(page: Page, live_server, youtube, on_youtube, scheme):
    youtube.script = "refused"
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/accounts/login/")

    expect(page.get_by_text("Clips may not play here.")).to_be_visible()
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_enabled()
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_silent_network_keeps_nobody_waiting(
    page: Page, live_server, youtube, on_youtube, reviewer
):
    page.clock.install()
    youtube.script = "silent"
    page.goto(f"{live_server.url}/accounts/login/", wait_until="domcontentloaded")
    expect(page.locator("#id_login")).to_be_editable()
    page.clock.run_for(11_000)

    expect(page.get_by_text("Clips may not play here.")).to_be_visible()


@pytest.mark.parametrize("named", [True, False])
def test_a_hospital_signs_in_where_the_policy_names_it(
    page: Page, live_server, youtube, settings, reviewer, named
):
    """A browser holds the button's form to the policy on the way to the issuer too."""
    addresses.give(reviewer, PERSON["email"], verified=True)
    with Issuer() as issuer:
        use(issuer, settings)
        policy = copy.deepcopy(settings.CONTENT_SECURITY_POLICY)
        if named:
            policy["DIRECTIVES"]["form-action"] += [issuer.address]
        settings.CONTENT_SECURITY_POLICY = policy
        page.goto(f"{live_server.url}/accounts/login/?next=/account/")
        page.get_by_role("button", name="Sign in with St. Ada").click()
        if named:
            expect(page.get_by_role("heading", name="Your account")).to_be_visible()
            expect(page.get_by_text("linked", exact=True)).to_be_visible()
        else:
            page.wait_for_timeout(1000)
            assert "/accounts/login/" in page.url
