"""Reviewing in a real browser, by keyboard."""

import re
import uuid

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Item, Review, Revision
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def bench(transactional_db):
    bench = factories.benchmark(name="Abdominal sweep")
    for _ in range(2):
        video = factories.video(bench)
        factories.event(video)
        factories.mcq_item(video)
        factories.free_item(video)
    return bench


@pytest.fixture
def workspace(page: Page, live_server, sign_in, reviewer, bench):
    """Open the page of one item, the first where none is named; return the item."""
    sign_in(reviewer)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def open_item(item=None, query=""):
        item = item or bench.items.first()
        page.goto(f"{live_server.url}/b/{bench.slug}/review/{item.pk}/{query}")
        expect(page.locator("[data-saved]")).to_contain_text("All saved")
        return item

    yield open_item
    assert faults == []


def saved(page: Page):
    expect(page.locator("[data-saved]")).to_contain_text(re.compile(r"^Saved \d\d:\d\d:\d\d$"))


def at(page: Page, item):
    page.wait_for_url(re.compile(rf"/review/{item.pk}/"))
    expect(page.locator("[data-saved]")).to_contain_text("All saved")


def focused(page: Page) -> str:
    return page.evaluate(
        "document.activeElement.dataset.go ?? document.activeElement.dataset.verdictButton ?? ''"
    )


def test_three_items_by_keyboard(page: Page, workspace, bench, reviewer):
    first, second, third, _ = bench.items.all()
    workspace(first)
    assert focused(page) == "keep"

    page.keyboard.press("k")
    saved(page)
    expect(page.locator("[data-evidence]")).to_be_visible()
    expect(page.locator(f'[data-entry="{first.pk}"]')).to_contain_text("Kept")
    expect(page.locator('[data-tally="you"]')).to_contain_text("1 / 4")
    assert focused(page) == "open"

    page.keyboard.press("Enter")
    at(page, second)
    page.keyboard.press("x")
    page.keyboard.press("4")
    page.keyboard.press("6")
    saved(page)
    expect(page.locator(f'[data-entry="{second.pk}"]')).to_contain_text("Dropped")

    page.keyboard.press("Enter")
    at(page, third)
    page.keyboard.press("c")
    page.keyboard.type("Key and window do not fit, k x u")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    saved(page)

    standing = {vote.item_id: vote for vote in Review.objects.filter(reviewer=reviewer)}
    assert standing[first.pk].verdict == "keep"
    assert (standing[second.pk].verdict, standing[second.pk].reasons) == ("drop", [4, 6])
    assert standing[third.pk].verdict == "unsure"
    assert standing[third.pk].comment == "Key and window do not fit, k x u"


def test_a_digit_drops_at_once(page: Page, workspace):
    item = workspace()
    page.keyboard.press("2")
    saved(page)
    assert Review.objects.get(item=item).reasons == [2]


def test_undo_takes_back_and_seals_again(page: Page, workspace):
    item = workspace()
    page.keyboard.press("k")
    saved(page)
    expect(page.locator("[data-evidence]")).to_be_visible()
    page.keyboard.press("z")
    expect(page.locator(".sealed")).to_be_visible()
    expect(page.locator(f'[data-entry="{item.pk}"]')).to_contain_text("To do")
    expect(page.locator('[data-tally="you"]')).to_contain_text("0 / 4")
    assert focused(page) == "keep"
    assert Review.objects.get(item=item).undone_at is not None
    assert Item.objects.get(pk=item.pk).state == "todo"


def test_undo_finds_the_last_vote_from_the_next_item(page: Page, workspace, bench):
    first, second, *_ = bench.items.all()
    workspace(first)
    page.keyboard.press("k")
    saved(page)
    page.keyboard.press("Enter")
    at(page, second)
    page.keyboard.press("z")
    at(page, first)
    assert Review.objects.get().undone_at is None, "to look at it first"
    page.keyboard.press("z")
    expect(page.locator(".sealed")).to_be_visible()
    assert Review.objects.get().undone_at is not None


