"""Every page of the site, as an admin sees it: accessible in both themes, no wider than a phone,
usable at 200 % zoom. A new route is looked at without being named here."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Page

from tests import factories
from tests.functional.rest import at_rest
from tests.integration.test_permissions import TABLE, world  # noqa: F401 - a fixture

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
PHONE, DESK = (390, 844), (1440, 900)
ZOOMED = (720, 450)  # what 1440 x 900 holds at 200 %
# Everything is looked at in the dark; a theme changes colours alone.
RULES: dict[str, Any] = {
    "dark": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "light": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
}
PARTS = 4
OTHERS = ("account_logout", "annotation:claim_invitation")  # they end or change who is signed in


def addresses(places: dict[str, Any]) -> list[tuple[str, str]]:
    """Return (name, path) of all routes that are read."""
    return [
        (name, reverse(name, kwargs={key: places[place] for key, place in row.places.items()}))
        for name, row in TABLE.items()
        if row.method == "get" and name not in OTHERS
    ]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_page_is_accessible_and_fits(
    page: Page,
    live_server: Any,
    sign_in: Any,
    world: dict[str, Any],  # noqa: F811
    theme: str,
    part: int,
) -> None:
    admin = factories.account(role="admin", is_staff=True, is_superuser=True, theme=theme)
    sign_in(admin)
    seen, faults = 0, []
    for name, path in addresses(world)[part::PARTS]:
        answer = page.request.get(f"{live_server.url}{path}")
        is_page = answer.headers.get("content-type", "").startswith("text/html")
        if not (answer.ok and is_page and "<html" in answer.text()):
            continue
        seen += 1
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
        page.goto(f"{live_server.url}{path}")
        found = Axe().run(at_rest(page), options={"runOnly": RULES[theme]}).response["violations"]
        faults += [f"{name}: {one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]
        for width, height in (ZOOMED, PHONE) if theme == "dark" else ():
            page.set_viewport_size({"width": width, "height": height})
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{name}: scrolls sideways at {width} pixels")
    assert seen > 40 / PARTS, "too few pages were looked at"
    assert faults == []
