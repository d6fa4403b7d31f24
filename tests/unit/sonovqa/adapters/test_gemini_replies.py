"""Replies of Gemini that are not what its interface promises."""

from typing import Any

import pytest

from sonovqa.adapters import errors
from sonovqa.adapters.gemini_replies import read_reply, typed_error
from sonovqa.adapters.reply_fields import MOST_TOKENS


def response(*parts: Any, **more: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts)}, "finishReason": "STOP"}
    return {"candidates": [candidate], "modelVersion": "m-1"} | more


def test_thoughts_are_billed_and_no_part_of_the_text() -> None:
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "thoughtsTokenCount": 5}
    parts = {"text": "Hm.", "thought": True}, {"text": "Answer: "}, {"text": "B"}
    reply = read_reply(response(*parts, usageMetadata=usage), 0.1)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("Answer: B", 3, 9)


@pytest.mark.parametrize("found", [{}, {"error": {}}, {"choices": []}])
def test_what_is_no_response_is_unparsable(found: dict) -> None:
    with pytest.raises(errors.Unparsable):
        read_reply(found, 0.1)


@pytest.mark.parametrize(
    "candidates",
    [
        None, {}, "x", [], [None], ["x"], [[]], [{}], [{"content": None}], [{"content": []}],
        [{"content": {"parts": None}}], [{"content": {"parts": {"0": {"text": "B"}}}}],
        [{"content": {"parts": [None, 7, "B", {"text": 7}, {"text": None}, {"text": " \n"}]}}],
        [{"finishReason": {"deep": []}}],
    ],
)  # fmt: skip
def test_a_response_without_text_is_empty(candidates: Any) -> None:
    with pytest.raises(errors.EmptyReply):
        read_reply({"candidates": candidates}, 0.1)


@pytest.mark.parametrize("told", ["3", -1, 1e400, None, [], {}])
def test_no_number_of_tokens_counts_nothing(told: Any) -> None:
    for usage in (told, {"promptTokenCount": told}):
        assert read_reply(response({"text": "B"}, usageMetadata=usage), 0.1).tokens_in == 0


def test_tokens_out_never_exceed_what_the_database_holds() -> None:
    usage = {"candidatesTokenCount": MOST_TOKENS, "thoughtsTokenCount": MOST_TOKENS}
    assert read_reply(response({"text": "B"}, usageMetadata=usage), 0.1).tokens_out == 0


@pytest.mark.parametrize("feedback", [{"blockReason": "SAFETY"}, {"blockReason": ["x"] * 900}])
def test_a_blocked_prompt_is_refused(feedback: dict) -> None:
    with pytest.raises(errors.Refused) as caught:
        read_reply({"promptFeedback": feedback}, 0.1)
    assert len(caught.value.message) < 100


@pytest.mark.parametrize(
    ("status", "told", "error", "wait"),
    [
        (429, {"details": [None, {"retryDelay": 7}, {"retryDelay": "9s"}]}, errors.RateLimited, 9),
        (429, {"details": {"retryDelay": "31s"}}, errors.RateLimited, None),
        (503, {"message": ["no"], "status": {}}, errors.Overloaded, None),
        (400, {"details": [{"reason": "API_KEY_INVALID"}]}, errors.KeyRefused, None),
        (400, {}, errors.BadRequest, None),
        (302, {}, errors.BadRequest, None),
    ],
)  # fmt: skip
def test_a_refusal_is_typed(status: int, told: dict, error: type, wait: float | None) -> None:
    found = typed_error(status, told, {})
    assert type(found) is error
    assert found.retry_after == wait