def test_skip_goes_on_and_comes_back(page: Page, workspace, bench):
    first, second, *_ = bench.items.all()
    workspace(first)
    page.keyboard.press("s")
    page.keyboard.press("2")
    at(page, second)
    assert Review.objects.get(item=first).verdict == "skip"
    expect(page.locator(f'[data-entry="{first.pk}"]')).to_contain_text("To do")


def test_keys_are_silent_in_fields(page: Page, workspace):
    workspace()
    page.keyboard.press("/")
    page.keyboard.type("kxu1z")
    expect(page.locator("#queue-q")).to_have_value("kxu1z")
    page.keyboard.press("Escape")
    assert not Review.objects.exists()


def test_space_plays_where_the_focus_is_on_keep(page: Page, workspace):
    workspace()
    assert focused(page) == "keep"
    page.keyboard.press("Space")
    page.wait_for_timeout(200)
    assert not Review.objects.exists()


def test_a_held_enter_does_not_vote_item_after_item(page: Page, workspace):
    workspace()
    page.keyboard.down("Enter")
    for _ in range(5):
        page.keyboard.down("Enter")  # as a held key repeats
    page.keyboard.up("Enter")
    saved(page)
    page.wait_for_timeout(300)
    assert Review.objects.count() == 1


def test_the_keys_dialog_is_written_from_the_registry(page: Page, workspace):
    workspace()
    page.keyboard.press("Shift+?")
    dialog = page.locator("#keys-dialog")
    expect(dialog).to_be_visible()
    for word in ("keep", "undo", "play or pause", "edit the item", "search the queue"):
        expect(dialog).to_contain_text(word)
    page.keyboard.press("k")  # silent while a dialog is open
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert not Review.objects.exists()


def test_no_key_has_two_meanings(page: Page, workspace, settings):
    workspace()
    keys = page.evaluate(
        """async (path) => (await import(path)).registered()
             .flatMap((binding) => binding.keys)""",
        f"{settings.STATIC_URL}ui/keys.js",
    )
    assert len(keys) == len(set(keys)) > 25


def test_a_question_mark_opens_the_keys_wherever_it_stands(page: Page, workspace):
    workspace()
    page.evaluate(
        """document.dispatchEvent(new KeyboardEvent('keydown',
             {code: 'Minus', key: '?', shiftKey: true, bubbles: true, cancelable: true}))"""
    )
    expect(page.locator("#keys-dialog")).to_be_visible()


def test_other_layouts_keep_the_place_of_a_key(page: Page, workspace):
    item = workspace()
    page.evaluate(
        """document.dispatchEvent(new KeyboardEvent('keydown',
             {code: 'KeyK', key: 'л', bubbles: true, cancelable: true}))"""
    )
    saved(page)
    assert Review.objects.get(item=item).verdict == "keep"


def test_two_reviewers_disagree(
    page: Page, workspace, bench, context, live_server, sign_in, reviewer_2
):
    item = workspace()
    page.keyboard.press("k")
    saved(page)

    context.clear_cookies()
    sign_in(reviewer_2)
    workspace(item)
    expect(page.locator(".sealed")).to_be_visible()
    expect(page.locator("body")).not_to_contain_text("kept it")
    page.keyboard.press("x")
    page.keyboard.press("5")
    expect(page.locator("[data-against]")).to_contain_text("You drop, Reviewer 2 keeps")
    expect(page.locator("[data-evidence]")).to_contain_text("Reviewer 2 kept it")
    expect(page.locator(f'[data-entry="{item.pk}"]')).to_contain_text("Disagreement")


def test_an_adjudicator_decides_where_votes_contradict(
    page: Page, workspace, bench, context, sign_in, reviewer_2, adjudicator
):
    from annotation.actions.reviews import cast_vote

    item = bench.items.first()
    cast_vote(
        review_id=uuid.uuid4(),
        item_id=item.pk,
        version_number=1,
        verdict="drop",
        reasons=[2],
        by=reviewer_2,
    )
    context.clear_cookies()
    sign_in(adjudicator)
    workspace(item)
    page.keyboard.press("k")
    page.get_by_role("button", name="Decide: keep").click()
    expect(page.locator("[data-evidence]")).to_contain_text("Kept, by adjudicator")
    expect(page.locator("[data-against]")).to_have_count(0)
    assert Item.objects.get(pk=item.pk).keep is True


