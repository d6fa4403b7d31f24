"""Which keys of the pages a reader may move, and where to.

A key is named by its place on the keyboard, as in static/ui/keys.js: "KeyK", "Shift+KeyA". A
key moves on every page at once: where K keeps an item in review, it does in adjudication too.
"""

import re
from collections.abc import Mapping

MOVABLE = {
    "KeyK": "keep",
    "KeyX": "drop; select a row",
    "KeyU": "unsure; could not tell",
    "KeyS": "skip",
    "KeyZ": "undo",
    "KeyH": "your last ten decisions",
    "KeyC": "comment, or the adjudicator's reason",
    "Space": "play or pause",
    "Comma": "one frame back",
    "Period": "one frame forward",
    "Minus": "slower",
    "Equal": "faster",
    "KeyL": "loop",
    "Home": "window start",
    "KeyM": "model's view, or clip",
    "BracketLeft": "window starts here; previous page",
    "BracketRight": "window ends here; next page",
    "Semicolon": "window start to an event boundary",
    "Quote": "window end to an event boundary",
    "KeyW": "save the window",
    "KeyF": "report the video",
    "KeyE": "edit the item",
    "KeyT": "change the type",
    "KeyB": "edit the box",
    "KeyR": "reset the box; return an item to its readers",
    "KeyQ": "answer first, on or off",
    "KeyV": "versions of the item",
    "KeyG": "guidelines; suggest a box",
    "KeyA": "ask or answer in a thread; apply the suggested box; select the page",
    "KeyD": "resolve or reopen a thread; dismiss the suggested box; act on what is selected",
    "Shift+KeyX": "select up to the row",
    "Shift+KeyA": "select all that match",
    "Shift+KeyM": "the file that a model gets",
    "KeyY": "keep a search",
    "KeyJ": "previous in the list",
    "KeyN": "next in the list",
    "KeyO": "open a disputed item in review",
    "Slash": "search the queue; write what to find",
}
PLACES = re.compile(
    r"(?:Shift\+)?Key[A-Z]|Digit0|Space|Comma|Period|Minus|Equal|Bracket(?:Left|Right)|Slash"
    r"|Semicolon|Quote|Backquote|Backslash|IntlBackslash|Home|End|Insert|F[2468]"
)
FIXED = "digits 1 to 9, arrows, Enter, Esc, Tab and ? stay where they are"


class BadKeys(ValueError):
    """`errors` maps a movable key to what is wrong with the place given to it."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(f"{key}: {text}" for key, text in errors.items()))
        self.errors = errors


def check(moves: object) -> dict[str, str]:
    """Return moves (movable key to its new place) without those that move nothing.

    Raises BadKeys where a key cannot be moved, a place is no place for a key, or two keys
    would be in one place.
    """
    if not isinstance(moves, Mapping):
        raise BadKeys({"": "must map keys to places"})
    errors: dict[str, str] = {}
    for key, place in moves.items():
        if key not in MOVABLE:
            errors[str(key)[:32]] = "cannot be moved"
        elif not isinstance(place, str) or not PLACES.fullmatch(place):
            errors[key] = f"choose another place: {FIXED}"
    if errors:
        raise BadKeys(errors)
    if errors := clashes(moves):
        raise BadKeys(errors)
    return {key: place for key, place in moves.items() if place != key}


def clashes(moves: Mapping[str, str]) -> dict[str, str]:
    """Return for each key that shares its place with another one which that is."""
    held: dict[str, list[str]] = {}
    for key in MOVABLE:
        held.setdefault(moves.get(key, key), []).append(key)
    return {
        key: f"also for: {MOVABLE[next(other for other in keys if other != key)]}"
        for keys in held.values()
        if len(keys) > 1
        for key in keys
    }


def usable(stored: object) -> dict[str, str]:
    """Return stored moves, or none where they are not what `check` lets through."""
    try:
        return check(stored)
    except BadKeys:
        return {}
