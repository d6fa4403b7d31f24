"""One registry of keys: a page's script listens for keys nowhere else without a reason."""

import re
from pathlib import Path

import pytest

UI = Path(__file__).parents[2] / "static" / "ui"
LISTENS = re.compile(r"""["'](?:keydown|keyup|keypress)["']|\bonkey(?:down|up|press)\b""")
LETTER = re.compile(
    r"""\.(?:key|code)\s*(?:===?|!==?)\s*["'](?:Key[A-Z]|Digit\d|[a-zA-Z0-9])["']"""
)
# Who listens besides the registry: for keys of a control or a form that has the focus.
REASONS = {
    "keys.js": "the registry",
    "keys_page.js": "takes the press that a field is to hold",
    "menus.js": "Esc closes the menu that has the focus",
    "adjudication.js": "Enter in the reason must not press the first button",
    "review/active_time.js": "notes that somebody is there; no key has a meaning",
    "review/queue.js": "Esc closes the drawer that has the focus",
    "review/edit.js": "Esc leaves the form, and asks first",
    "review/review.js": "a held Enter must not vote item after item",
    "review/votes.js": "Enter in the comment leaves it",
    "review/answers.js": "Enter in the answer's field",
    "roi/fields.js": "arrows in a field of numbers",
    "roi/handles.js": "arrows on a handle",
    "stage/window_lane.js": "arrows on an end of the window",
    "stage/report.js": "the choices of an open menu",
    "stage/window_fields.js": "arrows and Enter in a field of times",
    "review/skip.js": "the choices of the open note of a skip; no field",
    "decisions.js": "the choices of the dialog that is open",
}


def scripts() -> dict[str, str]:
    return {path.relative_to(UI).as_posix(): path.read_text() for path in UI.rglob("*.js")}


def test_nobody_listens_for_keys_without_a_reason() -> None:
    listening = {name for name, text in scripts().items() if LISTENS.search(text)}
    assert listening <= set(REASONS)


@pytest.mark.parametrize("name", sorted(set(REASONS) - {"keys.js"}))
def test_no_letter_or_digit_has_a_meaning_outside_the_registry(name: str) -> None:
    assert not LETTER.search((UI / name).read_text())


def test_whoever_registers_names_places_and_not_signs() -> None:
    """Letters are named by their place on the keyboard, or another layout would move them."""
    for name, text in scripts().items():
        for found in re.findall(r"keys:\s*\[([^\]]*)\]", text):
            for key in re.findall(r'"([^"]+)"', found):
                assert len(key.split("+")[-1]) > 1, f"{name}: {key}"
