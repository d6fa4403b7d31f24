"""Quarantine, versions, guidelines and readers in a real browser, in both themes, at each width."""

import re
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.actions.items import edit_item
from annotation.actions.reviews import cast_vote
from annotation.models import Video
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
GUIDELINES = "# How\n\nKeep **only** what the clip answers.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


@pytest.fixture
def item(stored_file, transactional_db):
    bench = factories.benchmark(guidelines=GUIDELINES)
    source = factories.source(bench, kind="file", key=stored_file, width=640, height=360)
    return factories.mcq_item(factories.video(bench, of=source, start=2.0, end=18.0))


@pytest.fixture
def place(live_server, item):
    return f"{live_server.url}/b/{item.benchmark.slug}"


def open_item(page: Page, place: str, item):
    page.goto(f"{place}/review/{item.pk}/")
    expect(page.locator("[data-saved]")).to_contain_text("All saved")


def faults(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def test_from_the_report_to_the_clearing(
    page: Page, place, item, sign_in, reviewer, adjudicator, context, worker_at_once, picture
):
    sign_in(reviewer)
    open_item(page, place, item)
    page.keyboard.press("f")
    page.locator("[data-report] [data-state=other]").click()
    expect(page.locator("[data-report-said]")).to_have_text("Say in the note what is wrong.")
    page.locator("[data-report-note]").fill("A name in the corner")
    page.locator("[data-report] [data-state=identifier]").click()
    page.locator("[data-report] [data-state=identifier]").click()
    expect(page.locator("[data-withheld]")).to_contain_text("in quarantine")
    assert page.locator("video, iframe, [data-stage]").count() == 0
    assert Video.objects.get().quarantined_at
    assert faults(page) == []
    picture("quarantine")
    page.keyboard.press("u")  # the item can still be voted on
    expect(page.locator("[data-saved]")).to_contain_text(re.compile("^Saved "))

    # An answer that is still on its way would bring the first reader's cookie back.
    page.wait_for_load_state("networkidle")
    page.goto("about:blank")
    context.clear_cookies()
    adjudicator.theme = "light"
    adjudicator.save()
    sign_in(adjudicator)
    open_item(page, place, item)
    expect(page.locator("[data-withheld]")).to_contain_text("A name in the corner")
    assert faults(page) == []
    picture("quarantine-adjudicator-light")
    page.get_by_label("Why nobody can be told from it").fill("It is the probe's name")
    page.get_by_role("button", name="Clear the video").click()
    expect(page.locator("[data-stage]")).to_be_visible()
    assert Video.objects.get().quarantined_at is None


def test_from_the_item_to_its_versions_and_back(page: Page, place, item, sign_in, reviewer):
    edit_item(
        item_id=item.pk, base_version=1, changes={"stem": "Why now?"}, reason="short", by=reviewer
    )
    sign_in(reviewer)
    open_item(page, place, item)
    page.keyboard.press("v")
    expect(page.locator("h1")).to_contain_text("Versions of")
    expect(page.locator("del").first).to_contain_text("What")
    page.get_by_label("Why version 1 should come back").fill("It was better")
    page.get_by_role("button", name="Restore v1").click()
    expect(page.locator("body")).to_contain_text("Saved as version 3")
    assert item.versions.get(number=3).stem == item.versions.get(number=1).stem


def test_guidelines_open_beside_the_item(page: Page, place, item, sign_in, reviewer):
    sign_in(reviewer)
    page.set_viewport_size({"width": 1440, "height": 900})
    open_item(page, place, item)
    page.keyboard.press("g")
    guide = page.locator("[data-guide]")
    expect(guide.get_by_role("heading", name="How")).to_be_visible()
    expect(guide).to_be_focused()
    assert faults(page) == []
    page.keyboard.press("g")
    expect(guide).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.press("g")
    page.wait_for_url(re.compile("/guidelines/$"))


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_accessible_and_not_too_wide(page: Page, place, item, sign_in, maintainer, theme):
    long = "supercalifragilistic" * 12
    edit_item(item_id=item.pk, base_version=1, changes={"stem": long}, reason=long, by=maintainer)
    cast_vote(
        review_id=uuid.uuid4(), item_id=item.pk, version_number=2, verdict="keep", by=maintainer
    )
    maintainer.theme = theme
    maintainer.save()
    sign_in(maintainer)
    for path in (f"review/{item.pk}/history/", "guidelines/", "readers/", "items/?kind=mcq"):
        for width in (1440, 1024, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(f"{place}/{path}")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert faults(page) == [], path
