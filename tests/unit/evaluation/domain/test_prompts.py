"""The texts that models are asked with, and the parameters and prices of asking."""

from decimal import Decimal

import pytest

from evaluation.domain import costs, prompts
from evaluation.domain.letters import letter
from evaluation.domain.parameters import BadParameters, Parameters, read_parameters


def test_options_are_lettered_in_the_order_of_showing() -> None:
    asked = prompts.ask_mcq(stem="Which?", shown_options=["Tilt", "Slide"], condition="video")
    assert "A. Tilt\nB. Slide" in asked.user
    assert "Which?" in asked.user


def test_braces_in_the_texts_stay_as_they_are() -> None:
    asked = prompts.ask_mcq(stem="{options}", shown_options=["{stem}", "b"], condition="blind")
    assert "Question:\n{options}" in asked.user
    assert "A. {stem}" in asked.user


@pytest.mark.parametrize(
    ("condition", "says"), [("video", "clip shows"), ("frames", "pictures"), ("blind", "not given")]
)
def test_opening_tells_what_is_shown(condition: str, says: str) -> None:
    assert says in prompts.ask_free(stem="Why?", condition=condition).user


def test_twenty_seventh_option_has_no_letter() -> None:
    assert letter(25) == "Z"
    with pytest.raises(ValueError, match="no letter"):
        letter(26)


def test_parameters_are_read() -> None:
    read = read_parameters({"temperature": 0, "frames": 4, "fps": None, "json_schema": False})
    assert read == Parameters(temperature=0.0, frames=4, json_schema=False)


@pytest.mark.parametrize(
    "raw",
    [
        {"temprature": 0},
        {"temperature": 3},
        {"temperature": True},
        {"temperature": "0"},
        {"temperature": float("nan")},
        {"max_output_tokens": 2.5},
        {"max_output_tokens": None},
        {"frames": 0},
        {"video_part": "youtube"},
        {"json_schema": 1},
        {"clip_as": "url"},
        {"clip_megabytes": 0},
        {"sampled_frames": -2},
        {"extra_body": []},
        {"extra_body": {"messages": []}},
        {"extra_body": {"model": "another"}},
        {"extra_body": {"x": float("nan")}},
        {"extra_body": {"x": "y" * 5000}},
        {"extra_body": {"x": "\x00"}},
        {"extra_body": {"x": "\ud800"}},
        [],
    ],
)
def test_bad_parameters_are_named(raw: dict) -> None:
    with pytest.raises(BadParameters):
        read_parameters(raw)


def test_price_of_a_call_is_rounded_up() -> None:
    price = costs.Price(Decimal("0.5"), Decimal(3))
    assert price.of(1, 0) == Decimal("0.000001")
    assert price.of(1_000_000, 1_000_000) == Decimal("3.5")
    assert costs.Price().of(10, 10) == 0


def test_most_is_never_under_likely() -> None:
    texts = {"characters": 900, "frames": 9, "seconds": 9.0}
    most, likely = costs.most(**texts, max_output_tokens=2048), costs.likely(**texts)
    assert most.tokens_in > likely.tokens_in
    assert most.tokens_out > likely.tokens_out
