"""Editing in a real browser: kept through anything, merged only when a person says so."""

import re
import uuid

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.actions.edit_hints import hold_hint
from annotation.actions.items import edit_item
from annotation.actions.threads import open_thread
from annotation.models import Thread
from tests import factories
from tests.functional.rest import at_rest
from tests.unit.annotation.queries.voting import vote

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")


@pytest.fixture
def item(transactional_db):
    return factories.free_item(factories.video(factories.benchmark(), category="Aorta"))


@pytest.fixture
def workspace(page: Page, live_server, sign_in, reviewer):
    """Open the page of an item as the reviewer; no script may fail on it."""
    sign_in(reviewer)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def go(item):
        page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
        expect(page.locator("[data-saved]")).to_contain_text("All saved")

    yield go
    assert faults == []


def theirs(item, by, base=1, **changes):
    return edit_item(item_id=item.pk, base_version=base, changes=changes, reason="theirs", by=by)


def start_edit(page: Page):
    page.keyboard.press("e")
    expect(page.locator("#edit-stem")).to_be_focused()


def test_every_field_by_keyboard_and_the_receipt(page: Page, workspace, item):
    workspace(item)
    start_edit(page)
    blame = page.locator('[data-blame="stem"] summary')
    expect(blame).to_have_attribute("title", re.compile("Last changed in v1: import"))
    page.get_by_role("button", name="Add a variant").press("Enter")
    page.keyboard.type("Air in the way.")
    page.get_by_role("button", name="Add a variant").press("Enter")
    page.keyboard.type("Bowel gas in the way.")
    page.keyboard.press("Alt+ArrowUp")
    page.get_by_role("button", name="Add a variant").press("Enter")
    page.keyboard.press("Alt+Delete")
    page.get_by_label("Its own, above the box of the video").check()
    page.locator("[name=box_w]").fill("50")
    page.get_by_label("Category of the video").fill("Vena cava")
    page.locator("#edit-reason").fill("more answers")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-saved]")).to_have_text(SAVED)
    now = factories.current(item)
    assert now.accepted_variants == ["Bowel gas in the way.", "Air in the way."]
    assert (now.roi_is_override, now.roi_w, now.roi_h) == (True, 0.5, 1.0)
    item.video.refresh_from_db()
    assert item.video.category == "Vena cava"


def test_options_move_and_are_keyed_by_keyboard(page: Page, workspace, item):
    mcq = factories.mcq_item(item.video)
    workspace(mcq)
    start_edit(page)
    page.get_by_label("Option 3", exact=True).focus()
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+Enter")
    page.get_by_label("Option 4", exact=True).focus()
    page.keyboard.press("Alt+Delete")
    page.keyboard.press("Control+Enter")  # the field that a refusal names is the next to fill
    expect(page.locator("#edit-reason")).to_be_focused()
    page.locator("#edit-reason").fill("order")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-saved]")).to_have_text(SAVED)
    now = factories.current(mcq)
    first, second, third, _ = factories.OPTIONS
    assert (now.options, now.key_index) == ([third, first, second], 0)


def test_edits_of_other_fields_are_kept_together_with_one_key(
    page: Page, workspace, item, reviewer_2, picture
):
    workspace(item)
    start_edit(page)
    page.locator("#edit-stem").fill("My wording?")
    page.locator("#edit-reason").fill("mine")
    theirs(item, reviewer_2, reference_answer="Their answer.", end=31.0)
    page.keyboard.press("Control+Enter")
    panel = page.locator("[data-edit-conflict]")
    for text in ("Someone saved v2 while you edited v1", "Their answer.", "My wording?"):
        expect(panel).to_contain_text(text)
    expect(panel.get_by_role("button", name="Keep both as v3")).to_be_focused()
    picture("merge-offered")
    assert item.versions.count() == 2, "never silently"
    page.keyboard.press("Enter")
    expect(page.locator(".stem")).to_have_text("My wording?")
    now = factories.current(item)
    assert (now.number, now.stem, now.reference_answer, now.end) == (
        3, "My wording?", "Their answer.", 31.0,
    )  # fmt: skip


def test_where_both_changed_the_same_a_person_chooses_part_by_part(
    page: Page, workspace, item, reviewer_2, picture
):
    workspace(item)
    start_edit(page)
    page.locator("#edit-stem").fill("My wording?")
    page.locator("#edit-reference").fill("My answer.")
    page.locator("#edit-start").fill("21")
    page.locator("#edit-reason").fill("mine")
    theirs(item, reviewer_2, stem="Their wording?", reference_answer="Their answer.")
    page.keyboard.press("Control+Enter")
    merge = page.get_by_role("button", name="Save as chosen, v3")
    expect(merge).to_be_disabled()
    picture("conflict-side-by-side")
    page.locator('[data-merge-part="stem"] [value="theirs"]').check()
    expect(merge).to_be_disabled()
    page.locator('[data-merge-part="reference_answer"] [value="mine"]').check()
    merge.click()
    expect(page.locator(".stem")).to_have_text("Their wording?")
    now = factories.current(item)
    assert (now.number, now.reference_answer, now.start) == (3, "My answer.", 21.0)


