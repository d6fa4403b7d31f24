"""A run from its start to the leaderboard, in a real browser, by a real worker."""

import threading
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import Page, expect

from evaluation.actions.runs import create_run, start_run
from evaluation.engine.pump import pump
from evaluation.models import Contestant, Provider, Run
from tests import factories
from tests.functional.rest import at_rest
from tests.standins.model_script import Fault, Script
from tests.standins.model_server import ModelServer
from tests.standins.workers import Workers, workers

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SECONDS = 1_000  # milliseconds, as Playwright counts


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Script(latency=0.1)) as running:
        yield running


@pytest.fixture
def release(transactional_db: None) -> Any:
    bench = factories.benchmark(name="Abdominal sweep", slug="sweep")
    for number in range(12):
        video = factories.video(bench)
        factories.kept(factories.mcq_item(video, stem=f"What happens in step {number}?"))
        factories.kept(factories.free_item(video, stem=f"Why is step {number} done?"))
    return factories.release(bench)


@pytest.fixture
def model(server: ModelServer, transactional_db: None) -> Contestant:
    provider = Provider.objects.create(
        name="Stand-in", dialect="openai_compatible", base_url=f"{server.url}/v1", max_in_flight=4
    )
    return Contestant.objects.create(
        name="Stand-in 1", slug="stand-in-1", provider=provider, model_id="m-1", can_judge=True,
        price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip


@pytest.fixture
def crew(broker: str, child_env: dict[str, str], tmp_path: Path) -> Iterator[Workers]:
    with workers(child_env, tmp_path / "worker.log") as found:
        found.start()
        yield found


@pytest.fixture
def runs_of(
    page: Page, live_server: Any, sign_in: Callable[[Any], None], admin_user: Any
) -> Iterator[Callable[[str], Page]]:
    """Return a function that opens a page of runs as the admin; no script error is let by."""
    sign_in(admin_user)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)

    def visit(path: str) -> Page:
        page.goto(f"{live_server.url}{path}")
        return page

    yield visit
    assert faults == []


def test_admin_runs_a_model_and_publishes_its_entry(
    runs_of: Any, crew: Workers, server: ModelServer, release: Any, model: Contestant
) -> None:
    page = runs_of("/runs/new/")
    page.get_by_label("Benchmark and release").select_option(index=1)
    page.get_by_label("Model", exact=True).select_option(label=model.name)
    page.get_by_label("Condition").select_option("blind")
    page.get_by_label("Judge").select_option(label=model.name)
    page.get_by_label("Budget").fill("5")
    page.get_by_role("button", name="Estimate").click()
    takes = page.locator(".run-estimate")
    expect(takes).to_contain_text("24 (12 MCQ, 12 free response)")
    expect(takes).to_contain_text("36 of them 12 to the judge")
    assert server.counted.calls == 0, "an estimate asked the model"

    page.get_by_role("button", name="Start the run").click()
    expect(page.locator("h1")).to_have_text("Stand-in 1, text-only")
    expect(page.locator("[data-state=done]")).to_be_visible(timeout=60 * SECONDS)
    expect(page.locator("[data-fragment=progress]")).to_contain_text("24 of 24 settled")
    publish = page.get_by_role("button", name="Publish")
    expect(publish).to_be_visible(timeout=20 * SECONDS)
    publish.click()

    page.get_by_role("link", name="On the leaderboard").click()
    expect(page.locator("main")).to_contain_text("Stand-in 1")
    assert server.counted.calls == 36


@pytest.fixture
def settled(release: Any, model: Contestant, admin_user: Any, server: ModelServer) -> Run:
    """A run that is done, with a failure and a refusal in it."""
    server.script(
        Script(
            faults=[
                Fault("truncated_json", share=1.0, match="in step 3?"),
                Fault("safety", share=1.0, match="in step 5?"),
            ]
        )
    )
    run = create_run(
        benchmark=release.benchmark, release=release, contestant=model, condition="blind",
        judge=model, by=admin_user,
    )  # fmt: skip
    start_run(run=run, by=admin_user)
    thread = threading.Thread(target=pump_aside, args=(run.pk,))  # this one has Playwright's loop
    thread.start()
    thread.join()
    return run


def pump_aside(run_id: int) -> None:
    pump(run_id)
    connection.close()


