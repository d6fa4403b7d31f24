"""Calls to a server that an outsider named, over real TLS on loopback: what the product allows,
and what a test alone may allow it."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.openai_compatible import OpenAICompatible
from sonovqa.adapters.public_pool import MOST_BYTES, SENT, PublicBackend, open_public_pool
from tests.standins import model_replies
from tests.standins.tls_server import Standing, tls_server

HOST = "model.lab-of-echo.org"
GOOD = json.dumps(model_replies.openai_body("Answer: B", "m-1")).encode()


class Behaviour:
    """What the stand-in does next."""

    status, body, headers = 200, GOOD, {}

    def __call__(self, handler: Any, _: bytes) -> None:
        handler.send_response(self.status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(self.body)))
        handler.end_headers()
        try:
            handler.wfile.write(self.body)
        except OSError:
            handler.close_connection = True


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour()


@pytest.fixture
def server(tmp_path: Path, behaviour: Behaviour) -> Iterator[Standing]:
    with tls_server(tmp_path, HOST, behaviour) as standing:
        yield standing


async def to_loopback(host: str, port: int) -> list[str]:
    assert host == HOST
    return ["127.0.0.1"]


def ask(server: Standing, backend: PublicBackend, *, times: int = 1, host: str = HOST) -> Reply:
    """Ask through the real SDK; the last reply."""
    endpoint = Endpoint(f"https://{host}:{server.port}/v1", "sk-outsider", timeout=60)

    async def talk() -> Reply:
        poster = open_public_pool(endpoint, backend=backend, context=server.context)
        model = OpenAICompatible(endpoint, poster=poster)
        try:
            for _ in range(times):
                reply = await model.ask(Request(model="m", user="Which?"))
            return reply
        finally:
            await model.close()

    return asyncio.run(talk())


def open_backend(server: Standing, **more: Any) -> PublicBackend:
    """The only way to loopback: arguments that a test alone gives."""
    given = {"resolve": to_loopback, "allowed": lambda one: one == "127.0.0.1"} | more
    return PublicBackend(ports=[server.port], **given)


def test_a_server_is_asked_over_tls_under_its_own_name(server: Standing) -> None:
    assert ask(server, open_backend(server), times=2).text == "Answer: B"
    assert server.asked == ["/v1/chat/completions"] * 2 and server.keys == {"sk-outsider"}


def test_a_stranger_s_server_is_told_nothing_of_ours(
    server: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "ours")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert ask(server, open_backend(server)).text == "Answer: B"
    assert server.keys == {"sk-outsider"}
    assert server.headers <= SENT | {"accept-encoding"}


def test_loopback_is_refused_at_connect_time_without_the_test_s_argument(server: Standing) -> None:
    backend = PublicBackend(resolve=to_loopback, ports=[server.port])
    with pytest.raises(errors.NotAllowed):
        ask(server, backend)
    with pytest.raises(errors.NotAllowed):
        ask(server, PublicBackend(resolve=to_loopback))  # the port alone
    assert server.asked == []


@pytest.mark.parametrize(
    "found", [["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["::ffff:127.0.0.1"], []]
)
def test_a_name_with_one_address_inside_is_refused_whole(
    server: Standing, found: list[str]
) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return found

    with pytest.raises(errors.NotAllowed):
        ask(server, PublicBackend(resolve=resolve, ports=[server.port]))
    assert server.asked == []


def test_a_name_that_changes_its_address_is_not_followed(server: Standing) -> None:
    """A rebinding name server: public at first, the inside later. It is asked once."""
    looked: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:
        looked.append(host)
        return ["127.0.0.1"] if len(looked) == 1 else ["10.0.0.1"]

    backend = open_backend(server, resolve=rebinding)
    for _ in range(3):  # a pool, and with it each connection, is new each time
        assert ask(server, backend).text == "Answer: B"
    assert looked == [HOST]


def test_a_connection_that_lands_elsewhere_is_closed_unused(server: Standing) -> None:
    """The number that was checked is not the peer's: a proxy or a translation in between."""

    async def resolve(host: str, port: int) -> list[str]:
        return ["localhost"]  # stands for a number that is public and leads inside

    backend = open_backend(server, resolve=resolve, allowed=lambda one: one == "localhost")
    with pytest.raises(errors.NotAllowed):
        ask(server, backend)
    assert server.asked == []


def test_a_redirect_is_not_followed(server: Standing, behaviour: Behaviour) -> None:
    behaviour.status = 307
    behaviour.headers = {"Location": f"https://127.0.0.1:{server.port}/latest/meta-data"}
    with pytest.raises(errors.ModelError):
        ask(server, open_backend(server))
    assert server.asked == ["/v1/chat/completions"]


def test_a_certificate_of_another_name_is_refused(server: Standing) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    with pytest.raises(errors.NotConnected):
        ask(server, open_backend(server, resolve=resolve), host="other.lab-of-echo.org")
    assert server.asked == []


def test_plain_http_is_refused(server: Standing) -> None:
    endpoint = Endpoint(f"http://{HOST}:{server.port}/v1", "sk-outsider", timeout=60)

    async def talk() -> None:
        poster = open_public_pool(endpoint, backend=open_backend(server))
        model = OpenAICompatible(endpoint, poster=poster)
        try:
            await model.ask(Request(model="m", user="Which?"))
        finally:
            await model.close()

    with pytest.raises(errors.NotAllowed):
        asyncio.run(talk())


def test_an_endless_reply_is_broken_off(server: Standing, behaviour: Behaviour) -> None:
    behaviour.body = b" " * (MOST_BYTES + 300_000) + GOOD
    with pytest.raises(errors.ReplyTooLarge):
        ask(server, open_backend(server))


def test_a_packed_reply_is_refused(server: Standing, behaviour: Behaviour) -> None:
    behaviour.body = gzip.compress(GOOD + b" " * 100_000_000, 1)
    behaviour.headers = {"Content-Encoding": "gzip"}
    with pytest.raises(errors.ReplyTooLarge):
        ask(server, open_backend(server))


def test_a_name_that_does_not_resolve_is_told_so(server: Standing) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(errors.NotConnected):
        ask(server, open_backend(server, resolve=resolve))
