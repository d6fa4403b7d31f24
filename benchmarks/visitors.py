"""Many browsers in one process, cheap enough to leave the machine to what is measured.

HTTP/1.1 over connections that are kept, each with cookies of its own, read to the last byte that
Content-Length tells. Of a general client each request costs as much CPU as a page that is kept.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

PATIENCE = 30.0  # seconds for one answer
BROWSER = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": "visitor"}


class BadAnswer(OSError):
    """What came back is no answer that a browser could read."""


@dataclass(frozen=True)
class Answer:
    """Status, and the body as it came."""

    status: int
    body: bytes


@dataclass
class Browser:
    """One connection at a time, opened when it is needed, and the cookies that it was given."""

    host: str
    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str, headers: Mapping[str, str]) -> Answer:
        """Ask for `path`. Raises OSError, of which BadAnswer is one."""
        try:
            async with asyncio.timeout(PATIENCE):
                if self.streams is None:
                    self.streams = await asyncio.open_connection(self.host, self.port)
                reader, writer = self.streams
                writer.write(self._asked(path, headers))
                return await self._read(reader)
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError) as error:
            self.close()
            raise BadAnswer(repr(error)) from error

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None

    def _asked(self, path: str, headers: Mapping[str, str]) -> bytes:
        sent = {"Host": f"{self.host}:{self.port}", **BROWSER, **headers}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [f"GET {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def _read(self, reader: asyncio.StreamReader) -> Answer:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head[:-4].split("\r\n")
        size, ends = -1, False
        for line in lines:
            name, _, value = line.partition(": ")
            name = name.lower()
            if name == "content-length":
                size = int(value)
            elif name == "set-cookie":
                cookie, _, text = value.partition(";")[0].partition("=")
                self.cookies[cookie] = text
            elif name == "connection":
                ends = value.lower() == "close"
        if size < 0:
            raise ValueError("no Content-Length")
        body = await reader.readexactly(size)
        if ends:
            self.close()
        return Answer(int(first.split(" ")[1]), body)


class Crowd:
    """So many browsers; who asks takes one that is free, or waits."""

    def __init__(self, host: str, port: int, browsers: int) -> None:
        self.browsers = [Browser(host, port) for _ in range(browsers)]
        self.free: asyncio.LifoQueue[Browser] = asyncio.LifoQueue()
        for browser in self.browsers:
            self.free.put_nowait(browser)

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        browser = await self.free.get()
        try:
            return await browser.get(path, headers or {})
        finally:
            self.free.put_nowait(browser)

    def close(self) -> None:
        for browser in self.browsers:
            browser.close()