def test_failures_stand_apart_and_items_are_narrowed(runs_of: Any, settled: Run) -> None:
    page = runs_of(f"/runs/{settled.pk}/")
    errors = page.locator("[data-fragment=errors]")
    expect(errors.get_by_role("row", name="Unreadable reply")).to_contain_text("Needs a fix")
    expect(errors.get_by_role("row", name="Refused by the model")).to_contain_text("Scored 0")

    page.get_by_label("State").select_option("failed")
    rows = page.locator(".run-items tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("in step 3?")
    expect(rows).to_contain_text("none")

    page.get_by_label("State").select_option("")
    page.get_by_label("Search items").fill("in step 5")
    page.get_by_role("button", name="Filter").click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("0 / 1")


def test_each_answer_opens_beside_the_table_and_gives_the_focus_back(
    runs_of: Any, page: Page, settled: Run
) -> None:
    runs_of(f"/runs/{settled.pk}/?kind=mcq")
    rows = page.locator(".run-items tbody tr")
    expect(rows).to_have_count(12)
    page.keyboard.press("n")  # the first row
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("Exactly one option is right")
    expect(drawer.locator("h2")).to_be_focused()
    first = drawer.locator("h2").inner_text()

    page.keyboard.press("ArrowDown")
    expect(drawer.locator("h2")).not_to_have_text(first)
    second = drawer.locator("h2").inner_text()
    expect(drawer.locator(".answer-stem")).to_contain_text(second[:20])
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body"
            " || document.querySelector('dialog').contains(document.activeElement)"
        ), "the focus left the drawer"
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(page.locator("a[data-open]:focus")).to_have_text(second)

    page.goto(page.locator("a[data-open]:focus").evaluate("link => link.href"))
    expect(page.locator("main .answer-stem")).to_contain_text(second[:20])
    page.get_by_role("link", name="Items").click()
    expect(rows).to_have_count(12)


def test_failed_step_is_retried_from_the_page(
    runs_of: Any, settled: Run, crew: Workers, server: ModelServer
) -> None:
    server.script(Script())
    page = runs_of(f"/runs/{settled.pk}/")
    page.get_by_role("button", name="Retry 1 failed").click()
    expect(page.locator("[data-state=done]")).to_be_visible(timeout=60 * SECONDS)
    expect(page.locator("[data-fragment=progress]")).to_contain_text("0 failed")
    assert server.counted.calls == 1


def test_finished_run_is_extended_and_then_judged_by_another(
    runs_of: Any, settled: Run, model: Contestant, crew: Workers, server: ModelServer
) -> None:
    server.script(Script())
    item = settled.benchmark.items.get(current__stem="What happens in step 7?")
    factories.reworded(item, "What happens in step 7, and why?")
    factories.release(settled.benchmark, tag="r2")
    other = Contestant.objects.create(
        name="Second judge", slug="second", provider=model.provider, model_id="m-2",
        can_judge=True, price_in=Decimal(1), price_out=Decimal(2),
    )  # fmt: skip
    page = runs_of(f"/runs/{settled.pk}/")
    page.get_by_role("link", name="Extend").click()
    page.get_by_label("Release").select_option(label="r2")
    page.get_by_role("button", name="Estimate").click()
    takes = page.locator(".run-estimate")
    expect(takes).to_contain_text("24 of them 22 taken over")
    assert server.counted.calls == 0, "an estimate asked the model"
    page.get_by_role("button", name="Extend the run").click()
    expect(page.locator("[data-state=done]")).to_be_visible(timeout=60 * SECONDS)
    expect(page.locator("[data-fragment=progress]")).to_contain_text("24 of 24 settled")
    assert server.counted.calls == 2, "more was asked than the new item and the failed one"
    expect(page.get_by_role("link", name=f"run {settled.pk}")).to_be_visible()

    page.get_by_role("link", name="Judge again").click()
    page.get_by_label("Judge").select_option(label=other.name)
    page.get_by_label("Budget").fill("1")
    page.get_by_role("button", name="Estimate").click()
    expect(takes).to_contain_text("12")
    page.get_by_role("button", name="Judge again").click()
    expect(page.locator("[data-state=done]")).to_be_visible(timeout=60 * SECONDS)
    expect(page.locator("[data-fragment=progress]")).to_contain_text("12 of 12 settled")
    assert server.counted.calls == 2 + 12, "the model was asked again"


def test_run_is_paused_and_cancelled_from_the_page(
    runs_of: Any, crew: Workers, server: ModelServer, release: Any, model: Contestant,
    admin_user: Any,
) -> None:  # fmt: skip
    server.script(Script(latency=2.0))
    run = create_run(
        benchmark=release.benchmark, release=release, contestant=model, condition="blind",
        by=admin_user,
    )  # fmt: skip
    page = runs_of(f"/runs/{run.pk}/")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("[data-state=running]")).to_be_visible(timeout=40 * SECONDS)

    page.get_by_role("button", name="Pause").click()
    expect(page.locator("[data-state=paused]")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("[data-state=cancelled]")).to_be_visible(timeout=40 * SECONDS)


@pytest.mark.parametrize(("width", "theme"), [(1440, "dark"), (1024, "dark"), (390, "light")])
def test_run_page_fits_and_is_accessible(
    runs_of: Any, page: Page, settled: Run, admin_user: Any, width: int, theme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    admin_user.theme = theme
    admin_user.save()
    page.set_viewport_size({"width": width, "height": 900})
    answer = settled.predictions.first()
    assert answer is not None
    place = f"{answer.item_version_id}/{answer.repeat}"
    for path in (
        f"/runs/{settled.pk}/",
        f"/runs/{settled.pk}/items/{place}/",
        "/runs/new/",
        "/runs/",
    ):
        runs_of(path)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} px wide"
        if width != 1024:
            found = Axe().run(at_rest(page), options={"runOnly": ["wcag2a", "wcag2aa", "wcag22aa"]})
            assert found.violations_count == 0, found.generate_report()