def test_edit_and_its_history(page: Page, workspace, reviewer):
    item = workspace()
    page.keyboard.press("e")
    page.locator("#edit-stem").fill("Which movement comes next?")
    page.locator("[data-edit-option-list] .input").nth(1).fill("Tilt the probe.")
    page.locator("[data-edit-option-list] input[type=radio]").nth(1).check()
    page.locator("#edit-reason").fill("The key was wrong")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".stem")).to_have_text("Which movement comes next?")
    expect(page.locator(".opt.key")).to_contain_text("Tilt the probe.")
    item = Item.objects.select_related("current").get(pk=item.pk)
    assert item.current.number == 2 and item.current.author == reviewer
    assert Revision.objects.get(verb="edit_item").reason == "The key was wrong"
    page.locator(".versions summary").click()
    expect(page.locator(".versions")).to_contain_text("The key was wrong")


def test_an_edit_says_what_is_wrong(page: Page, workspace):
    item = workspace()
    page.keyboard.press("e")
    page.locator("#edit-end").fill("1")
    page.locator("#edit-reason").fill("shorter")
    page.keyboard.press("Control+Enter")
    expect(page.locator("[data-edit-errors]")).to_contain_text("must end after it starts")
    assert item.versions.count() == 1


def test_escape_asks_before_the_edit_is_lost_and_a_reload_keeps_it(page: Page, workspace):
    item = workspace()
    page.keyboard.press("e")
    page.locator("#edit-stem").fill("Half a thought")
    page.reload()
    expect(page.locator("[data-saved]")).to_contain_text("All saved")
    page.keyboard.press("e")
    expect(page.locator("#edit-stem")).to_have_value("Half a thought")
    page.keyboard.press("Escape")
    expect(page.locator("[data-edit-errors]")).to_contain_text("Press Esc again")
    page.locator("#edit-stem").press_sequentially(", kept")
    page.keyboard.press("Escape")
    expect(page.locator("#edit-stem")).to_have_value("Half a thought, kept")
    page.keyboard.press("Escape")
    expect(page.locator(".stem")).to_be_visible()
    assert item.versions.count() == 1


def test_a_conflict_shows_base_theirs_and_yours(page: Page, workspace, reviewer_2):
    from annotation.actions.items import edit_item

    item = workspace()
    page.keyboard.press("e")
    page.locator("#edit-stem").fill("My wording?")
    page.locator("#edit-reason").fill("mine")
    edit_item(
        item_id=item.pk,
        base_version=1,
        changes={"stem": "Their wording?"},
        reason="theirs",
        by=reviewer_2,
    )
    page.keyboard.press("Control+Enter")
    panel = page.locator("[data-edit-conflict]")
    for text in ("v2", "What does the operator do next?", "Their wording?", "My wording?"):
        expect(panel).to_contain_text(text)
    assert item.versions.count() == 2
    panel.get_by_text("Save mine as v3").click()
    expect(page.locator(".stem")).to_have_text("My wording?")
    assert item.versions.count() == 3


def test_the_queue_opens_groups_and_filters(page: Page, workspace, bench):
    workspace()
    other = page.locator(".rail .group").nth(1)
    other.click()
    expect(page.locator("[data-entry]")).to_have_count(4)
    page.locator('[data-filter="todo"]').click()
    page.wait_for_url("**show=todo**")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"show=todo"))
    expect(page.locator('[data-filter="todo"]')).to_have_attribute("aria-current", "true")


def test_the_theme_changes_at_once_and_stays(page: Page, workspace, reviewer):
    workspace()
    with page.expect_response("**/account/theme/"):
        page.locator("[data-theme-form] button").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    reviewer.refresh_from_db()
    assert reviewer.theme == "light"
