"""Lines of submitted predictions: what is taken, what is refused and where."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.rows import Finding
from evaluation.domain import submission_files
from evaluation.domain.submission_files import Answer, read_lines, replies_alone


def read(data: bytes) -> list[Answer | Finding]:
    return list(read_lines(io.BytesIO(data), "p.jsonl"))


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def test_only_item_and_prediction_are_read() -> None:
    smuggled = line(item="mcq/V/0", prediction="B", answer="B", keep=False, score=9, eval_score=2)
    assert read(smuggled) == [Answer("line 1", "mcq/V/0", "B")]


def test_lines_are_counted_from_one_and_blank_ones_passed_over() -> None:
    found = read(b"\n" + line(item="a", prediction="x") + b"  \n" + b"[1]\n")
    assert [one.position for one in found] == ["line 2", "line 4"]
    assert isinstance(found[1], Finding)


HOSTILE = {
    "infinite": b'{"item": "a", "prediction": "B", "score": 1e999}',
    "nan": b'{"item": "a", "prediction": NaN}',
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "nul": b'{"item": "a", "prediction": "x\\u0000"}',
    "raw nul": b'{"item": "a", "prediction": "x\x00"}',
    "surrogate": b'{"item": "a", "prediction": "\\ud800"}',
    "twice": b'{"item": "a", "item": "b", "prediction": "B"}',
    "number": b'{"item": 1, "prediction": "B"}',
    "list": b'{"item": ["a"], "prediction": "B"}',
    "null": b'{"item": "a", "prediction": null}',
    "blank": b'{"item": "a", "prediction": "  "}',
    "no prediction": b'{"item": "a"}',
    "long reply": line(item="a", prediction="x" * 200_001),
    "long key": line(item="k" * 301, prediction="B"),
    "not UTF-8": b'{"item": "\xff", "prediction": "B"}',
    "UTF-16": '{"item": "a"}'.encode("utf-16"),
    "digits": b'{"item": "a", "prediction": "B", "n": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_line_is_refused_and_the_next_one_read(data: bytes) -> None:
    found = read(data.rstrip(b"\n") + b"\n" + line(item="good", prediction="B"))
    assert all(isinstance(one, Finding) and one.reason for one in found[:-1])
    assert found[-1] == Answer("line 2", "good", "B") or "UTF-16" in str(found)


def test_a_line_without_end_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_files, "LONGEST_LINE", 100)
    found = read(b"x" * 10_000)
    assert len(found) == 1 and "longer than 100 bytes" in str(found[0])


def test_lines_beyond_the_most_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submission_files, "MOST_ROWS", 3)
    found = read(line(item="a", prediction="B") * 10)
    assert len(found) == 4 and isinstance(found[3], Finding)


@given(st.binary(max_size=400))
def test_any_bytes_are_borne(data: bytes) -> None:
    for one in read(data):
        assert isinstance(one, Answer | Finding)


@given(st.recursive(st.none() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_any_value_is_borne(value: Any) -> None:
    data = json.dumps({"item": value, "prediction": value}).encode()
    assert len(read(data)) == 1


def test_a_row_of_the_layout_keeps_questions_and_reply_alone() -> None:
    row = {"question": "q", "model_prediction": "A", "answer": "A", "eval_score": 2, "keep": 1}
    assert replies_alone(row) == {"question": "q", "model_prediction": "A"}
    assert replies_alone([1]) == [1]
