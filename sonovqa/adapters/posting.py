"""Sends JSON to a server and brings back what it says: one attempt, bounded, no redirect."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint
from sonovqa.adapters.connections import CONNECT_SECONDS, KEPT_SECONDS, connection_error

MOST_BYTES = 16 * 1_048_576  # of one reply


@dataclass(frozen=True)
class Answer:
    """What a server answered, whatever its status; `headers` are found in any case."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Poster(Protocol):
    """A client for one server."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send once. Raises a ModelError where no whole answer came."""

    async def close(self) -> None:
        """Close the connections."""


def checked(endpoint: Endpoint, *, usual: str) -> Endpoint:
    """Return `endpoint` with its address, `usual` where none is set.

    Raises ValueError for an address or a key that cannot be sent.
    """
    url = (endpoint.base_url or usual).rstrip("/")
    if not _is_address(url):
        raise ValueError("the address of the provider is none")
    if not (endpoint.key.isascii() and endpoint.key.isprintable()):
        raise ValueError("the key of the provider holds characters that no key has")
    return replace(endpoint, base_url=url)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class UsualPoster:
    """For the server of a provider, with one connection a call in flight.

    aiohttp finds a free connection at once; httpx2 looks at all of them for each call, which with
    128 connections takes five times the CPU of the call.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._proxy = proxy_of(endpoint.base_url)
        self._session: aiohttp.ClientSession | None = None

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send once. Raises a ModelError where no whole answer came."""
        session = self._session = self._session or self._open()
        try:
            async with session.post(
                url, data=body, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                return Answer(response.status, response.headers, await _bounded(response))
        except aiohttp.ConnectionTimeoutError as error:
            raise errors.NotConnected(type(error).__name__) from None
        except TimeoutError:
            raise errors.TimedOut(f"no reply within {self._endpoint.timeout:g} s") from None
        except (aiohttp.ClientConnectorError, aiohttp.ClientProxyConnectionError) as error:
            raise errors.NotConnected(type(error).__name__) from None
        except (aiohttp.ClientError, OSError) as error:
            raise errors.Unreachable(type(error).__name__) from None

    def _open(self) -> aiohttp.ClientSession:
        """Return the session; it belongs to the event loop in which the first call is made."""
        limit = self._endpoint.connections
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=limit, keepalive_timeout=KEPT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(self._endpoint.timeout, sock_connect=CONNECT_SECONDS),
            auto_decompress=False,
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise errors.Unparsable("the reply is packed, though none such was asked for")
    pieces, size = [], 0
    async for piece in response.content.iter_any():
        size += len(piece)
        if size > MOST_BYTES:
            raise errors.ReplyTooLarge(f"the reply is larger than {MOST_BYTES} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment names for the server of `url`, if any."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return None if not host or proxy_bypass(host) else _proxies(parts.scheme)


def _proxies(scheme: str) -> str | None:
    found = getproxies()
    return found.get(scheme) or found.get("all")


class PoolPoster:
    """For a server that an outsider named; its pool has the bounds (`public_pool`)."""

    def __init__(self, pool: httpx2.AsyncClient, timeout: float) -> None:
        self._pool, self._timeout = pool, timeout

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send once. Raises a ModelError where no whole answer came."""
        try:
            response = await self._pool.post(url, content=body, headers=dict(headers))
        except (httpx2.HTTPError, OSError) as error:
            raise connection_error(error, self._timeout) from None
        return Answer(response.status_code, response.headers, response.content)

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()
