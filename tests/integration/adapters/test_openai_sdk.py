"""What our adapter sends and reads, held against OpenAI's own SDK on the same stand-in."""

import asyncio
import base64
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from sonovqa.adapters.asking import Endpoint, Media, Request
from sonovqa.adapters.openai_compatible import OpenAICompatible
from tests.standins.model_server import ModelServer

KEY = "key-of-the-test-1234"
PROMPT = 'Which? "quoted"\nBöck \U0001f9ea\x00\ud800'.encode("utf-8", "replace").decode()
CLIP, STILL = bytes(range(256)) * 40, b"\xff\xd8still"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def url(data: bytes, mime: str) -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def user(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [*parts, {"type": "text", "text": PROMPT}]}]


CLIP_PART = {"type": "video_url", "video_url": {"url": url(CLIP, "video/mp4")}}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "text": (
        {"system": "Be brief.", "temperature": 0.0, "seed": 7, "thinking_level": "low"},
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": PROMPT},
            ],
            "max_tokens": 2048, "temperature": 0.0, "seed": 7, "reasoning_effort": "low",
        },
    ),
    "verdict": (
        {"schema": SCHEMA, "token_parameter": "max_completion_tokens", "max_output_tokens": 90},
        {
            "messages": [{"role": "user", "content": PROMPT}],
            "max_completion_tokens": 90,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA},
            },
        },
    ),
    "OpenAI, stills": (
        {"media": (Media(STILL, "image/jpeg"), Media(CLIP, "image/jpeg")), "video_part": "frames"},
        {
            "messages": user(
                {"type": "image_url", "image_url": {"url": url(STILL, "image/jpeg")}},
                {"type": "image_url", "image_url": {"url": url(CLIP, "image/jpeg")}},
            ),
            "max_tokens": 2048,
        },
    ),
    "DashScope": (
        {"media": (Media(CLIP, "video/mp4", fps=2.0),)},
        {
            "messages": user(
                {"type": "video_url", "video_url": {"url": url(CLIP, "video/mp4"), "fps": 2.0}}
            ),
            "max_tokens": 2048,
        },
    ),
    "Ark": (
        {"media": (Media(CLIP, "video/mp4", fps=1.0),), "video_part": "input_video"},
        {
            "messages": user(
                {"type": "input_video", "video_url": url(CLIP, "video/mp4"), "fps": 1.0}
            ),
            "max_tokens": 2048,
        },
    ),
    "vLLM": (
        {
            "media": (Media(CLIP, "video/mp4", fps=2.0),), "video_part": "vllm",
            "sampled_frames": 32, "extra_body": {"top_k": 1},
        },
        {
            "messages": user(CLIP_PART),
            "max_tokens": 2048,
            "extra_body": {
                "mm_processor_kwargs": {"fps": 2.0},
                "media_io_kwargs": {"video": {"num_frames": 32, "fps": 2.0}},
                "top_k": 1,
            },
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_we_send_what_the_sdk_sends_and_read_what_it_reads(server: ModelServer, name: str) -> None:
    ours, arguments = CASES[name]
    endpoint = Endpoint(f"{server.url}/v1", KEY, timeout=60)

    async def both() -> None:
        model = OpenAICompatible(endpoint)
        reply = await model.ask(Request("m-1", PROMPT, **ours))
        await model.close()
        sent = server.counted.last_path, server.counted.last_body
        async with openai.AsyncOpenAI(base_url=endpoint.base_url, api_key=KEY) as sdk:
            read: Any = await sdk.chat.completions.create(model="m-1", **arguments)
        assert sent == (server.counted.last_path, server.counted.last_body)
        assert server.counted.keys == {KEY}
        assert reply.text == read.choices[0].message.content
        assert reply.finish == read.choices[0].finish_reason
        assert reply.model_version == read.model
        used = read.usage.prompt_tokens, read.usage.completion_tokens
        assert (reply.tokens_in, reply.tokens_out) == used

    asyncio.run(both())
