"""Any server of OpenAI's protocol: OpenAI, DashScope, Ark, vLLM.

It writes requests and reads replies itself: with OpenAI's SDK a call took ten times the CPU, and
that was the limit of a run. A test holds what is sent against what the SDK sends.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.openai_body import body_of
from sonovqa.adapters.posting import Answer, Poster, UsualPoster

OPENAI = "https://api.openai.com/v1"
MOST_TOKENS = 2**31 - 1  # what the database counts to


class OpenAICompatible:
    """A `sonovqa.adapters.asking.Model`. `poster` is the client of a server that an outsider named
    (`public_pool`); others get our usual one. Raises ValueError for an address or a key that
    cannot be sent."""

    def __init__(self, endpoint: Endpoint, *, poster: Poster | None = None) -> None:
        endpoint = replace(endpoint, base_url=(endpoint.base_url or OPENAI).rstrip("/"))
        if not _is_address(endpoint.base_url):
            raise ValueError("the address of the provider is none")
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise ValueError("the key of the provider holds characters that no key has")
        self._url = f"{endpoint.base_url}/chat/completions"
        self._timeout = endpoint.timeout
        self._poster = poster or UsualPoster(endpoint)
        self._headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "authorization": f"Bearer {endpoint.key or 'none'}",
            "content-type": "application/json",
            "user-agent": "sonovqa",
        }

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._poster.post(self._url, body_of(request), self._headers)
        except TimeoutError:
            raise errors.TimedOut(f"no reply within {self._timeout:g} s") from None
        if not 200 <= answer.status < 300:
            raise _typed(answer)
        latency, used_up_for = time.monotonic() - began, hints.used_up_for(answer.headers)
        return _reply(_read(answer.body), latency, used_up_for)

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _read(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise errors.Unparsable("the reply is not JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("choices"), list):
        raise errors.Unparsable("the reply is no chat completion")
    return found


def _typed(answer: Answer) -> errors.ModelError:
    wait = hints.retry_after(answer.headers)
    try:
        body = _mapping(json.loads(answer.body))
    except (ValueError, RecursionError):
        body = {}
    told = _mapping(body.get("error", body))
    code = str(told.get("code") or "")
    message = f"{answer.status} {code}: {told.get('message') or ''}".strip(": ")
    if code == "insufficient_quota":
        return errors.KeyRefused(message)
    if code in ("content_filter", "data_inspection_failed"):
        return errors.Refused(message)
    if code in ("context_length_exceeded", "string_above_max_length"):
        return errors.TooLarge(message)
    return errors.from_status(answer.status, message, wait)


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
