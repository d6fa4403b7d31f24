"""Any OpenAI-compatible server through OpenAI's SDK: OpenAI, DashScope, Ark, vLLM."""

import asyncio
import base64
import json
import time
from typing import Any

import httpx2
import openai
from openai.types.chat import ChatCompletion

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Media, Reply, Request
from sonovqa.adapters.connections import connection_error, open_pool


class OpenAICompatible:
    """A `sonovqa.adapters.asking.Model`. `pool` is the client of a server that an outsider named
    (`public_pool`); others get our usual one."""

    def __init__(self, endpoint: Endpoint, *, pool: httpx2.AsyncClient | None = None) -> None:
        self._timeout = endpoint.timeout
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url or None,
            api_key=endpoint.key or "none",
            max_retries=0,
            timeout=endpoint.timeout,
            http_client=pool or open_pool(endpoint),
        )
        self._create = self._client.chat.completions.with_raw_response.create

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._create(**_arguments(request))
                completion = response.parse()
        except TimeoutError:
            raise errors.TimedOut(f"no reply within {self._timeout:g} s") from None
        except openai.APIConnectionError as error:
            raise connection_error(error.__cause__ or error, self._timeout) from None
        except openai.APIStatusError as error:
            raise _typed(error) from None
        except (json.JSONDecodeError, UnicodeDecodeError, openai.APIResponseValidationError):
            raise errors.Unparsable("the reply is not JSON") from None
        return _reply(completion, time.monotonic() - began, hints.used_up_for(response.headers))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _arguments(request: Request) -> dict[str, Any]:
    content: Any = request.user
    if request.media:
        parts = [_part(media, request.video_part) for media in request.media]
        content = [*parts, {"type": "text", "text": request.user}]
    messages = [{"role": "user", "content": content}]
    if request.system:
        messages.insert(0, {"role": "system", "content": request.system})
    arguments: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        request.token_parameter: request.max_output_tokens,
    }
    if request.temperature is not None:
        arguments["temperature"] = request.temperature
    if request.seed is not None:
        arguments["seed"] = request.seed
    if request.thinking_level:
        arguments["reasoning_effort"] = request.thinking_level
    if request.schema is not None:
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": request.schema},
        }
    if extra := _extra_body(request):
        arguments["extra_body"] = extra
    return arguments


def _extra_body(request: Request) -> dict[str, Any]:
    """Return what goes beside the protocol: for vLLM how a clip is sampled, pinned."""
    if request.video_part != "vllm" or not request.media:
        return request.extra_body
    video: dict[str, Any] = {}
    fps = request.media[0].fps
    if request.sampled_frames is not None or fps is not None:
        count = request.sampled_frames
        video["num_frames"] = -1 if count is None else count
    pinned: dict[str, Any] = {}
    if fps is not None:
        video["fps"] = fps
        pinned["mm_processor_kwargs"] = {"fps": fps}
    if video:
        pinned["media_io_kwargs"] = {"video": video}
    return pinned | request.extra_body


def _part(media: Media, video_part: str) -> dict[str, Any]:
    url = f"data:{media.mime};base64,{base64.b64encode(media.data).decode('ascii')}"
    if media.mime.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    if video_part == "input_video":
        part: dict[str, Any] = {"type": "input_video", "video_url": url}
        return part if media.fps is None else {**part, "fps": media.fps}
    body: dict[str, Any] = {"url": url}
    if media.fps is not None and video_part != "vllm":
        body["fps"] = media.fps
    return {"type": "video_url", "video_url": body}


def _typed(error: openai.APIStatusError) -> errors.ModelError:
    wait = hints.retry_after(error.response.headers)
    body = error.body if isinstance(error.body, dict) else {}
    code = str(body.get("code") or "")
    message = f"{error.status_code} {code}: {body.get('message') or ''}".strip(": ")
    if code == "insufficient_quota":
        return errors.KeyRefused(message)
    if code in ("content_filter", "data_inspection_failed"):
        return errors.Refused(message)
    if code in ("context_length_exceeded", "string_above_max_length"):
        return errors.TooLarge(message)
    return errors.from_status(error.status_code, message, wait)


def _reply(completion: ChatCompletion, latency: float, used_up_for: float) -> Reply:
    if not isinstance(completion, ChatCompletion) or not isinstance(completion.choices, list):
        raise errors.Unparsable("the reply is no chat completion")
    choice = completion.choices[0] if completion.choices else None
    usage = completion.usage
    message = getattr(choice, "message", None)
    text = getattr(message, "content", None)
    finish = str(getattr(choice, "finish_reason", None) or "")
    reply = Reply(
        text=text if isinstance(text, str) else "",
        tokens_in=(usage.prompt_tokens if usage else 0) or 0,
        tokens_out=(usage.completion_tokens if usage else 0) or 0,
        latency=latency,
        model_version=str(completion.model or "")[:200],
        finish=finish,
        used_up_for=used_up_for,
    )
    refusal = getattr(message, "refusal", None)
    if finish == "content_filter" or refusal:
        raise errors.Refused(str(refusal or "the reply was blocked")[:300], reply=reply)
    if not reply.text.strip():
        if finish == "length":
            raise errors.TruncatedReply("the output limit was used up without text", reply=reply)
        raise errors.EmptyReply(f"no text, finish reason {finish or 'missing'}", reply=reply)
    return reply
