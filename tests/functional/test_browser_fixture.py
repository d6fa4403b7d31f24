"""The browser of the tests: real, and kept on this machine."""

import pytest
from playwright.sync_api import Error, Page

pytestmark = pytest.mark.chromium


def test_the_browser_reaches_no_other_machine(page: Page):
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto("https://example.org/")


def test_the_browser_reads_a_page_of_the_live_server(page: Page, live_server):
    response = page.goto(f"{live_server.url}/accounts/login/")

    assert response is not None
    assert response.status == 200
