"""Both adapters against the stand-in server."""

import asyncio
import base64
from collections.abc import Iterator

import pytest

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint, Media, Model, Reply, Request
from sonovqa.adapters.gemini import Gemini
from sonovqa.adapters.openai_compatible import OpenAICompatible
from tests.standins import model_replies
from tests.standins.model_script import Fault, Script
from tests.standins.model_server import ModelServer

PROMPT = "Question:\nWhich?\n\nOptions:\nA. Slide\nB. Tilt"
KEY = "key-of-the-test-1234"
DIALECTS = pytest.mark.parametrize("dialect", [Gemini, OpenAICompatible])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def ask(dialect: type, server: ModelServer, *, timeout: float = 60.0, **fields: object) -> Reply:
    suffix = "/v1" if dialect is OpenAICompatible else ""

    async def once() -> Reply:
        model: Model = dialect(Endpoint(server.url + suffix, KEY, timeout=timeout))
        try:
            return await model.ask(Request(**{"model": "m-1", "user": PROMPT, **fields}))
        finally:
            await model.close()

    return asyncio.run(once())


@DIALECTS
def test_reply_comes_with_usage_and_version(dialect: type, server: ModelServer) -> None:
    reply = ask(dialect, server, system="Be brief.", temperature=0.0, seed=7)
    assert reply.text == model_replies.answer(PROMPT)
    assert (reply.tokens_in, reply.tokens_out) == (300, 20)
    assert reply.model_version == "standin-1"
    assert reply.latency > 0
    assert server.counted.keys == {KEY}


@DIALECTS
@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("rate_limit", errors.RateLimited),
        ("overload", errors.Overloaded),
        ("bad_request", errors.BadRequest),
        ("auth", errors.KeyRefused),
        ("drop", errors.Unreachable),
        ("truncated_json", errors.Unparsable),
        ("empty", errors.EmptyReply),
        ("safety", errors.Refused),
        ("thinking", errors.TruncatedReply),
    ],
)
def test_fault_is_typed_and_asked_once(
    dialect: type, server: ModelServer, kind: str, error: type
) -> None:
    server.script(Script(faults=[Fault(kind, share=1.0, retry_after=3)]))
    with pytest.raises(errors.ModelError) as caught:
        ask(dialect, server)
    assert type(caught.value) is error
    assert server.counted.calls == 1, "it was asked again by itself"
    if kind == "rate_limit":
        assert caught.value.retry_after == 3
    if kind == "thinking":
        assert caught.value.reply.tokens_out == 2048, "thoughts are billed"
    assert KEY not in str(caught.value)


@DIALECTS
def test_hanging_server_meets_the_deadline(dialect: type, server: ModelServer) -> None:
    server.script(Script(faults=[Fault("hang", share=1.0)]))
    with pytest.raises(errors.TimedOut):
        ask(dialect, server, timeout=0.4)


@DIALECTS
def test_nobody_listens(dialect: type) -> None:
    silent = ModelServer(port=9)
    with pytest.raises(errors.NotConnected):
        ask(dialect, silent)


@DIALECTS
def test_redirect_is_not_followed(dialect: type, server: ModelServer) -> None:
    server.script(Script(faults=[Fault("redirect", share=1.0)]))
    with pytest.raises(errors.BadRequest):
        ask(dialect, server)
    assert server.counted.calls == 1


def test_gemini_sends_clip_inline_at_v1beta(server: ModelServer) -> None:
    clip = Media(b"\x00\x01clip", "video/mp4", fps=2.0)
    ask(
        Gemini, server, media=(clip,), thinking_budget=128, media_resolution="low",
        schema={"type": "object", "properties": {"answer": {"type": "string"}}},
    )  # fmt: skip
    assert server.counted.last_path == "/v1beta/models/m-1:generateContent"
    body = server.counted.last_body
    part = body["contents"][0]["parts"][0]
    assert base64.urlsafe_b64decode(part["inlineData"]["data"]) == clip.data
    assert part["videoMetadata"]["fps"] == 2.0
    assert body["generationConfig"]["mediaResolution"] == "MEDIA_RESOLUTION_LOW"
    assert body["generationConfig"]["responseMimeType"] == "application/json"


@pytest.mark.parametrize(
    ("video_part", "media", "kinds"),
    [
        ("video_url", (Media(b"clip", "video/mp4", fps=2.0),), {"video_url": 1}),
        ("input_video", (Media(b"clip", "video/mp4", fps=1.0),), {"input_video": 1}),
        ("vllm", (Media(b"clip", "video/mp4", fps=2.0),), {"video_url": 1}),
        ("frames", (Media(b"a", "image/jpeg"), Media(b"b", "image/jpeg")), {"image_url": 2}),
    ],
)
def test_openai_dialects_of_video(
    server: ModelServer, video_part: str, media: tuple, kinds: dict
) -> None:
    ask(
        OpenAICompatible, server, media=media, video_part=video_part,
        token_parameter="max_completion_tokens", thinking_level="low",
    )  # fmt: skip
    assert dict(server.counted.media) == kinds
    assert server.counted.last_body["max_completion_tokens"] == 2048
    assert server.counted.last_body["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("video_part", "part"),
    [
        ("video_url", {"type": "video_url", "video_url": {"fps": 2.0}}),
        ("input_video", {"type": "input_video", "fps": 2.0}),
        ("vllm", {"type": "video_url", "video_url": {}}),
    ],
)
def test_every_server_is_told_how_to_sample_in_its_own_way(
    server: ModelServer, video_part: str, part: dict
) -> None:
    clip = Media(b"clip", "video/mp4", fps=2.0)
    extra = {"top_k": 1}
    ask(
        OpenAICompatible, server, media=(clip,), video_part=video_part, extra_body=extra,
        sampled_frames=32,
    )  # fmt: skip
    body = server.counted.last_body
    sent = body["messages"][-1]["content"][0]
    url = sent["video_url"].pop("url") if isinstance(sent["video_url"], dict) else ""
    url = url or sent.pop("video_url")
    assert url.startswith("data:video/mp4;base64,")
    assert sent == part
    assert body["top_k"] == 1
    pinned = {"mm_processor_kwargs": {"fps": 2.0},
              "media_io_kwargs": {"video": {"num_frames": 32, "fps": 2.0}}}  # fmt: skip
    found = {name: body[name] for name in pinned if name in body}
    assert found == (pinned if video_part == "vllm" else {})


@DIALECTS
def test_limit_that_is_used_up_comes_with_the_reply(dialect: type, server: ModelServer) -> None:
    assert ask(dialect, server).used_up_for == 0
    server.script(
        Script(headers={"X-RateLimit-Remaining-Tokens": "0", "X-RateLimit-Reset-Tokens": "2m3s"})
    )
    assert ask(dialect, server).used_up_for == 123


def test_key_is_not_in_the_representation() -> None:
    assert KEY not in repr(Endpoint("http://127.0.0.1", KEY))
