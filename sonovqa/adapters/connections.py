"""The connection pool that the SDKs use, with our bounds."""

import httpx2

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint

CONNECT_SECONDS = 15.0
KEPT_SECONDS = 30.0  # that a connection without a call is kept


def open_pool(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Return a client that keeps one connection a slot and follows no redirect.

    A redirect could carry the key to a server that no admin has set.
    """
    timeout, limits = bounds(endpoint)
    return httpx2.AsyncClient(follow_redirects=False, timeout=timeout, limits=limits)


def bounds(endpoint: Endpoint) -> tuple[httpx2.Timeout, httpx2.Limits]:
    """Return how long a call may take, and how many connections are kept: one a slot."""
    limits = httpx2.Limits(
        max_connections=endpoint.connections,
        max_keepalive_connections=endpoint.connections,
        keepalive_expiry=KEPT_SECONDS,
    )
    return httpx2.Timeout(endpoint.timeout, connect=CONNECT_SECONDS), limits


def connection_error(error: BaseException, timeout: float) -> errors.ModelError:
    """Return the typed error of what the connection pool raised."""
    if isinstance(error, errors.ModelError):
        return error
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return errors.NotConnected(type(error).__name__)
    if isinstance(error, httpx2.TimeoutException):
        return errors.TimedOut(f"no reply within {timeout:g} s")
    return errors.Unreachable(type(error).__name__)
