"""The client of a provider's server, against sockets that answer as no server should."""

import asyncio
import json
from collections.abc import Callable

import pytest

from sonovqa.adapters import errors, posting
from sonovqa.adapters.asking import Endpoint
from sonovqa.adapters.posting import Answer, UsualPoster, proxy_of

HEADERS = {"authorization": "Bearer k", "accept-encoding": "identity"}
FINE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nSet-Cookie: who=me\r\n\r\n{}"
BOUND = 100_000


class Socket:
    """A server that gives `answers` in turn, as they are; `heard` holds what it was sent."""

    def __init__(self, *answers: bytes, closes: bool = False) -> None:
        self.answers, self.closes = list(answers), closes
        self.heard: list[bytes] = []
        self.connections = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self.answers:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.heard.append(head + await reader.readexactly(length))
                writer.write(self.answers.pop(0))
                await writer.drain()
                if self.closes:
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


def post(
    server: Socket, times: int = 1, *, timeout: float = 20, host: Callable[[str], str] = str
) -> Answer:
    """Post `times` over one client; the last answer."""

    async def talk() -> Answer:
        listening = await asyncio.start_server(server.talk, "127.0.0.1", 0)
        here = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        url = host(here)
        poster = UsualPoster(Endpoint(url, "k", timeout, 4))
        try:
            for _ in range(times):
                answer = await poster.post(f"{url}/v1", b'{"a": 1}', HEADERS)
            return answer
        finally:
            await poster.close()
            listening.close()

    return asyncio.run(talk())


def test_a_connection_is_kept_and_a_cookie_is_not() -> None:
    server = Socket(FINE, FINE, FINE)
    answer = post(server, 3)
    assert (answer.status, json.loads(answer.body)) == (200, {})
    assert answer.headers["SET-COOKIE"] == "who=me"
    assert server.connections == 1
    assert not any(b"cookie" in sent.lower() for sent in server.heard)


def test_a_connection_that_the_server_has_closed_is_made_again() -> None:
    server = Socket(FINE.replace(b"OK\r\n", b"OK\r\nConnection: close\r\n"), FINE, closes=True)
    assert post(server, 2).status == 200
    assert server.connections == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{}", errors.Unreachable),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}", errors.Unreachable),
        (b"nonsense\r\n\r\n", errors.Unreachable),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n", errors.Unreachable),
        (b"", errors.Unreachable),
        (FINE.replace(b"OK\r\n", b"OK\r\nContent-Encoding: gzip\r\n"), errors.Unparsable),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (BOUND + 1, b"x" * (BOUND + 1)),
            errors.ReplyTooLarge,
        ),
    ],
)
def test_what_is_no_whole_answer_is_typed(
    monkeypatch: pytest.MonkeyPatch, answer: bytes, error: type
) -> None:
    monkeypatch.setattr(posting, "MOST_BYTES", BOUND)
    server = Socket(answer, closes=True)
    with pytest.raises(errors.ModelError) as caught:
        post(server)
    assert type(caught.value) is error
    assert len(server.heard) == 1, "a call that may be billed is never sent again by itself"


def test_no_answer_within_the_deadline_is_a_timeout() -> None:
    class Silent(Socket):
        async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

    with pytest.raises(errors.TimedOut):
        post(Silent(), timeout=0.3)


def test_the_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Socket(FINE)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    def through(here: str) -> str:
        monkeypatch.setenv("http_proxy", here)
        return "http://model.invalid:8000"

    assert post(server, host=through).status == 200
    assert server.heard[0].startswith(b"POST http://model.invalid:8000/v1 HTTP/1.1\r\n")


def test_a_server_that_no_proxy_is_for_is_asked_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "model.inside,127.0.0.1")
    assert proxy_of("http://other.invalid/v1") == "http://127.0.0.1:9"
    assert proxy_of("http://model.inside:8000/v1") is None
    assert post(Socket(FINE)).status == 200