def test_a_draft_outlives_the_page_and_knows_its_version(
    page: Page, workspace, item, reviewer_2, context, live_server
):
    workspace(item)
    start_edit(page)
    page.locator("#edit-reference").fill("Half an answer")
    page.locator("#edit-reason").fill("why not")
    page.close()  # no time to say goodbye
    theirs(item, reviewer_2, stem="Their wording?")

    again = context.new_page()
    again.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
    offer = again.locator("[data-draft-offer]")
    expect(offer).to_contain_text(
        re.compile(r"Your unsaved change of \d\d:\d\d, on version 1, now is 2")
    )
    again.keyboard.press("e")
    expect(again.locator("#edit-reference")).to_have_value("Half an answer")
    again.keyboard.press("Control+Enter")
    again.get_by_role("button", name="Keep both as v3").click()
    expect(again.locator("[data-saved]")).to_have_text(SAVED)
    expect(again.locator(".stem")).to_have_text("Their wording?")
    assert factories.current(item).reference_answer == "Half an answer"
    expect(again.locator("[data-draft-offer]")).to_be_hidden()


def test_a_login_that_ends_while_editing_loses_nothing(page: Page, workspace, item, reviewer_2):
    workspace(item)
    start_edit(page)
    page.locator("#edit-stem").fill("Kept wording?")
    page.locator("#edit-reason").fill("kept")
    Session.objects.all().delete()
    page.keyboard.press("Control+Enter")
    bar = page.locator("[data-sign-in]")
    expect(bar).to_contain_text("Your edit waits on this machine")
    expect(page.locator("#edit-stem")).to_have_value("Kept wording?")

    page.locator("[data-sign-in] [name=login]").evaluate("(field) => field.value = 'reviewer-2'")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in-error]")).to_contain_text("signed in as reviewer-2")
    page.locator("#edit-stem").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-edit-errors]")).to_contain_text("you are signed out")
    assert item.versions.count() == 1, "nothing goes out as somebody else's"

    page.locator("[data-sign-in] [name=login]").evaluate("(field) => field.value = 'reviewer'")
    page.context.clear_cookies(name="sessionid")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.locator("#sign-in-password").press("Enter")
    expect(page.locator(".stem")).to_have_text("Kept wording?")
    assert factories.current(item).author.get_username() == "reviewer"


def test_an_edit_waits_for_a_server_that_is_down_or_busy(page: Page, workspace, item):
    workspace(item)
    start_edit(page)
    page.locator("#edit-stem").fill("Late wording?")
    page.locator("#edit-reason").fill("late")
    answers = iter([503, 429, None])

    def fail(route):
        status = next(answers, "through")
        if status == "through":
            route.continue_()
        elif status is None:
            route.abort()
        else:
            route.fulfill(status=status, body="{}", content_type="application/json")

    page.route("**/versions/", fail)
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-edit-errors]")).to_contain_text("Not saved yet")
    expect(page.locator(".stem")).to_have_text("Late wording?")
    assert item.versions.count() == 2


def test_who_else_is_editing_is_named(page: Page, workspace, item, reviewer_2, reviewer):
    hold_hint(item_id=item.pk, by=reviewer_2)
    workspace(item)
    expect(page.locator("[data-editing-hint]")).to_have_text("reviewer-2 is editing")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        start_edit(page)
    with page.expect_response(lambda answer: answer.request.method == "DELETE"):
        page.keyboard.press("Escape")


def test_a_thread_on_the_item_by_keyboard(page: Page, workspace, item, reviewer):
    vote(item, reviewer, "keep")
    workspace(item)
    page.keyboard.press("a")
    page.keyboard.type("Is k the right x?")
    page.get_by_role("button", name="Open the thread").press("Enter")
    expect(page.locator("[data-thread]")).to_contain_text("Is k the right x?")
    page.locator("body").click(position={"x": 1, "y": 1})
    page.keyboard.press("d")
    expect(page.locator("[data-thread]")).to_contain_text("Resolved")
    page.keyboard.press("d")
    expect(page.locator("[data-thread]")).not_to_contain_text("Resolved")
    assert Thread.objects.get().resolved_at is None


def test_a_thread_goes_out_after_signing_in_again(page: Page, workspace, item, reviewer):
    vote(item, reviewer, "keep")
    workspace(item)
    page.keyboard.press("a")
    page.keyboard.type("Is it the right one?")
    Session.objects.all().delete()
    page.get_by_role("button", name="Open the thread").press("Enter")
    expect(page.locator("[data-thread-error]").first).to_contain_text("you are signed out")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-sign-in]")).to_be_hidden()
    page.get_by_role("button", name="Open the thread").press("Enter")
    expect(page.locator("[data-thread]")).to_contain_text("Is it the right one?")


def test_accessible(page: Page, workspace, item, live_server, sign_in, reviewer, reviewer_2):
    reviewer.theme, reviewer.role = "light", "adjudicator"
    reviewer.save()
    vote(item, reviewer, "keep")
    vote(item, reviewer_2, "unsure")
    thread = uuid.uuid4()
    open_thread(thread_id=thread, item_id=item.pk, text="?", asked=[reviewer.pk], by=reviewer)
    workspace(item)
    sound(page)
    start_edit(page)
    page.locator("#edit-stem").fill("My wording?")
    page.locator("#edit-reason").fill("mine")
    theirs(item, reviewer_2, stem="Their wording?")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Save as chosen, v3")).to_be_visible()
    sound(page)
    for path in ("questions/", f"b/{item.benchmark.slug}/adjudication/?show=threads"):
        page.goto(f"{live_server.url}/{path}")
        sound(page)
        for width in (1024, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def sound(page: Page):
    found = Axe().run(at_rest(page), options=RULES).response["violations"]
    assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
