"""Connections to a server that an outsider named: to public addresses alone, checked when they
are made, with bounded replies."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import httpcore2
import httpx2
from httpcore2 import AsyncNetworkBackend, AsyncNetworkStream

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint
from sonovqa.adapters.connections import bounds
from sonovqa.adapters.posting import PoolPoster
from sonovqa.adapters.public_addresses import PORTS, is_public

MOST_BYTES = 2 * 1_048_576  # of one reply, as it comes over the line
# What a stranger's server is told: nothing of this machine and nothing of its environment.
SENT = frozenset(
    {
        *("host", "accept", "content-type", "content-length", "transfer-encoding"),
        *("authorization", "user-agent", "connection"),
    }
)
Resolve = Callable[[str, int], Awaitable[list[str]]]


async def system_resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a name by the system's resolver."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))


class PublicBackend(AsyncNetworkBackend):
    """Resolves a name once, keeps to the address, and connects to it only where it is public.

    The name is resolved here and the connection made to the number, so that between the check
    and the call no other answer of a name server can come in. TLS still asks for the name. The
    three arguments are for tests: no setting leads to them.
    """

    def __init__(
        self,
        *,
        resolve: Resolve = system_resolve,
        allowed: Callable[[str], bool] = is_public,
        ports: Iterable[int] = PORTS,
    ) -> None:
        self._resolve, self._allowed, self._ports = resolve, allowed, frozenset(ports)
        self._under = httpcore2.AnyIOBackend()
        self._pinned: dict[tuple[str, int], str] = {}

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> AsyncNetworkStream:
        """Connect. Raises errors.NotAllowed for what is not public."""
        address = await self._address(host, port)
        stream = await self._under.connect_tcp(
            address, port, timeout, local_address, socket_options
        )
        peer = stream.get_extra_info("server_addr")
        if not peer or not self._allowed(str(peer[0])):
            await stream.aclose()
            raise errors.NotAllowed("the server is not on a public address")
        return stream

    async def _address(self, host: str, port: int) -> str:
        if port not in self._ports:
            raise errors.NotAllowed(f"port {port} is not called")
        if pinned := self._pinned.get((host, port)):
            return pinned
        try:
            found = await self._resolve(host, port)
        except (OSError, UnicodeError):
            raise httpcore2.ConnectError("the name does not resolve") from None
        if not found or not all(map(self._allowed, found)):
            raise errors.NotAllowed("the server is not on a public address")
        return self._pinned.setdefault((host, port), found[0])

    async def connect_unix_socket(self, *_: Any, **__: Any) -> AsyncNetworkStream:
        raise errors.NotAllowed("a socket of this machine is not called")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Bounded(httpx2.AsyncByteStream):
    """A reply that breaks off where it grows too large."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MOST_BYTES:
                raise errors.ReplyTooLarge(f"the reply is larger than {MOST_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class PublicTransport(httpx2.AsyncHTTPTransport):
    """A transport over a PublicBackend: https alone, no packed and no endless reply."""

    def __init__(
        self, backend: AsyncNetworkBackend, limits: httpx2.Limits, context: ssl.SSLContext | None
    ) -> None:
        context = context or ssl.create_default_context()
        super().__init__(verify=context, trust_env=False, limits=limits)
        # The transport has no argument for the backend of its pool.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context,
            max_connections=limits.max_connections,
            max_keepalive_connections=limits.max_keepalive_connections,
            keepalive_expiry=limits.keepalive_expiry,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send. Raises errors.NotAllowed, errors.ReplyTooLarge beside what httpx2 raises."""
        if request.url.scheme != "https":
            raise errors.NotAllowed("only https is called")
        told = {name: value for name, value in request.headers.items() if name in SENT}
        sent = httpx2.Request(  # another one: the client reads its own headers again afterwards
            request.method,
            request.url,
            headers=told | {"accept-encoding": "identity"},
            stream=request.stream,
            extensions=request.extensions,
        )
        response = await super().handle_async_request(sent)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise errors.ReplyTooLarge("the reply is packed, though none such was asked for")
        response.stream = _Bounded(response.stream)
        return response


def open_public_pool(
    endpoint: Endpoint,
    *,
    backend: AsyncNetworkBackend | None = None,
    context: ssl.SSLContext | None = None,
) -> PoolPoster:
    """Return a client for a server that an outsider named; it follows no redirect, and no proxy
    of the environment. `backend` and `context` are for tests: no setting leads to them."""
    timeout, limits = bounds(endpoint)
    pool = httpx2.AsyncClient(
        follow_redirects=False,
        trust_env=False,
        timeout=timeout,
        transport=PublicTransport(backend or PublicBackend(), limits, context),
    )
    return PoolPoster(pool, endpoint.timeout)
