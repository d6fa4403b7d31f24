"""Replies of a chat completion that are not what the protocol promises."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.openai_compatible import OpenAICompatible
from sonovqa.adapters.posting import PoolPoster
from sonovqa.adapters.reply_fields import MOST_TOKENS


def ask(body: Any, status: int = 200) -> Reply:
    """Ask a server that answers with `body`: bytes, or what is JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = httpx2.MockTransport(lambda _: httpx2.Response(status, content=content))

    async def once() -> Reply:
        async with httpx2.AsyncClient(transport=answer) as pool:
            endpoint = Endpoint("http://model.invalid/v1", "k", 5)
            model = OpenAICompatible(endpoint, poster=PoolPoster(pool, 5))
            return await model.ask(Request("m-1", "Which?"))

    return asyncio.run(once())


def completion(**more: Any) -> dict[str, Any]:
    choice = {"message": {"content": "Answer: B"}, "finish_reason": "stop"}
    return {"model": "m-1", "choices": [choice]} | more


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xff\xfe\xfd", b"<html>", b"[" * 200_000, b'{"choices": [', [], "text", 7, None, {},
        {"choices": None}, {"choices": {"0": {}}}, {"choices": "x"},
    ],
)  # fmt: skip
def test_what_is_no_completion_is_unparsable(body: Any) -> None:
    with pytest.raises(errors.Unparsable):
        ask(body)


@pytest.mark.parametrize(
    "choices",
    [
        [], [None], ["x"], [[]], [{}], [{"message": None}], [{"message": "text"}],
        [{"message": {"content": None}}], [{"message": {"content": [{"text": "B"}]}}],
        [{"message": {"content": " \n"}}], [{"message": {"content": 7}, "finish_reason": {}}],
    ],
)  # fmt: skip
def test_a_completion_without_text_is_empty(choices: Any) -> None:
    with pytest.raises(errors.EmptyReply):
        ask(completion(choices=choices))


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (300, 300), (300.0, 300), (MOST_TOKENS, MOST_TOKENS), (MOST_TOKENS + 1, 0), (-1, 0),
        (float("inf"), 0), (float("nan"), 0), ("300", 0), (None, 0), ([], 0), (10**400, 0),
    ],
)  # fmt: skip
def test_tokens_are_a_number_that_the_database_holds(said: Any, counted: int) -> None:
    reply = ask(completion(usage={"prompt_tokens": said, "completion_tokens": said}))
    assert (reply.tokens_in, reply.tokens_out) == (counted, counted)


@pytest.mark.parametrize("usage", [None, [], "many", 7])
def test_no_usage_counts_nothing(usage: Any) -> None:
    assert ask(completion(usage=usage)).tokens_in == 0


def test_long_names_are_cut() -> None:
    choice = {"message": {"content": "B"}, "finish_reason": "f" * 5_000}
    reply = ask(completion(model="v" * 5_000, choices=[choice]))
    assert (len(reply.model_version), len(reply.finish)) == (200, 40)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 500, errors.Overloaded),
        (b"[" * 200_000, 502, errors.Overloaded),
        (b"<html>", 404, errors.BadRequest),
        ([], 400, errors.BadRequest),
        ({"error": "no"}, 401, errors.KeyRefused),
        ({"error": ["no"]}, 429, errors.RateLimited),
        ({"error": {"code": "insufficient_quota"}}, 429, errors.KeyRefused),
        ({"error": {"code": "content_filter"}}, 400, errors.Refused),
        ({"code": "data_inspection_failed", "message": "no"}, 400, errors.Refused),
        ({"error": {"code": "context_length_exceeded"}}, 400, errors.TooLarge),
        ({"error": {"code": {"deep": []}, "message": "m" * 90_000}}, 503, errors.Overloaded),
        ({}, 302, errors.BadRequest),
        (b"", 204, errors.Unparsable),
    ],
)
def test_a_refusal_is_typed_by_status_and_code(body: Any, status: int, error: type) -> None:
    with pytest.raises(errors.ModelError) as caught:
        ask(body, status)
    assert type(caught.value) is error
    assert len(caught.value.message) <= 500


@pytest.mark.parametrize(
    "endpoint",
    [
        Endpoint("http://a:port/v1", "k"), Endpoint("http://a/v1", "k\r\nX: y"),
        Endpoint("http://a/v1", "kéy"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_said_before_the_first_call(endpoint: Endpoint) -> None:
    with pytest.raises(ValueError, match="of the provider"):
        OpenAICompatible(endpoint)
