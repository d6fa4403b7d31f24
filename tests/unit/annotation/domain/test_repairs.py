"""Repairs propose what removes a surface shortcut, and nothing on an item that needs nothing."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.repairs import KINDS, Repairable, proposals

ITEM = Repairable(
    kind="mcq",
    options=("Slide.", "Freeze.", "Tilt.", "Press."),
    shown_order=(2, 0, 3, 1),
    key_index=1,
    start=5.0,
    end=9.0,
    segment=60.0,
)


def proposed(name: str, **fields: Any) -> Any:
    return KINDS[name].propose(replace(ITEM, **fields))


def test_an_even_item_needs_nothing() -> None:
    assert proposals(ITEM) == {}


def test_the_only_option_without_a_full_stop_gets_one() -> None:
    found = proposed("punctuation", options=("Slide.", "Freeze", "Tilt.", "Press."))
    assert found.changes == {"options": ["Slide.", "Freeze.", "Tilt.", "Press."]}
    assert found.cosmetic


def test_a_minority_of_full_stops_goes() -> None:
    found = proposed("punctuation", options=("Slide.", "Freeze", "Tilt", "Press"))
    assert found.changes == {"options": ["Slide", "Freeze", "Tilt", "Press"]}


def test_a_tie_goes_without_full_stops_and_other_endings_stay() -> None:
    found = proposed("punctuation", options=("Slide.", "Freeze?", "Tilt.", "Press"))
    assert found.changes == {"options": ["Slide", "Freeze?", "Tilt", "Press"]}
    more = proposed("punctuation", options=("Slide.", "Freeze?", "Tilt.", "Press."))
    assert more is None or more.changes["options"][1] == "Freeze?"


def test_no_repair_makes_two_options_equal() -> None:
    assert proposed("punctuation", options=("Slide.", "Slide", "Tilt", "Press")) is None
    assert proposed("capitals", options=("slide", "Slide", "Tilt", "Press")) is None


def test_capitals_are_raised_where_they_are_mixed() -> None:
    found = proposed("capitals", options=("slide", "Freeze", "Tilt", "éclair"))
    assert found.changes == {"options": ["Slide", "Freeze", "Tilt", "Éclair"]}
    assert proposed("capitals", options=("slide", "freeze")) is None


def test_an_unshuffled_item_takes_the_shown_order() -> None:
    found = proposed("order", unshuffled=True)
    assert found.changes == {"options": ["Tilt.", "Slide.", "Press.", "Freeze."], "key_index": 3}
    assert proposed("order") is None
    assert proposed("order", unshuffled=True, key_index=3, shown_order=(0, 1, 2, 3)) is None
    assert proposed("order", unshuffled=True, shown_order=(0, 1)) is None


def test_windows_end_with_their_segment_and_last_two_seconds() -> None:
    assert proposed("late-window", end=60.35).changes == {"end": 60.0}
    assert proposed("late-window") is None
    assert proposed("short-window", end=5.42).changes == {"start": 4.21, "end": 6.21}
    assert proposed("short-window", start=0.0, end=1.0).changes == {"start": 0.0, "end": 2.0}
    assert proposed("short-window", start=59.5, end=60.0).changes == {"start": 58.0, "end": 60.0}
    assert not proposed("short-window", end=5.42).cosmetic
    assert proposed("short-window", segment=1.5, start=0.0, end=1.0) is None


@pytest.mark.parametrize("kind", ["punctuation", "capitals", "order"])
def test_a_free_response_has_no_options_to_repair(kind: str) -> None:
    free = {"kind": "free", "options": (), "shown_order": (), "key_index": None}
    assert proposed(kind, unshuffled=True, **free) is None


texts = st.text(alphabet="ab. .?A", min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(texts, min_size=2, max_size=5, unique=True),
    st.floats(0, 50),
    st.floats(0.1, 20),
    st.randoms(use_true_random=False),
)
def test_what_was_repaired_needs_no_repair(
    options: list[str], start: float, length: float, random: Any
) -> None:
    order = list(range(len(options)))
    random.shuffle(order)
    item = replace(
        ITEM, options=tuple(options), shown_order=tuple(order), key_index=0, start=start,
        end=start + length, segment=60.0,
    )  # fmt: skip
    for name, kind in KINDS.items():
        found = kind.propose(item)
        if found is None:
            continue
        changes = dict(found.changes)
        if "options" in changes:
            changes["options"] = tuple(changes["options"])
            assert len(set(changes["options"])) == len(options)
        repaired = replace(item, **changes)
        assert kind.propose(repaired) is None, name
        assert repaired.end <= max(item.segment, item.end)
