"""What our call to Gemini sends and reads, held against Google's own SDK on the same stand-in."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google import genai
from google.genai import types

from sonovqa.adapters.asking import Endpoint, Media, Request
from sonovqa.adapters.gemini import Gemini
from tests.standins.model_server import ModelServer

KEY = "key-of-the-test-1234"
PROMPT = 'Which? "quoted"\nBöck \U0001f9ea'
CLIP, STILL = bytes(range(256)) * 40, b"\xff\xd8still"
SCHEMA = {"type": "object", "properties": {"error_type": {"type": "string"}}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def clip(**more: Any) -> types.Part:
    return types.Part(inline_data=types.Blob(data=CLIP, mime_type="video/mp4"), **more)


def still() -> types.Part:
    return types.Part(inline_data=types.Blob(data=STILL, mime_type="image/jpeg"))


CASES: dict[str, tuple[dict[str, Any], list[types.Part], dict[str, Any]]] = {
    "text": (
        {"system": "Be brief.", "temperature": 0.0, "seed": 7},
        [],
        {"system_instruction": "Be brief.", "temperature": 0.0, "seed": 7},
    ),
    "no thoughts": (
        {"thinking_budget": 0},
        [],
        {"thinking_config": types.ThinkingConfig(thinking_budget=0)},
    ),
    "deep thoughts": (
        {"thinking_level": "high"},
        [],
        {"thinking_config": types.ThinkingConfig(thinking_level=types.ThinkingLevel.HIGH)},
    ),
    "verdict": (
        {"schema": SCHEMA},
        [],
        {"response_mime_type": "application/json", "response_json_schema": SCHEMA},
    ),
    "clip": (
        {"media": (Media(CLIP, "video/mp4", fps=2.0),), "media_resolution": "low"},
        [clip(video_metadata=types.VideoMetadata(fps=2.0))],
        {"media_resolution": types.MediaResolution.MEDIA_RESOLUTION_LOW},
    ),
    "clip at the usual rate": ({"media": (Media(CLIP, "video/mp4"),)}, [clip()], {}),
    "stills": (
        {"media": (Media(STILL, "image/jpeg", fps=1.0), Media(STILL, "image/jpeg"))},
        [still(), still()],
        {},
    ),
}


def in_camels(value: Any) -> Any:
    """Return JSON with its names as the REST interface spells them; it takes both spellings."""
    if isinstance(value, list):
        return [in_camels(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("type") == "object":
        return value  # a schema of ours
    return {
        re.sub("_([a-z])", lambda found: found[1].upper(), name): in_camels(one)
        for name, one in value.items()
    }


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("model", ["m-1", "models/m-1"])
def test_we_send_what_the_sdk_sends_and_read_what_it_reads(
    server: ModelServer, name: str, model: str
) -> None:
    ours, parts, how = CASES[name]

    async def both() -> None:
        gemini = Gemini(Endpoint(server.url, KEY, timeout=5))
        reply = await gemini.ask(Request(model, PROMPT, **ours))
        await gemini.close()
        sent = server.counted.last_path, in_camels(server.counted.last_body)
        options = types.HttpOptions(base_url=server.url, api_version="v1beta")
        sdk = genai.Client(api_key=KEY, vertexai=False, http_options=options).aio
        read = await sdk.models.generate_content(
            model=model,
            contents=[types.Content(role="user", parts=[*parts, types.Part(text=PROMPT)])],
            config=types.GenerateContentConfig(max_output_tokens=2048, **how),
        )
        await sdk.aclose()
        assert sent == (server.counted.last_path, in_camels(server.counted.last_body))
        assert server.counted.keys == {KEY}
        assert read.candidates and read.candidates[0].finish_reason and read.usage_metadata
        assert reply.text == read.text
        assert reply.finish == read.candidates[0].finish_reason.name
        assert reply.model_version == read.model_version
        used = read.usage_metadata.prompt_token_count, read.usage_metadata.candidates_token_count
        assert (reply.tokens_in, reply.tokens_out) == used

    asyncio.run(both())


def test_an_uploaded_clip_is_shown_by_its_address(server: ModelServer) -> None:
    async def talk() -> None:
        gemini = Gemini(Endpoint(server.url, KEY, timeout=5))
        kept = await gemini.upload(CLIP, "video/mp4", "name")
        shown = Media(b"", "video/mp4", fps=2.0, uri=kept.uri)
        assert (await gemini.ask(Request("m-1", PROMPT, media=(shown,)))).text
        await gemini.close()
        (part, _) = server.counted.last_body["contents"][0]["parts"]
        assert part == {
            "fileData": {"fileUri": kept.uri, "mimeType": "video/mp4"},
            "videoMetadata": {"fps": 2.0},
        }

    asyncio.run(talk())
