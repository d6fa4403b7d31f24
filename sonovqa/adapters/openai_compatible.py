"""Any server of OpenAI's protocol: OpenAI, DashScope, Ark, vLLM.

It speaks HTTP itself: OpenAI's SDK takes three times the CPU time of the call, and was the limit
of a run with 256 calls in flight. A test holds what is sent against what the SDK sends.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

import httpx2

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.connections import connection_error, open_pool
from sonovqa.adapters.openai_body import body_of

OPENAI = "https://api.openai.com/v1"
MOST_TOKENS = 2**31 - 1  # what the database counts to


class OpenAICompatible:
    """A `sonovqa.adapters.asking.Model`. `pool` is the client of a server that an outsider named
    (`public_pool`); others get our usual one. Raises ValueError for an address or a key that
    cannot be sent."""

    def __init__(self, endpoint: Endpoint, *, pool: httpx2.AsyncClient | None = None) -> None:
        self._timeout = endpoint.timeout
        try:
            self._url = httpx2.URL(f"{(endpoint.base_url or OPENAI).rstrip('/')}/chat/completions")
        except httpx2.InvalidURL:
            raise ValueError("the address of the provider is none") from None
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise ValueError("the key of the provider holds characters that no key has")
        self._pool = pool or open_pool(endpoint)
        self._headers = {
            "accept": "application/json",
            "authorization": f"Bearer {endpoint.key or 'none'}",
            "content-type": "application/json",
            "user-agent": "sonovqa",
        }

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._pool.post(
                    self._url, content=body_of(request), headers=self._headers
                )
        except TimeoutError:
            raise errors.TimedOut(f"no reply within {self._timeout:g} s") from None
        except (httpx2.HTTPError, OSError) as error:
            raise connection_error(error, self._timeout) from None
        if not response.is_success:
            raise _typed(response)
        latency, used_up_for = time.monotonic() - began, hints.used_up_for(response.headers)
        return _reply(_read(response.content), latency, used_up_for)

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


def _read(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise errors.Unparsable("the reply is not JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("choices"), list):
        raise errors.Unparsable("the reply is no chat completion")
    return found


def _typed(response: httpx2.Response) -> errors.ModelError:
    wait = hints.retry_after(response.headers)
    try:
        body = _mapping(json.loads(response.content))
    except (ValueError, RecursionError):
        body = {}
    told = _mapping(body.get("error", body))
    code = str(told.get("code") or "")
    message = f"{response.status_code} {code}: {told.get('message') or ''}".strip(": ")
    if code == "insufficient_quota":
        return errors.KeyRefused(message)
    if code in ("content_filter", "data_inspection_failed"):
        return errors.Refused(message)
    if code in ("context_length_exceeded", "string_above_max_length"):
        return errors.TooLarge(message)
    return errors.from_status(response.status_code, message, wait)


def _reply(completion: Mapping[str, Any], latency: float, used_up_for: float) -> Reply:
    choice = _mapping(next(iter(completion["choices"]), None))
    message, usage = _mapping(choice.get("message")), _mapping(completion.get("usage"))
    text = message.get("content")
    finish = str(choice.get("finish_reason") or "")[:40]
    reply = Reply(
        text=text if isinstance(text, str) else "",
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        latency=latency,
        model_version=str(completion.get("model") or "")[:200],
        finish=finish,
        used_up_for=used_up_for,
    )
    refusal = message.get("refusal")
    if finish == "content_filter" or refusal:
        raise errors.Refused(str(refusal or "the reply was blocked")[:300], reply=reply)
    if not reply.text.strip():
        if finish == "length":
            raise errors.TruncatedReply("the output limit was used up without text", reply=reply)
        raise errors.EmptyReply(f"no text, finish reason {finish or 'missing'}", reply=reply)
    return reply


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return what should be an object, empty where it is none."""
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int:
    """Return a number of tokens; 0 for what is none."""
    return int(value) if isinstance(value, int | float) and 0 <= value <= MOST_TOKENS else 0
