"""Keys that readers move: only movable ones, only to places for keys, never two in one place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.key_map import MOVABLE, PLACES, BadKeys, check, clashes, usable

PLACE = st.from_regex(PLACES, fullmatch=True)


@given(st.dictionaries(st.sampled_from(list(MOVABLE)), PLACE))
def test_what_is_let_through_leaves_one_key_in_one_place(moves):
    try:
        made = check(moves)
    except BadKeys as error:
        assert error.errors == clashes(moves)
        assert len(error.errors) >= 2
        return
    places = [made.get(key, key) for key in MOVABLE]
    assert len(set(places)) == len(MOVABLE)
    assert check(made) == made


def test_two_keys_may_change_places():
    assert check({"KeyK": "KeyX", "KeyX": "KeyK"}) == {"KeyK": "KeyX", "KeyX": "KeyK"}


def test_a_key_in_its_usual_place_is_no_move():
    assert check({"KeyK": "KeyK"}) == {}


def test_both_keys_of_a_clash_are_told():
    with pytest.raises(BadKeys) as caught:
        check({"KeyK": "KeyX"})
    assert caught.value.errors == {"KeyK": "also for: drop; select a row", "KeyX": "also for: keep"}


@pytest.mark.parametrize(
    "moves",
    [
        {"Digit1": "KeyP"},
        {"KeyK": "Digit1"},
        {"KeyK": "Enter"},
        {"KeyK": "Escape"},
        {"KeyK": "ArrowUp"},
        {"KeyK": "Ctrl+KeyA"},
        {"KeyK": "KeyP\n"},
        {"KeyK": ""},
        {"KeyK": 7},
        {"KeyK": ["KeyP"]},
        {"__proto__": "KeyP"},
        {7: "KeyP"},
        ["KeyK"],
        "KeyK",
        None,
    ],
)
def test_hostile_moves(moves):
    with pytest.raises(BadKeys):
        check(moves)
    assert usable(moves) == {}


def test_every_usual_place_is_a_place():
    assert all(PLACES.fullmatch(key) for key in MOVABLE)
