"""A maintainer puts accounts together and holds items out; a sender of them submits a server: by
keyboard, in both themes, at every width."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import User
from evaluation.models import Provider
from evaluation.submissions import check_waiting
from tests import factories
from tests.functional.test_compare_and_submit import check_look

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def site(live_server: Any) -> str:
    bench = factories.small_benchmark(slug="bench", videos=3)
    factories.release(bench)
    return str(live_server.url)


def test_from_an_organisation_to_its_server(
    site: str, page: Page, sign_in: Any, maintainer: Any, outsider: Any
) -> None:
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    User.objects.filter(pk=maintainer.pk).update(theme="dark")
    User.objects.filter(pk=outsider.pk).update(theme="light")
    sign_in(maintainer)
    page.goto(f"{site}/organisations/")
    page.get_by_label("Name", exact=True).fill("Lab of Echo")
    page.get_by_label("Submissions a day", exact=True).fill("1")
    page.get_by_label("Submissions a day", exact=True).press("Enter")
    page.get_by_label("Account", exact=True).fill(outsider.username)
    page.get_by_label("Account", exact=True).press("Enter")
    expect(page.get_by_role("button", name=f"Take out {outsider.username}")).to_be_visible()
    check_look(page, page.url, looked_at=1440)
    page.goto(f"{site}/b/bench/held-out/")
    page.get_by_label("Seed", exact=True).fill("3")
    page.get_by_label("Percent of all items", exact=True).fill("33")
    page.get_by_label("Why", exact=True).last.fill("a part that no model has seen")
    page.get_by_label("Why", exact=True).last.press("Enter")
    expect(page.get_by_text("2 of 6 items are shown to nobody outside")).to_be_visible()
    check_look(page, page.url, looked_at=390)

    page.context.clear_cookies()
    sign_in(outsider)
    address = f"{site}/b/bench/submit/server/"
    check_look(page, address, looked_at=1024)
    expect(page.get_by_text("1 of 1 in 24 hours left for Lab of Echo")).to_be_visible()
    page.get_by_label("Model", exact=True).fill("Echo")
    page.get_by_label("Condition", exact=True).select_option("blind")
    page.get_by_label("Model's name there", exact=True).fill("echo-1")
    page.get_by_label("Base URL", exact=True).fill("https://169.254.169.254/latest")
    page.get_by_label("Key", exact=True).fill("sk-outsiders-own-9876")
    page.get_by_label("Key", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The server has a whole name")
    assert page.get_by_label("Key", exact=True).input_value() == ""
    page.get_by_label("Base URL", exact=True).fill("https://model.lab-of-echo.org/v1")
    page.get_by_label("Key", exact=True).fill("sk-outsiders-own-9876")
    page.get_by_label("Key", exact=True).press("Enter")
    expect(page.get_by_text("number 1 in the queue")).to_be_visible()
    check_waiting()
    page.reload()
    expect(page.get_by_text("0 of 6 items answered")).to_be_visible()
    expect(page.get_by_text("which ends in 9876")).to_be_visible()
    check_look(page, page.url, looked_at=390)
    page.get_by_role("button", name="Withdraw").press("Enter")
    expect(page.get_by_text("its key is deleted")).to_be_visible()
    assert Provider.objects.get(public_only=True).key_sealed == ""
    assert [fault for fault in faults if "400" not in fault] == []
