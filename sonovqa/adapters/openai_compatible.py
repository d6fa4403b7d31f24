"""Any server of OpenAI's protocol: OpenAI, DashScope, Ark, vLLM.

It writes requests and reads replies itself: with OpenAI's SDK a call took ten times the CPU, and
that was the limit of a run. A test holds what is sent against what the SDK sends.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.openai_body import body_of
from sonovqa.adapters.posting import Answer, Poster, UsualPoster, checked
from sonovqa.adapters.reply_fields import count, mapping, read_object, told_error

OPENAI = "https://api.openai.com/v1"


class OpenAICompatible:
    """A `sonovqa.adapters.asking.Model`. `poster` is the client of a server that an outsider named
    (`public_pool`); others get our usual one. Raises ValueError for an address or a key that
    cannot be sent."""

    def __init__(self, endpoint: Endpoint, *, poster: Poster | None = None) -> None:
        endpoint = checked(endpoint, usual=OPENAI)
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
        return _reply(read_object(answer.body), latency, used_up_for)

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()


def _typed(answer: Answer) -> errors.ModelError:
    wait, told = hints.retry_after(answer.headers), told_error(answer.body)
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
    if not isinstance(completion.get("choices"), list):
        raise errors.Unparsable("the reply is no chat completion")
    choice = mapping(next(iter(completion["choices"]), None))
    message, usage = mapping(choice.get("message")), mapping(completion.get("usage"))
    text = message.get("content")
    finish = str(choice.get("finish_reason") or "")[:40]
    reply = Reply(
        text=text if isinstance(text, str) else "",
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
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
