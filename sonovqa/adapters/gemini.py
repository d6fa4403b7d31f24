"""Gemini: clips and stills inline or uploaded, one attempt a call.

A call speaks REST itself, since Google's SDK takes eight times the CPU of one; files and batch jobs
go through the SDK. A test holds what is sent against what the SDK sends.
"""

import asyncio
import re
import time
from typing import TYPE_CHECKING
from urllib.parse import quote

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Endpoint, Reply, Request, Upload
from sonovqa.adapters.gemini_body import body_of
from sonovqa.adapters.gemini_replies import read_reply, typed_error
from sonovqa.adapters.posting import UsualPoster, checked
from sonovqa.adapters.reply_fields import read_object, told_error

if TYPE_CHECKING:
    from sonovqa.adapters.gemini_sdk import Sdk

GOOGLE = "https://generativelanguage.googleapis.com"
GONE = re.compile(r"(?i)\bfiles?\b.*(exist|permission|not found|expired)")


class Gemini:
    """A `sonovqa.adapters.asking.Model` and `FileStore`. Raises ValueError for an address or a key
    that cannot be sent."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = checked(endpoint, usual=GOOGLE)
        self._poster = UsualPoster(self._endpoint)
        self._sdk: Sdk | None = None
        self._headers = {
            "accept": "application/json",
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "sonovqa",
            "x-goog-api-key": endpoint.key or "none",
        }

    async def ask(self, request: Request) -> Reply:
        """Ask once. Raises a ModelError."""
        began, timeout = time.monotonic(), self._endpoint.timeout
        name = request.model if "/" in request.model else f"models/{request.model}"
        url = f"{self._endpoint.base_url}/v1beta/{quote(name)}:generateContent"
        try:
            async with asyncio.timeout(timeout):
                answer = await self._poster.post(url, body_of(request), self._headers)
        except TimeoutError:
            raise errors.TimedOut(f"no reply within {timeout:g} s") from None
        if not 200 <= answer.status < 300:
            error = typed_error(answer.status, told_error(answer.body), answer.headers)
            is_refusal = isinstance(error, errors.KeyRefused | errors.BadRequest)
            if is_refusal and request.has_uploads and GONE.search(error.message):
                raise errors.FileGone(error.message)
            raise error
        latency, used_up_for = time.monotonic() - began, hints.used_up_for(answer.headers)
        return read_reply(read_object(answer.body), latency, used_up_for)

    async def upload(self, data: bytes, mime: str, name: str) -> Upload:
        """Put a clip into the file store and wait until it can be used. Raises a ModelError."""
        if self._sdk is None:
            # Only here: Google's SDK takes 24 MB, and most processes of a site upload nothing.
            from sonovqa.adapters.gemini_sdk import Sdk

            self._sdk = Sdk(self._endpoint)
        return await self._sdk.upload(data, mime, name)

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()
        if self._sdk is not None:
            await self._sdk.close()
