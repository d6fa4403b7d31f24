"""Clinicians grade answers in a real browser, by keys and blind; then the judge's page."""

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from evaluation.actions.grading_samples import close_sample
from evaluation.judge_audit import audit_judges
from evaluation.models import Grade, Judgement
from tests import evaluation_factories as make
from tests.functional.rest import at_rest
from tests.functional.test_every_page import RULES

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")
SECRETS = ("Seer 1", "Oracle 2", "Seer 9", "The judge's reason")


@pytest.fixture
def sample(transactional_db: None, reviewer: Any, maintainer: Any, stored_file: str) -> Any:
    reviewer.keys = {"Space": "Digit0"}  # a key moved to where points are given
    reviewer.save()
    release = make.judged_release(videos=3)
    release.benchmark.sources.update(kind="file", width=640, height=360)
    first = release.benchmark.sources.order_by("pk").first()
    first.key = stored_file
    first.save()
    return make.grading_sample(release, [reviewer], by=maintainer, size=6)


def violations(page: Page) -> list[str]:
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]


def standing() -> list[tuple]:
    rows = Grade.objects.filter(replaced_at=None, undone_at=None, skipped=False)
    return list(rows.order_by("created_at").values_list("score", "error_type"))


def test_grading_by_keys_blind_and_with_undo(
    page: Page, context: Any, live_server: Any, sign_in: Any, sample: Any, reviewer: Any
) -> None:
    faults: list[str] = []
    heard: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    sign_in(reviewer)
    page.goto(f"{live_server.url}/grading/")
    saved, tally = page.locator("[data-saved]"), page.locator("[data-tally=you] [data-count]")
    expect(saved).to_contain_text("All saved")
    first = page.url
    assert violations(page) == []
    heard.append(page.content())

    page.keyboard.press("0")  # points first, then what is wrong
    expect(page.locator('[data-points="0"]')).to_have_attribute("aria-pressed", "true")
    assert not Grade.objects.exists()
    page.keyboard.press("5")
    expect(saved).to_contain_text(SAVED)
    expect(tally).to_have_text("1")
    assert standing() == [(0, "both_fail")]
    page.keyboard.press("2")  # a changed mind: the first grade is kept
    expect(page.locator('[data-points="2"]')).to_have_attribute("aria-pressed", "true")
    expect(page.locator('[data-error-type="both_fail"]')).to_be_disabled()
    page.keyboard.press("z")
    expect(page.locator('[data-points="0"]')).to_have_attribute("aria-pressed", "true")
    assert standing() == [(0, "both_fail")] and Grade.objects.count() == 2
    page.keyboard.press("z")
    expect(tally).to_have_text("0")
    expect(page.locator('[data-go="open"]')).to_be_hidden()

    context.set_offline(True)  # a grade outlives a dead network
    page.keyboard.press("1")
    page.keyboard.press("4")
    expect(saved).to_contain_text("Not saved")
    context.set_offline(False)
    expect(saved).to_contain_text(SAVED)
    assert standing() == [(1, "wrong_visual_evidence")]
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first)
    expect(page.locator(".q.done [data-state-word]")).to_have_text("1 of 2")
    passed = page.url
    page.keyboard.press("s")  # passed over: to the next one
    page.wait_for_url(lambda url: url != passed)
    for _ in range(4):
        expect(page.locator("[data-stage]")).to_be_visible()
        here = page.url
        heard.append(page.content())
        page.keyboard.press("2")
        expect(page.locator('[data-go="open"]')).to_be_focused()
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, here=here: url != here)
    expect(page.locator("h1")).to_have_text("1 passed over")
    assert len(standing()) == 5 and Grade.objects.filter(skipped=True).count() == 1
    assert Judgement.objects.filter(judge_label="Seer 9").exists()
    assert not [secret for secret in SECRETS for text in heard if secret in text]
    assert faults == []


def test_the_judges_page_in_both_themes_and_narrow(
    page: Page, live_server: Any, sample: Any, reviewer: Any, maintainer: Any
) -> None:
    make.grade(sample, reviewer, [0, 1, 2, 1, 2, 0])
    audit_judges(close_sample(sample=sample, by=maintainer))
    faults: list[str] = []
    page.on("console", lambda said: said.type == "error" and faults.append(said.text))
    for scheme, width in (("dark", 1440), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{live_server.url}/b/{sample.benchmark.slug}/judge/")
        expect(page.get_by_role("heading", name="Agreement")).to_be_visible()
        row = page.get_by_role("row", name=re.compile("^Seer 9"))
        expect(row.first.locator("svg.whisker")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    assert faults == []
