"""The reader of MCQ replies, over the given replies, our own golden file and hostile input."""

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.domain.letters import letter
from evaluation.domain.mcq import ReadOutcome, read_reply

GOLDEN = Path(__file__).with_name("mcq_replies_golden.jsonl")


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_letter(row: dict) -> str:
    index = read_reply(row["reply"], row["options"]).index
    return "" if index is None else letter(index)


@pytest.mark.parametrize("row", lines(GOLDEN), ids=lambda row: row["why"])
def test_golden_reply(row: dict) -> None:
    assert read_letter(row) == row["letter"], row["reply"]


def test_given_replies_are_all_right() -> None:
    folder = os.environ.get("SONOVQA_REX_DATA")
    path = Path(folder).parent / "mcq_replies.jsonl" if folder else None
    if path is None or not path.exists():
        pytest.skip("no mcq_replies.jsonl beside SONOVQA_REX_DATA")
    wrong = [row for row in lines(path) if read_letter(row) != row["letter"]]
    assert wrong == []


def test_outcomes() -> None:
    assert read_reply("Answer: B", 4).outcome is ReadOutcome.ANSWERED
    assert read_reply("The probe slides.", 4).outcome is ReadOutcome.ABSTAINED
    refusal = read_reply("I'm sorry, I can't help with medical images.", 4)
    assert (refusal.index, refusal.outcome) == (None, ReadOutcome.REFUSED)


@pytest.mark.parametrize("options", [-1, 0, 1, 27])
def test_number_of_options_is_checked(options: int) -> None:
    with pytest.raises(ValueError, match="lettered"):
        read_reply("Answer: A", options)


FRAGMENTS = st.sampled_from(
    [
        "answer",
        "Answer:",
        " is ",
        "A",
        "B ",
        "(",
        ")",
        "**",
        "\\boxed{",
        "{",
        '"answer"',
        ":",
        "\n",
        "or",
        ",",
        "答案",
        "：",
        "<answer>",
        " ",
        "I",
        "not",
        "it is ",
        "-",
        "_",
        "#",
        "`",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join)), st.integers(2, 26))
def test_any_text_reads_within_the_options(text: str, options: int) -> None:
    reading = read_reply(text, options)
    assert (reading.index is not None) == (reading.outcome is ReadOutcome.ANSWERED)
    assert reading.index is None or 0 <= reading.index < options


@pytest.mark.parametrize(
    "piece",
    [
        "answer ",
        "answer is ",
        "(",
        "**",
        "\\boxed{",
        "A ",
        "a" * 7,
        "\n",
        '"answer":',
        "_",
        "<b>",
        "answer to ",
        "B or ",
        "can't ",
        "it is ",
        "#",
        " ",
        "unable to a ",
    ],
)
def test_long_hostile_reply_is_read_in_bounded_time(piece: str) -> None:
    text = piece * (2_000_000 // len(piece))
    began = time.process_time()
    read_reply(text, 4)
    assert time.process_time() - began < 2.0


def test_statement_at_the_end_of_a_very_long_reply_counts() -> None:
    assert read_reply("The probe moves. " * 100_000 + "\nAnswer: D", 4).index == 3
