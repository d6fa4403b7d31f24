"""What a rewriting of wrong options may look like, and what is not let through."""

import json

import pytest

from evaluation.domain.option_rewriting import (
    BadRewriting,
    ask_rewriting,
    is_uneven,
    read_rewriting,
)

OPTIONS = ["The probe slides cranially to follow the aorta upwards.", "Freeze.", "Gain up.", "Tilt"]
EVEN = [
    "The image is frozen so that the vessel can be measured.",
    "The gain is raised so that the far wall becomes visible",
    "The probe is tilted so that the bowel leaves the image.",
]


def reply(options) -> str:
    return json.dumps({"options": options})


def test_what_is_uneven():
    assert is_uneven(OPTIONS, 0) and is_uneven(["Tilt", *EVEN], 0)
    assert not is_uneven([OPTIONS[0], *EVEN], 0) and not is_uneven(OPTIONS, 1)
    assert not is_uneven(["a"], 0) and not is_uneven(["", "b"], 0)


def test_the_key_and_its_place_are_never_touched():
    shuffled = [OPTIONS[1], OPTIONS[0], *OPTIONS[2:]]
    assert read_rewriting(reply(EVEN), shuffled, 1) == [EVEN[0], OPTIONS[0], *EVEN[1:]]
    asked = ask_rewriting(stem="What? ff", options=OPTIONS, key_index=0, fence="f" * 24)
    assert asked.count("<<" + "f" * 24 + ">>") == 2 * 5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "too long"),
        ("[" * 30_000, "no JSON"),
        (json.dumps(EVEN), "exactly"),
        (json.dumps({"options": EVEN, "key": 1}), "exactly"),
        (reply(EVEN[:2]), "came back"),
        (reply([1, 2, 3]), "no list of texts"),
        (reply("abc"), "no list of texts"),
        (reply([*EVEN[:2], "Short."]), "as long"),
        (reply([*EVEN[:2], " "]), "empty"),
        (reply([*EVEN[:2], EVEN[2][:-1] + "\x00"]), "no text"),
        (reply([EVEN[0], EVEN[0], EVEN[1]]), "the same"),
        (reply([OPTIONS[0].upper(), *EVEN[:2]]), "the same"),
    ],
)
def test_what_is_refused(text, why):
    with pytest.raises(BadRewriting, match=why):
        read_rewriting(text, OPTIONS, 0)


def test_nothing_changed_is_no_proposal():
    with pytest.raises(BadRewriting, match="nothing"):
        read_rewriting(reply(EVEN), [OPTIONS[0], *EVEN], 0)
