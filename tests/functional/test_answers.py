"""Answering before the key is shown, in a real browser: by keys, offline, after a reload."""

import re
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from annotation.models import Answer, Event, ItemVersion, Review
from tests import factories

pytestmark = [pytest.mark.chromium, pytest.mark.django_db(transaction=True)]
SAVED = re.compile(r"^Saved \d\d:\d\d:\d\d$")


@pytest.fixture
def reader(transactional_db: None, reviewer: Any) -> Any:
    reviewer.answers_first = True
    reviewer.save()
    return reviewer


@pytest.fixture
def opened(page: Page, live_server: Any, sign_in: Any, reader: Any) -> Any:
    """Return a function that opens the page of an item; it may throw nothing meanwhile."""
    sign_in(reader)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    def open_item(item: Any) -> Any:
        page.goto(f"{live_server.url}/b/{item.benchmark.slug}/review/{item.pk}/")
        expect(page.locator("[data-saved]")).to_contain_text("All saved")
        return item

    yield open_item
    assert faults == []


def line(page: Page) -> Any:
    return page.locator("[data-saved]")


def shown(item: Any, letter: str) -> int:
    return factories.current(item).shown_order["ABCD".index(letter)]


def key_letter(item: Any) -> str:
    version = factories.current(item)
    return "ABCD"[version.shown_order.index(version.key_index)]


@pytest.mark.parametrize("player", ["file", "youtube"])
def test_answer_by_keys_then_key_then_vote_then_next(
    page: Page, request: Any, opened: Any, player: str, picture
) -> None:
    if player == "file":
        item = request.getfixturevalue("clip_item")
        item.video.items.filter(kind="free").update(start=13.0, end=14.0)
        ItemVersion.objects.filter(item__kind="free").update(start=13.0, end=14.0)
    else:
        item = request.getfixturevalue("item_with")()
    Event.objects.filter(video=item.video).update(action="The key is told here.")
    opened(item)
    expect(page.locator("[data-answer-option]")).to_have_count(4)
    expect(page.locator("[data-verdict-button=keep]")).to_have_count(0)
    expect(page.locator("[data-event-list] li")).to_have_count(0)
    right = key_letter(item)
    page.keyboard.press("k")  # no vote yet
    page.keyboard.press("c" if right != "C" else "d")
    page.keyboard.press(right.lower())
    expect(page.locator("[data-answer-send]")).to_contain_text(f"Answer {right}")
    picture("answer-first")
    page.keyboard.press("Enter")
    expect(page.locator("[data-answered]")).to_contain_text(f"Right: {right}")
    expect(page.locator("[data-answered]")).to_be_focused()
    picture("answer-told")
    if player == "file":  # what is told about the other item stays shut
        expect(page.locator("[data-event-count]")).to_contain_text("1 opens with your answers")
        expect(page.locator("[data-event-list] li")).to_have_count(2)
    expect(page.locator(".opt.key")).to_contain_text("Your answer")
    expect(page.locator(".sealed")).to_contain_text("Evidence opens after your vote")
    answer = Answer.objects.get()
    assert (answer.option_index, answer.key_seen_before) == (shown(item, right), False)
    assert not Review.objects.exists()
    page.keyboard.press("x")
    page.keyboard.press("3")
    expect(line(page)).to_contain_text(SAVED)
    expect(page.locator("[data-evidence]")).to_contain_text("No other reader has answered it")
    assert Review.objects.get().reasons == [3]
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"/review/(?!{item.pk}/)"))
    expect(page.locator("[data-answer-send]")).to_be_visible()
    if player == "file":  # an entry that is shut may lie in the window: no word about that
        expect(page.locator("[data-event-count]")).to_contain_text("1 opens with your answers")
        expect(page.locator("[data-window-said] li")).to_have_count(0)


@pytest.fixture
def free(transactional_db: None) -> Any:
    return factories.free_item(factories.video(factories.benchmark()))


@pytest.fixture
def mcq(transactional_db: None) -> Any:
    return factories.mcq_item(factories.video(factories.benchmark()))


