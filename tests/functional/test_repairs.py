"""The repair assistant and the look-again queue in a real browser, by keys."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from annotation.actions.repairs import request_repairs
from annotation.models import Item, Round
from annotation.repairing import find_repairs
from evaluation.actions.item_statistics import request_statistics
from evaluation.item_statistics import measure
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories
from tests.functional.rest import at_rest

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
UNEVEN = ("Slide.", "Freeze", "Tilt.", "Press.")


def options_of(item: Item) -> list[str]:
    return list(Item.objects.select_related("current").get(pk=item.pk).current.options)


@pytest.fixture
def items(transactional_db: None, sign_in: Any, adjudicator: Any) -> list[Item]:
    """Three kept MCQs whose key alone lacks a full stop, proposals for them made."""
    sign_in(adjudicator)
    bench = factories.benchmark(slug="phantom", name="Phantom")
    found = []
    for _ in range(3):
        item = factories.mcq_item(factories.video(bench), options=UNEVEN, key_index=1)
        factories.kept(item)
        found.append(item)
    request_repairs(benchmark=bench, by="system")
    find_repairs(bench.pk)
    return found


def test_repairs_are_accepted_singly_and_together_and_taken_back(
    page: Page, live_server: Any, items: list[Item]
) -> None:
    path = f"{live_server.url}/b/phantom/repairs/"
    page.goto(path)
    rows = page.locator(".repairs > li")
    expect(rows).to_have_count(3)
    expect(rows.first.locator("ins")).to_have_text(".")
    rows.first.get_by_role("button", name="Accept").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("the item has a new version")
    assert options_of(items[0])[1] == "Freeze."
    page.get_by_text("Decided last").press("Enter")
    page.get_by_role("button", name="Take back the decision").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Taken back")
    assert options_of(items[0])[1] == "Freeze"
    page.get_by_role("button", name="Accept all 2").press("Enter")
    page.wait_for_url("**/items/bulk/**")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Apply").first.press("Enter")
    expect(page.get_by_role("heading", name="Applied")).to_be_visible()
    assert [options_of(item)[1] for item in items] == ["Freeze", "Freeze.", "Freeze."]
    page.get_by_role("button", name="Undo all of it").press("Enter")
    expect(page.get_by_text("Taken back").first).to_be_visible()
    assert [options_of(item)[1] for item in items] == ["Freeze"] * 3
    page.goto(path)
    page.get_by_text("Decided last").press("Enter")
    expect(rows).to_have_count(3)
    found = Axe().run(at_rest(page))
    assert not found.response["violations"], found.generate_report()


def test_items_are_proposed_to_readers_from_the_queue(
    page: Page, live_server: Any, items: list[Item]
) -> None:
    release = factories.release(items[0].benchmark)
    for number in range(3):
        compute_entry(make.scored_run(release, [1, 0, 1], name=f"B{number}", condition="blind"))
    request_statistics(release=release, by="system")
    measure(release.pk)
    page.goto(f"{live_server.url}/b/phantom/look-again/")
    expect(page.locator(".look-items tbody tr")).to_have_count(2)
    expect(page.get_by_text("chance 25 %").first).to_be_visible()
    found = Axe().run(at_rest(page))
    assert not found.response["violations"], found.generate_report()
    page.get_by_role("button", name="Propose 2 items to readers").press("Enter")
    page.wait_for_url("**/rounds/**")
    expect(page.get_by_role("status").first).to_contain_text("is a draft with 2 items")
    assert Round.objects.get().size == 2
    assert all(Item.objects.values_list("keep", flat=True))
