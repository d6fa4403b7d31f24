"""The audit page in a real browser: asked for, awaited, read at every width in both themes."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.audit import make_waiting_audits
from annotation.models import AuditState, ShortcutAudit, User
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
WIDTHS = (1440, 1024, 390)


@pytest.fixture
def path(live_server: Any) -> str:
    bench = factories.benchmark(slug="leaky", name="Leaky")
    for number in range(24):
        vid = factories.video(bench)
        options = ("Stop", "Slide it up (slowly).", "Turn it round.", f"Wait {number} seconds.")
        window = (5.0, 6.5 if number < 3 else 15.0)
        factories.kept(factories.mcq_item(vid, options=options, key_index=0, window=window))
        factories.kept(factories.free_item(vid))
    return f"{live_server.url}/b/leaky/audit/"


def test_an_audit_is_asked_for_and_shown_when_it_is_done(
    path: str, page: Page, sign_in: Any, adjudicator: Any
) -> None:
    faults: list[str] = []
    page.on(
        "console", lambda message: faults.append(message.text) if message.type == "error" else 0
    )
    sign_in(adjudicator)
    page.goto(path)
    expect(page.get_by_text("Not audited yet")).to_be_visible()
    page.get_by_role("button", name="Audit now").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("waits for a worker")
    expect(page.get_by_role("button", name="Audit now")).to_be_disabled()
    make_waiting_audits()
    expect(page.get_by_role("heading", name="What can be found without video")).to_be_visible()
    expect(page.get_by_text("Leaks found")).to_be_visible()
    chip = page.get_by_role("link", name="Clip under 2 s 3")
    chip.press("Enter")
    expect(page.get_by_text("The clip is 1.50 s long, under 2 s.").first).to_be_visible()
    expect(page.locator(".audit-items tbody tr")).to_have_count(3)
    page.locator(".audit-items a").first.click()
    page.wait_for_url("**/review/**")
    assert not faults


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_it_is_accessible_and_fits_every_width(
    path: str, page: Page, sign_in: Any, adjudicator: Any, theme: str
) -> None:
    User.objects.filter(pk=adjudicator.pk).update(theme=theme)
    sign_in(adjudicator)
    page.goto(path)
    page.get_by_role("button", name="Audit now").click()
    make_waiting_audits()
    assert ShortcutAudit.objects.get().state == AuditState.DONE
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(path)
        too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not too_wide, f"scrolls sideways at {width}"
        found = Axe().run(at_rest(page))
        assert not found.response["violations"], found.generate_report()
