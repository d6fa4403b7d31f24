"""Comparison, submission and API pages in a real browser: read at every width in both themes,
and a file sent from the form to the report."""

import json
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.models import User
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from evaluation.models import Submission
from evaluation.submissions import check_waiting
from tests import evaluation_factories as make
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
WIDTHS = (1440, 1024, 390)


@pytest.fixture
def site(live_server: Any) -> str:
    bench = factories.small_benchmark(slug="bench", videos=6)
    release = factories.release(bench)
    for name, right in (("Seer", (1, 1)), ("Guesser", (1, 0))):
        run = make.run(release, name=name)
        for place, row in enumerate(release.release_items.select_related("item_version")):
            make.prediction(run, row.item_version, right[place // 2 % 2], raw_reply="A reply.")
        publish_entry(entry=compute_entry(run), by="import")
    return str(live_server.url)


def check_look(page: Page, address: str, *, looked_at: int) -> None:
    """Let no width scroll sideways, and `looked_at` be accessible."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address)
        too_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not too_wide, f"{address} scrolls sideways at {width}"
        if width == looked_at:
            found = Axe().run(at_rest(page))
            assert not found.response["violations"], found.generate_report()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_pages_are_accessible_and_fit_every_width(
    site: str, page: Page, sign_in: Any, maintainer: Any, theme: str
) -> None:
    User.objects.filter(pk=maintainer.pk).update(theme=theme)
    sign_in(maintainer)
    for path in ("/b/bench/compare/", "/b/bench/submit/", "/submissions/", "/api/v1/docs/"):
        check_look(page, site + path, looked_at=WIDTHS[0 if theme == "dark" else -1])


def test_items_where_a_is_right_and_b_wrong_are_opened_by_keyboard(
    site: str, page: Page, sign_in: Any, maintainer: Any
) -> None:
    sign_in(maintainer)
    page.goto(f"{site}/b/bench/compare/")
    expect(page.locator(".cmp-row")).to_have_count(3)
    page.get_by_role("link", name="3 both right").press("Enter")
    expect(page.get_by_label("Reply of B").get_by_text("1 of 1")).to_be_visible()
    page.get_by_role("link", name="Swap A and B").press("Enter")
    expect(page.get_by_label("Entry A")).to_have_value(page.url.split("a=")[1].split("&")[0])


def test_a_file_goes_from_the_form_to_the_report(
    site: str, page: Page, sign_in: Any, outsider: Any, tmp_path: Path
) -> None:
    faults: list[str] = []
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    sign_in(outsider)
    page.goto(f"{site}/b/bench/submit/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the template of r1").click()
    lines = Path(download.value.path()).read_text().splitlines()
    rows = [json.loads(line) | {"prediction": "A"} for line in lines]
    filled = tmp_path / "filled.jsonl"
    filled.write_text("\n".join([*map(json.dumps, rows), "nonsense"]))
    page.get_by_label("Model").fill("Mine")
    page.get_by_label("Files").set_input_files(filled)
    page.get_by_role("button", name="Submit").press("Enter")
    expect(page.get_by_text("number 1 in the queue")).to_be_visible()
    check_waiting()
    page.reload()
    expect(page.get_by_text("6 of 6 kept items answered").first).to_be_visible()
    expect(page.get_by_role("row", name="refused filled.jsonl line 13")).to_be_visible()
    assert Submission.objects.get().shown_state[0] == "scored"
    check_look(page, page.url, looked_at=WIDTHS[0])
    assert not faults
