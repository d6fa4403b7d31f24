"""One person's way in a real browser: invited, signed in with two factors, gone. And the look."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.models import User
from tests import factories
from tests.factories import PASSWORD
from tests.functional.rest import at_rest
from tests.integration.people.conftest import code, give_second_factor

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def faults(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def test_from_the_invitation_to_the_erasing(
    page: Page, context, live_server, sign_in, admin_user, settings, youtube
):
    settings.MFA_REQUIRED = "PRIVILEGED"
    give_second_factor(admin_user)
    complaints = []
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
    here = live_server.url

    # An admin invites.
    sign_in(admin_user)
    page.goto(f"{here}/people/")
    page.get_by_label("Role").select_option("adjudicator")
    press(page, "Invite")
    link = page.get_by_label("Link").input_value()
    assert faults(page) == []

    # Somebody accepts, and is led to a second factor.
    page.wait_for_load_state("networkidle")
    page.goto("about:blank")
    context.clear_cookies()
    page.goto(link)
    expect(page).to_have_url(f"{here}/invitation/")
    page.get_by_label("User name").fill("dr-new")
    page.get_by_label("Password").fill(PASSWORD)
    assert faults(page) == []
    press(page, "Make the account")
    expect(page.get_by_role("heading", name="Set up a second factor")).to_be_visible()
    picture = page.locator("img.qr")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 0")  # within the CSP
    secret = page.get_by_label("Or type this secret").input_value()
    assert faults(page) == []
    used = code(secret)
    page.locator("#id_code").fill(used)
    press(page, "Turn it on")
    expect(page.locator(".codes li")).to_have_count(10)
    recovery = page.locator(".codes code").first.inner_text()
    assert faults(page) == []

    # Out, and in again with the next code.
    page.locator("summary.avatar").click()
    press(page, "Sign out")
    page.goto(f"{here}/accounts/login/?next=/account/")
    page.get_by_label("User name").fill("dr-new")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Sign in")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    assert faults(page) == []
    page.locator("#id_code").fill("000000")
    press(page, "Sign in")
    expect(page.get_by_text("Incorrect code")).to_be_visible()
    following = code(secret)
    page.locator("#id_code").fill(following if following != used else recovery)
    press(page, "Sign in")
    expect(page).to_have_url(f"{here}/account/")

    # Takes the own data away, and asks to leave.
    with page.expect_download() as download:
        press(page, "Download my data")
    data = json.loads(download.value.path().read_text())
    assert data["account"][0]["username"] == "dr-new"
    page.get_by_text("Leave for good").click()
    assert faults(page) == []
    press(page, "Ask to be erased")
    expect(page.get_by_text("An administrator will do it")).to_be_visible()

    # The admin erases.
    page.wait_for_load_state("networkidle")
    page.goto("about:blank")
    context.clear_cookies()
    sign_in(admin_user)
    page.goto(f"{here}/people/")
    expect(page.get_by_text("Asks to be erased")).to_be_visible()
    page.get_by_role("link", name="dr-new").click()
    page.get_by_role("link", name="Erase this person").click()
    page.get_by_label("Type dr-new").fill("dr-new")
    page.get_by_label("It cannot be undone").check()
    assert faults(page) == []
    press(page, "Erase for good")
    expect(page.get_by_text("This person was erased on")).to_be_visible()
    assert not User.objects.filter(username="dr-new").exists()
    assert complaints == []


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_and_not_too_wide(
    page: Page, live_server, sign_in, admin_user, settings, theme, transactional_db
):
    settings.MAIL_IS_SENT = True
    admin_user.theme = theme
    admin_user.save()
    long = factories.account("supercalifragilistic" * 6, email=f"{'long' * 30}@example.org")
    factories.account("gone", is_active=False)
    sign_in(admin_user)
    page.goto(f"{live_server.url}/people/")
    page.get_by_label("Mail address").fill("ada@example.org")
    press(page, "Invite")
    for path in ("people/", f"people/{long.pk}/", "account/", "accounts/email/"):
        page.goto(f"{live_server.url}/{path}")
        if "reauthenticate" in page.url:
            assert faults(page) == [], "reauthenticate"
            page.get_by_label("Password").fill(PASSWORD)
            press(page, "Go on")
        for width in (1440, 1024, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert faults(page) == [], path


def test_a_vote_outlives_an_ended_session_with_a_second_factor(
    page: Page, context, live_server, sign_in, reviewer, transactional_db
):
    item = factories.mcq_item(factories.video(factories.benchmark()))
    secret = give_second_factor(reviewer)
    sign_in(reviewer)
    page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    page.wait_for_load_state("networkidle")
    context.clear_cookies(name="sessionid")
    page.keyboard.press("k")
    bar = page.locator("[data-sign-in]")
    expect(bar).to_contain_text("1 vote waits")
    assert bar.locator("[name=code]").is_hidden()

    page.locator("#sign-in-password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(bar.locator("[name=code]")).to_be_focused()
    expect(page.locator("[data-sign-in-error]")).to_contain_text("A code is needed too")
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in-error]")).to_contain_text("That code was not accepted")
    expect(bar.locator("[name=code]")).to_be_focused()
    page.keyboard.type(code(secret))
    page.keyboard.press("Enter")

    expect(page.locator("[data-saved]")).to_contain_text(re.compile(r"^Saved \d\d:\d\d:\d\d$"))
    assert item.reviews.get().verdict == "keep"
    expect(bar).to_be_hidden()
