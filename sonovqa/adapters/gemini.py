"""Gemini through Google's SDK: clips and stills inline or uploaded, one attempt a call."""

import asyncio
import io
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
from google import genai
from google.genai import errors as sdk_errors
from google.genai import types

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Media, Reply, Request, Upload
from sonovqa.adapters.connections import connection_error, open_pool

API_VERSION = "v1beta"
FILE_LIFE = timedelta(hours=47)  # uploaded files are kept for 48 hours
LOOK_AGAIN = 1.0  # seconds between two looks at a file that is being prepared
GONE = re.compile(r"(?i)\bfiles?\b.*(exist|permission|not found|expired)")
BLOCKED = frozenset(
    {"SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "MODEL_ARMOR", "LANGUAGE"}
)
RESOLUTIONS = {
    "low": types.MediaResolution.MEDIA_RESOLUTION_LOW,
    "medium": types.MediaResolution.MEDIA_RESOLUTION_MEDIUM,
    "high": types.MediaResolution.MEDIA_RESOLUTION_HIGH,
}


class Gemini:
    """A `sonovqa.adapters.asking.Model`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._timeout = endpoint.timeout
        self._pool = open_pool(endpoint)
        self.client = genai.Client(
            api_key=endpoint.key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=endpoint.base_url or None,
                api_version=API_VERSION,
                timeout=int(endpoint.timeout * 1000),
                retry_options=types.HttpRetryOptions(attempts=1),
                httpx_async_client=self._pool,
            ),
        )

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began = time.monotonic()
        try:
            with typed_errors(self._timeout):
                async with asyncio.timeout(self._timeout):
                    response = await self.client.aio.models.generate_content(
                        model=request.model, contents=contents(request), config=config(request)
                    )
        except (errors.KeyRefused, errors.BadRequest) as error:
            if any(media.uri for media in request.media) and GONE.search(error.message):
                raise errors.FileGone(error.message) from None
            raise
        return read_response(response, time.monotonic() - began)

    async def upload(self, data: bytes, mime: str, name: str) -> Upload:
        """Put a clip into the file store and wait until it can be used. Raises a ModelError."""
        config = types.UploadFileConfig(mime_type=mime, display_name=name[:80])
        with typed_errors(self._timeout):
            async with asyncio.timeout(self._timeout):
                file = await self.client.aio.files.upload(file=io.BytesIO(data), config=config)
                while file.state == types.FileState.PROCESSING and file.name:
                    await asyncio.sleep(LOOK_AGAIN)
                    file = await self.client.aio.files.get(name=file.name)
        if file.state == types.FileState.FAILED or not file.uri:
            raise errors.BadRequest("the provider could not read the uploaded clip")
        return Upload(file.uri, file.expiration_time or datetime.now(UTC) + FILE_LIFE)

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


@contextmanager
def typed_errors(timeout: float) -> Iterator[None]:
    """Turn what the SDK raises into a ModelError."""
    try:
        yield
    except TimeoutError:
        raise errors.TimedOut(f"no reply within {timeout:g} s") from None
    except sdk_errors.APIError as error:
        raise _typed(error) from None
    except httpx2.HTTPError as error:
        raise connection_error(error, timeout) from None
    except (json.JSONDecodeError, UnicodeDecodeError, sdk_errors.UnknownApiResponseError):
        raise errors.Unparsable("the reply is not JSON") from None
    except (ValueError, KeyError) as error:  # pydantic's ValidationError is a ValueError
        raise errors.Unparsable(f"the reply has another shape: {type(error).__name__}") from None


def contents(request: Request) -> list[types.Content]:
    """Return what is shown and asked."""
    parts = [_part(media) for media in request.media]
    parts.append(types.Part(text=request.user))
    return [types.Content(role="user", parts=parts)]


def _part(media: Media) -> types.Part:
    is_clip = media.mime.startswith("video/")
    sampled = types.VideoMetadata(fps=media.fps) if is_clip and media.fps else None
    if media.uri:
        file = types.FileData(file_uri=media.uri, mime_type=media.mime)
        return types.Part(file_data=file, video_metadata=sampled)
    blob = types.Blob(data=media.data, mime_type=media.mime)
    return types.Part(inline_data=blob, video_metadata=sampled)


def config(request: Request) -> types.GenerateContentConfig:
    """Return how the reply is to be made."""
    thinking = None
    if request.thinking_budget is not None or request.thinking_level:
        level = request.thinking_level.upper()
        thinking = types.ThinkingConfig(
            thinking_budget=request.thinking_budget,
            thinking_level=types.ThinkingLevel(level) if level else None,
        )
    return types.GenerateContentConfig(
        system_instruction=request.system or None,
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        seed=request.seed,
        thinking_config=thinking,
        media_resolution=RESOLUTIONS.get(request.media_resolution),
        response_mime_type="application/json" if request.schema else None,
        response_json_schema=request.schema,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _typed(error: sdk_errors.APIError) -> errors.ModelError:
    headers: Any = getattr(error.response, "headers", None) or {}
    wait = hints.retry_after(headers) or _hinted_wait(error.details)
    message = f"{error.code} {error.status or ''}: {error.message or ''}".strip(": ")
    if error.code == 400 and "API_KEY_INVALID" in json.dumps(error.details, default=str):
        return errors.KeyRefused(message)
    return errors.from_status(int(error.code or 500), message, wait)


def _hinted_wait(details: Any) -> float | None:
    """Return the seconds of a google.rpc.RetryInfo, which Gemini sends in the body."""
    body = details.get("error", details) if isinstance(details, dict) else {}
    rows = body.get("details", []) if isinstance(body, dict) else []
    for row in rows if isinstance(rows, list) else []:
        delay = row.get("retryDelay") if isinstance(row, dict) else None
        if isinstance(delay, str):
            return errors.seconds_of(delay.removesuffix("s"))
    return None


def read_response(response: types.GenerateContentResponse, latency: float) -> Reply:
    """Return the reply of a response. Raises a ModelError where it holds no text."""
    candidate = response.candidates[0] if response.candidates else None
    finish = candidate.finish_reason.name if candidate and candidate.finish_reason else ""
    parts = (candidate.content.parts if candidate and candidate.content else None) or []
    usage = response.usage_metadata
    sent = response.sdk_http_response
    headers = {key.lower(): value for key, value in ((sent and sent.headers) or {}).items()}
    reply = Reply(
        text="".join(part.text for part in parts if part.text and not part.thought),
        tokens_in=(usage.prompt_token_count if usage else 0) or 0,
        tokens_out=_tokens_out(usage),
        latency=latency,
        model_version=(response.model_version or "")[:200],
        finish=finish,
        used_up_for=hints.used_up_for(headers),
    )
    feedback = response.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        raise errors.Refused(f"the prompt was blocked: {feedback.block_reason.name}", reply=reply)
    if finish in BLOCKED:
        raise errors.Refused(f"the reply was blocked: {finish}", reply=reply)
    if not reply.text.strip():
        if finish == "MAX_TOKENS":
            raise errors.TruncatedReply("the output limit was used up without text", reply=reply)
        raise errors.EmptyReply(f"no text, finish reason {finish or 'missing'}", reply=reply)
    return reply


def _tokens_out(usage: types.GenerateContentResponseUsageMetadata | None) -> int:
    if usage is None:
        return 0
    return (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