def test_a_written_answer_beside_the_reference(page: Page, opened: Any, free: Any) -> None:
    opened(free)
    page.keyboard.press("a")
    page.keyboard.type("Pressing moves kxu1 the gas.")
    page.reload()
    expect(page.locator("#answer-text")).to_have_value("Pressing moves kxu1 the gas.")
    page.locator("#answer-text").focus()
    page.keyboard.press("Control+Enter")
    note = page.locator("[data-answered]")
    expect(note).to_contain_text("Pressing moves kxu1 the gas.")
    expect(note).to_contain_text("To push the bowel gas aside.")
    page.keyboard.press("k")
    expect(page.locator("[data-evidence]")).to_be_visible()
    assert Answer.objects.get().text == "Pressing moves kxu1 the gas."


def test_an_answer_outlives_a_dead_network_and_can_be_taken_back_there(
    page: Page, context: Any, opened: Any, mcq: Any
) -> None:
    opened(mcq)
    context.set_offline(True)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    expect(page.locator("[data-answer-kept]")).to_contain_text("Your answer is kept.")
    expect(page.locator(".opt.key")).to_have_count(0)
    page.keyboard.press("z")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text("Not saved, 3 kept")
    assert not Answer.objects.exists()
    context.set_offline(False)
    expect(page.locator("[data-answered]")).to_be_visible()
    standing = Answer.objects.get(undone_at=None)
    assert standing.option_index == shown(mcq, "B")
    assert Answer.objects.get(option_index=shown(mcq, "A")).undone_at, "blind, so it could be"


def test_an_unsent_answer_outlives_the_page(
    page: Page, context: Any, opened: Any, mcq: Any
) -> None:
    opened(mcq)
    context.route("**/answers/**", lambda route: route.abort())
    page.keyboard.press("d")
    page.keyboard.press("Enter")
    expect(line(page)).to_contain_text("Not saved, 1 kept")
    page.reload()
    expect(page.locator("[data-answer-kept]")).to_be_visible()
    expect(page.locator("[data-letter=D]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("a")  # one answer is given already
    expect(page.locator("[data-letter=D]")).to_have_attribute("aria-pressed", "true")
    context.unroute("**/answers/**")
    page.reload()
    expect(page.locator("[data-answered]")).to_be_visible()
    assert Answer.objects.get().option_index == shown(mcq, "D")


def test_that_one_could_not_tell_outlives_an_expired_login(
    page: Page, opened: Any, mcq: Any
) -> None:
    opened(mcq)
    Session.objects.all().delete()
    page.keyboard.press("u")
    page.keyboard.press("u")  # a second press sends
    expect(page.locator("[data-sign-in]")).to_contain_text("1 answer waits on this machine")
    page.locator("#sign-in-password").fill(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("[data-answered]")).to_contain_text(
        f"You could not tell. The key is {key_letter(mcq)}."
    )
    assert Answer.objects.get().could_not_tell


def test_keys_and_the_switch(page: Page, opened: Any, mcq: Any, settings: Any, reader: Any) -> None:
    opened(mcq)
    keys = page.evaluate(
        "async (path) => (await import(path)).registered().flatMap((one) => one.keys)",
        f"{settings.STATIC_URL}ui/keys.js",
    )
    assert len(keys) == len(set(keys)) > 25
    for code, key in (("KeyQ", "a"), ("KeyD", "в")):  # AZERTY by its sign, Cyrillic by its place
        page.evaluate(
            "([code, key]) => document.dispatchEvent(new KeyboardEvent('keydown',"
            " {code, key, bubbles: true, cancelable: true}))",
            [code, key],
        )
        letter = "A" if key == "a" else "D"
        expect(page.locator(f"[data-letter={letter}]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Shift+?")
    expect(page.locator("#keys-dialog")).to_contain_text("choose A; again: send")
    page.keyboard.press("Escape")
    page.keyboard.press("q")
    expect(page.locator("[data-conflict]")).to_contain_text("This shows the key")
    page.keyboard.press("q")
    expect(page.locator("[data-verdict-button=keep]")).to_be_visible()
    reader.refresh_from_db()
    assert not reader.answers_first and not Answer.objects.exists()
